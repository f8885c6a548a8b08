//go:build unix

package kill

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/store/sqlite"
)

// image is everything that is left at one moment: the whole store, and the effects.
type image struct {
	order   []store.ID
	all     map[store.ID]*record
	effects []effect
}

// record is a conversation.
type record struct {
	store.Conversation
	log     []entry
	waiting []store.Message
	kids    []store.ID
}

// entry is one of a log, decoded.
type entry struct {
	store.Entry
	message *store.Message
	started *store.Started
	settled *store.Settlement
	calls   []agent.Call // of an assistant's
	result  *result
}

type result struct {
	Call  string
	Text  string
	Error bool
}

// effect is a call that was carried out.
type effect struct {
	process    string
	agent      store.ID
	activation int64
	key        string
}

// take reads an image of a tree, or of all that is there, from the files as they are; nothing of them changes.
func take(o orders, root store.ID) (*image, error) {
	s, err := sqlite.Open(o.store(), sqlite.ReadOnly())
	if err != nil {
		return nil, err
	}
	im, err := imageOf(context.Background(), s, root)
	if err == nil {
		err = s.Check(context.Background())
	}
	if closed := s.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(o.effects())
	for line := range strings.Lines(string(data)) {
		var e effect
		if _, err := fmt.Sscan(line, &e.process, &e.agent, &e.activation, &e.key); err != nil {
			return nil, fmt.Errorf("the effect %q: %w", line, err)
		}
		if root == "" || im.all[e.agent] != nil {
			im.effects = append(im.effects, e)
		}
	}
	return im, err
}

func imageOf(ctx context.Context, s store.Store, root store.ID) (*image, error) {
	im := &image{all: map[store.ID]*record{}}
	var failed error
	one := func(c store.Conversation) bool {
		r := &record{Conversation: c}
		im.order, im.all[c.ID] = append(im.order, c.ID), r
		if c.Problem != "" {
			failed = fmt.Errorf("%s is %s", c.ID, c.Problem)
			return false
		}
		if p := im.all[c.Parent]; p != nil {
			p.kids = append(p.kids, c.ID)
		}
		entries, err := s.Log(ctx, c.ID, 0, 0)
		if err == nil {
			r.waiting, err = s.Waiting(ctx, c.ID)
		}
		for _, e := range entries {
			if err == nil {
				var one entry
				one, err = decode(e)
				r.log = append(r.log, one)
			}
		}
		failed = err
		return failed == nil
	}
	if root != "" {
		top, err := s.Get(ctx, root)
		if err != nil || !one(top) {
			return im, errors.Join(err, failed)
		}
	}
	err := store.Walk(ctx, s, root, one)
	return im, errors.Join(err, failed)
}

func decode(e store.Entry) (entry, error) {
	out := entry{Entry: e}
	var into any
	var answer struct{ Calls []agent.Call }
	switch e.Kind {
	case store.EntryMessage:
		out.message = &store.Message{}
		into = out.message
	case store.EntryStarted:
		out.started = &store.Started{}
		into = out.started
	case store.EntrySettled:
		out.settled = &store.Settlement{}
		into = out.settled
	case "assistant":
		into = &answer
	case "result":
		out.result = &result{}
		into = out.result
	case "turn":
		return out, nil
	default:
		return out, fmt.Errorf("an entry of the kind %q", e.Kind)
	}
	err := json.Unmarshal(e.Data, into)
	out.calls = answer.Calls
	return out, err
}

// inbox is all that a conversation was sent, in the order of sending.
func (r *record) inbox() []store.Message {
	bySeq := map[int64]store.Message{}
	last := int64(0)
	for _, m := range append(r.claimed(), r.waiting...) {
		bySeq[m.Seq] = m
		last = max(last, m.Seq)
	}
	var out []store.Message
	for i := range last {
		if m, ok := bySeq[i+1]; ok {
			out = append(out, m)
		}
	}
	return out
}

// claimed are the messages of the log, in its order.
func (r *record) claimed() (out []store.Message) {
	for _, e := range r.log {
		if e.message != nil {
			out = append(out, *e.message)
		}
	}
	return out
}

// ends are the settlements of a log, by their Activation.
func (r *record) ends() map[int64]entry {
	out := map[int64]entry{}
	for _, e := range r.log {
		if e.settled != nil {
			out[e.settled.Activation] = e
		}
	}
	return out
}

// asked is a call as the model made it, with its result where it has one.
type asked struct {
	agent.Call
	result *result
}

// calls are those of a log, by their keys.
func (r *record) calls() map[string]*asked {
	out, open := map[string]*asked{}, map[string]*asked{}
	for _, e := range r.log {
		for _, c := range e.calls {
			one := &asked{Call: c}
			out[fmt.Sprintf("%d/%s", e.Seq, c.ID)], open[c.ID] = one, one
		}
		if e.result != nil && open[e.result.Call] != nil {
			open[e.result.Call].result = e.result
		}
	}
	return out
}

// argument is one of a call's.
func (c *asked) argument(name string) string {
	var a map[string]any
	_ = json.Unmarshal([]byte(c.Arguments), &a) // whose text differs then
	s, _ := a[name].(string)
	return s
}

func content(m store.Message) (c agent.Content) {
	_ = json.Unmarshal(m.Data, &c) // whose text differs then
	return c
}
