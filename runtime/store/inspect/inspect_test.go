package inspect_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/store/inspect"
	"github.com/toolgen-dev/toolgen/runtime/store/memory"
)

// example is a root that has a settled child, one that runs and has a child of its own, and messages.
func example(t *testing.T) store.Store {
	t.Helper()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := memory.New(memory.Clock(func() time.Time {
		now = now.Add(250 * time.Millisecond)
		return now
	}))
	ctx := t.Context()
	root, err := s.Create(ctx, "p", store.NewConversation{ID: "root", Kind: store.Root, Composition: json.RawMessage(`{"model": "m"}`)})
	require.NoError(t, err)
	start := func(parent store.Lease, after int64, id store.ID, kind store.Kind, label string) store.Lease {
		_, l, _, err := s.Start(ctx, parent, after, "call-"+string(id), store.NewConversation{ID: id, Kind: kind, Parent: parent.Conversation, Label: label},
			store.Message{ID: "prompt-" + string(id), To: id, From: parent.Conversation, Kind: store.FromParent, Lane: store.Turn, Activation: 1, Data: json.RawMessage(`"look"`)})
		require.NoError(t, err)
		return l
	}
	a := start(root, 0, "child-a", store.Continuable, "reads the docs")
	b := start(root, 1, "child b", store.Continuable, "runs\x1b[31m red\u202e and\u200b hidden\nthings")
	start(b, 0, "grandchild", store.Job, "")
	_, last, err := s.Claim(ctx, a, 0, store.AtTurn)
	require.NoError(t, err)
	last, err = s.Append(ctx, a, last, store.Entry{Kind: "assistant", Data: json.RawMessage(`{"text": "a long answer that does not fit into the line"}`)},
		store.Entry{Kind: "raw", Data: []byte("\x1b]0;title\x07")})
	require.NoError(t, err)
	require.NoError(t, s.Send(ctx, store.Message{ID: "r1", To: "root", From: "child-a", Kind: store.FromChild, Lane: store.Step, Activation: 1, Quiet: true, Data: json.RawMessage(`"found"`)}))
	require.NoError(t, s.Settle(ctx, a, last, store.Settlement{Outcome: "completed", Text: "all is read", FailedTurns: 1, Parked: 2, Activation: 1,
		Notice: &store.Message{ID: "n1", To: "root", From: "child-a", Kind: store.FromSettlement, Lane: store.Step, Activation: 1, Data: json.RawMessage(`{"outcome":"completed"}`)}}))
	require.NoError(t, s.Drive(ctx, b, true))
	require.NoError(t, s.Send(ctx, store.Message{ID: "u1", To: "root", Kind: store.FromUser, Lane: store.Turn}))
	_, err = s.Park(ctx, root)
	require.NoError(t, err)
	return s
}

// TestGolden: each form, as people see it. TOOLGEN_UPDATE=1 writes them anew.
func TestGolden(t *testing.T) {
	p := inspect.Printer{Store: example(t), Limit: 40}
	for name, print := range map[string]func(*bytes.Buffer) error{
		"tree":         func(b *bytes.Buffer) error { return p.Tree(t.Context(), b, "root") },
		"all":          func(b *bytes.Buffer) error { return p.Tree(t.Context(), b, "") },
		"part":         func(b *bytes.Buffer) error { return p.Tree(t.Context(), b, "child b") },
		"conversation": func(b *bytes.Buffer) error { return p.Conversation(t.Context(), b, "child-a") },
		"root":         func(b *bytes.Buffer) error { return p.Conversation(t.Context(), b, "root") },
		"outbox":       func(b *bytes.Buffer) error { return p.Outbox(t.Context(), b, "root") },
		"outbox all":   func(b *bytes.Buffer) error { return p.Outbox(t.Context(), b, "") },
	} {
		var got bytes.Buffer
		require.NoError(t, print(&got))
		file := filepath.Join("testdata", strings.ReplaceAll(name, " ", "-")+".txt")
		if os.Getenv("TOOLGEN_UPDATE") != "" {
			require.NoError(t, os.WriteFile(file, got.Bytes(), 0o644))
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(string(want), got.String()), name)
		for _, r := range got.String() {
			require.False(t, r != '\n' && (r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x202e || r == 0x200b), "%s has the character %U", name, r)
		}
	}
}

