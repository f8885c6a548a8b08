package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// Dump writes down everything that a store holds of conversations whose ids begin with a prefix, in lines, without times:
// two stores to which the same was done have the same dump.
func Dump(ctx context.Context, s store.Store, prefix string) (string, error) {
	var b strings.Builder
	var failed error
	err := store.Walk(ctx, s, "", func(c store.Conversation) bool {
		if !strings.HasPrefix(string(c.ID), prefix) {
			return true
		}
		failed = dumpOne(ctx, s, c, &b)
		return failed == nil
	})
	if err == nil {
		err = failed
	}
	return b.String(), err
}

func dumpOne(ctx context.Context, s store.Store, c store.Conversation, b *strings.Builder) error {
	line := func(v any) error {
		data, err := json.Marshal(v)
		fmt.Fprintf(b, "%s %T %s\n", c.ID, v, data)
		return err
	}
	alone, err := s.Get(ctx, c.ID)
	if err != nil {
		return err
	}
	if !alone.Created.Equal(c.Created) {
		return fmt.Errorf("%s: created at %v when listed and at %v alone", c.ID, c.Created, alone.Created)
	}
	c.Created, alone.Created = time.Time{}, time.Time{}
	if err := line(c); err != nil {
		return err
	}
	if fmt.Sprint(alone) != fmt.Sprint(c) {
		return fmt.Errorf("%s: listed as %v and alone %v", c.ID, c, alone)
	}
	log, err := s.Log(ctx, c.ID, 0, 0)
	if err != nil {
		return err
	}
	for i, e := range log {
		if e.Seq != int64(i+1) {
			return fmt.Errorf("%s: entry %d has the number %d", c.ID, i+1, e.Seq)
		}
		e.Time = time.Time{}
		if err := line(e); err != nil {
			return err
		}
	}
	waiting, err := s.Waiting(ctx, c.ID)
	if err != nil {
		return err
	}
	for _, m := range waiting {
		if err := line(m); err != nil {
			return err
		}
	}
	pending, err := s.Pending(ctx, c.ID)
	if err != nil {
		return err
	}
	return line(pending)
}

// dump demands a dump.
func (e *env) dump(s store.Store) string {
	e.Helper()
	d, err := Dump(e.ctx, s, "")
	e.ok(err)
	return d
}

// differ says where two dumps part; it is empty if they do not.
func differ(got, want string) string {
	if got == want {
		return ""
	}
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := 0; ; i++ {
		switch {
		case i >= len(g):
			return "missing: " + w[i]
		case i >= len(w):
			return "too much: " + g[i]
		case g[i] != w[i]:
			return "got  " + g[i] + "\nwant " + w[i]
		}
	}
}