// TestOutcomes: an outcome of an earlier Activation is not taken for the last one's, of a root and of a child.
func TestOutcomes(t *testing.T) {
	ctx, s := t.Context(), memory.New()
	summary := func(id store.ID) string {
		var b bytes.Buffer
		require.NoError(t, inspect.Printer{Store: s}.Conversation(ctx, &b, id))
		return b.String()
	}
	root, err := s.Create(ctx, "p", store.NewConversation{ID: "r", Kind: store.Root})
	require.NoError(t, err)
	require.Contains(t, summary("r"), "r  root, idle, Activation 1\n")
	require.NoError(t, s.Release(ctx, root))
	require.Contains(t, summary("r"), "r  root, inactive, Activation 1, closed\n")
	again := func() store.Lease {
		l, err := s.Acquire(ctx, "p", "r")
		require.NoError(t, err)
		return l
	}
	require.NoError(t, s.Lose(ctx, again(), store.Settlement{Outcome: "lost", Text: "so far", Activation: 2}))
	require.Contains(t, summary("r"), "r  root, inactive, Activation 2, lost\n")
	require.Contains(t, summary("r"), "\nlast words so far\n")
	root = again()
	require.Contains(t, summary("r"), "r  root, idle, Activation 3 (Activation 2: lost)\n")
	_, child, _, err := s.Start(ctx, root, root.Last, "call", store.NewConversation{ID: "c", Kind: store.Continuable, Parent: "r"},
		store.Message{ID: "m", To: "c", From: "r", Kind: store.FromParent, Lane: store.Turn, Activation: 3})
	require.NoError(t, err)
	require.NoError(t, s.Lose(ctx, child, store.Settlement{Outcome: "lost", Activation: 1}))
	child, err = s.Acquire(ctx, "p", "c")
	require.NoError(t, err)
	require.Contains(t, summary("c"), "c  continuable, idle, Activation 2 (Activation 1: lost)\n")
	require.NoError(t, s.Lose(ctx, child, store.Settlement{Outcome: "interrupted", Activation: 2}))
	require.Contains(t, summary("c"), "c  continuable, inactive, Activation 2, interrupted\n")
	require.NoError(t, s.Release(ctx, root))
	require.Contains(t, summary("r"), "r  root, inactive, Activation 3, closed (Activation 2: lost)\n")
	require.Contains(t, summary("r"), "\nlast words of Activation 2: so far\n")
	var b bytes.Buffer
	require.NoError(t, inspect.Printer{Store: s, JSON: true}.Tree(ctx, &b, "r"))
	require.Contains(t, b.String(), `"activation":3,"activity":"inactive","outcome":"lost","ended":2,"text":"so far"`)
}

// TestWithoutALimitNothingIsCut.
func TestWithoutALimitNothingIsCut(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, inspect.Printer{Store: example(t), Location: time.FixedZone("there", 3600)}.Conversation(t.Context(), &b, "child-a"))
	require.Contains(t, b.String(), "that does not fit into the line")
	require.Contains(t, b.String(), " 13:00:0", "the time is not that of the place")
}

// TestUnknown: what is not there is an error, and nothing is written.
func TestUnknown(t *testing.T) {
	p := inspect.Printer{Store: memory.New()}
	for _, print := range []func(*bytes.Buffer) error{
		func(b *bytes.Buffer) error { return p.Tree(t.Context(), b, "x") },
		func(b *bytes.Buffer) error { return p.Conversation(t.Context(), b, "x") },
		func(b *bytes.Buffer) error { return p.Outbox(t.Context(), b, "x") },
	} {
		var b bytes.Buffer
		require.ErrorIs(t, print(&b), store.ErrUnknown)
		require.Empty(t, b.String())
	}
}

// broken is a store in which one conversation cannot be read, and one entry of another.
type broken struct{ store.Store }

func (s broken) Children(ctx context.Context, parent, after store.ID, limit int) ([]store.Conversation, error) {
	if parent == "grandchild" {
		return nil, errors.New("a bad page")
	}
	list, err := s.Store.Children(ctx, parent, after, limit)
	for i := range list {
		if list[i].ID == "child b" {
			list[i] = store.Conversation{NewConversation: store.NewConversation{ID: "child b"}, Problem: store.Corrupt}
		}
	}
	return list, err
}

func (s broken) Log(ctx context.Context, id store.ID, after int64, limit int) ([]store.Entry, error) {
	log, err := s.Store.Log(ctx, id, after, limit)
	for i, e := range log {
		if e.Seq == 2 {
			return log[:i], fmt.Errorf("conversation %q, entry 2: %w", id, store.ErrDamaged)
		}
	}
	return log, err
}

func (s broken) Waiting(ctx context.Context, id store.ID) ([]store.Message, error) {
	if id == "child b" {
		return nil, store.ErrDamaged
	}
	return s.Store.Waiting(ctx, id)
}

// TestDamageHidesNothingElse: what can be read is written, what cannot is said where it would stand, and is the error.
func TestDamageHidesNothingElse(t *testing.T) {
	p := inspect.Printer{Store: broken{example(t)}}
	var tree, conversation, outbox bytes.Buffer
	require.ErrorIs(t, p.Tree(t.Context(), &tree, "root"), store.ErrDamaged)
	require.Contains(t, tree.String(), `  "child b"  ! corrupt`)
	require.Contains(t, tree.String(), "  child-a  continuable")
	require.Contains(t, tree.String(), "    ! a bad page", "what the grandchild has started")
	require.Contains(t, tree.String(), "    grandchild  job")

	require.ErrorIs(t, p.Conversation(t.Context(), &conversation, "child-a"), store.ErrDamaged)
	require.Contains(t, conversation.String(), `     2  ! conversation "child-a", entry 2: store: the data is damaged`)
	require.Contains(t, conversation.String(), "     1  ")
	require.Contains(t, conversation.String(), "     4  ")

	require.ErrorIs(t, p.Outbox(t.Context(), &outbox, "root"), store.ErrDamaged)
	require.Contains(t, outbox.String(), `to "child b": ! store: the data is damaged`)
	require.Contains(t, outbox.String(), "to grandchild:")
}

// TestJSON: each line is an object that says of which type it is, with whole texts; what cannot be read is one too.
func TestJSON(t *testing.T) {
	s := broken{example(t)}
	p := inspect.Printer{Store: s, Limit: 3, JSON: true}
	types := func(print func(*bytes.Buffer) error) (out []string) {
		var b bytes.Buffer
		require.ErrorIs(t, print(&b), store.ErrDamaged)
		for line := range strings.Lines(b.String()) {
			var o struct{ Type, ID, Kind, Error, Problem, To string }
			require.NoError(t, json.Unmarshal([]byte(line), &o), line)
			out = append(out, strings.Join(strings.Fields(fmt.Sprint(o.Type, " ", o.ID, " ", o.Kind, o.To, o.Error, o.Problem)), " "))
		}
		return out
	}
	require.Equal(t, []string{
		"conversation root root", "conversation child-a continuable", "conversation child b corrupt", "conversation grandchild job", "problem a bad page",
	}, types(func(b *bytes.Buffer) error { return p.Tree(t.Context(), b, "root") }))
	require.Equal(t, []string{
		"conversation child-a continuable", "entry message", `problem conversation "child-a", entry 2: store: the data is damaged`,
		"entry raw", "entry settled",
	}, types(func(b *bytes.Buffer) error { return p.Conversation(t.Context(), b, "child-a") }))
	require.Equal(t, []string{
		"message r1 reportroot", "message n1 settlementroot", "message u1 userroot", "problem store: the data is damaged", "message prompt-grandchild coordinatorgrandchild",
		"problem a bad page",
	}, types(func(b *bytes.Buffer) error { return p.Outbox(t.Context(), b, "root") }))
}

// TestJSONHidesNothing: what nobody would see is escaped, and is the same text to whoever reads the JSON.
func TestJSONHidesNothing(t *testing.T) {
	s := memory.New()
	label := "a\x1b\u202e\u200b\u00a0\U000e0041\u2028<\x7f\u00e4\U0001f600"
	_, err := s.Create(t.Context(), "p", store.NewConversation{ID: "r", Kind: store.Root, Label: label})
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, inspect.Printer{Store: s, JSON: true}.Tree(t.Context(), &b, ""))
	require.Contains(t, b.String(), `"a\u001b\u202e\u200b\u00a0\udb40\udc41\u2028<\u007fä`+"\U0001f600\"")
	var o struct{ Label string }
	require.NoError(t, json.Unmarshal(b.Bytes(), &o))
	require.Equal(t, label, o.Label)
}

// failing is a writer that is full after so many bytes.
type failing struct{ left int }

var errWriter = errors.New("no more")

func (f *failing) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errWriter
	}
	return len(b), nil
}

// TestWritersThatFailEndIt.
func TestWritersThatFailEndIt(t *testing.T) {
	p := inspect.Printer{Store: example(t)}
	for left := range 60 {
		require.ErrorIs(t, p.Tree(t.Context(), &failing{left}, "root"), errWriter)
		require.ErrorIs(t, p.Conversation(t.Context(), &failing{left}, "child-a"), errWriter)
		require.ErrorIs(t, p.Outbox(t.Context(), &failing{left}, "root"), errWriter)
	}
}
