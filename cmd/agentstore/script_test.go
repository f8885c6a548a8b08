package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/store/sqlite"
)

// TestMain lets the scripts run agentstore as a command of its own.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"agentstore": func() { os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr)) },
	})
}

// TestScripts runs testdata/script. TOOLGEN_UPDATE=1 rewrites what cmp compares with; the difference is to be read before it is
// committed.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       os.Getenv("TOOLGEN_UPDATE") != "",
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"store": makeStore,
			"use":   use,
			"sql":   statement,
			"code":  code,
		},
	})
}

// makeStore makes a store: store FILE. A root has one child that has settled, one that is resident with a job below it, and a second root
// is there that nobody holds.
func makeStore(ts *testscript.TestScript, _ bool, args []string) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s, err := sqlite.Open(ts.MkAbs(args[0]), sqlite.Clock(func() time.Time {
		now = now.Add(250 * time.Millisecond)
		return now
	}))
	ts.Check(err)
	ts.Check(errors.Join(fill(s), s.Close()))
}

func fill(s store.Store) error {
	ctx := context.Background()
	var failed error
	must := func(err error) { failed = errors.Join(failed, err) }
	root, err := s.Create(ctx, "p", store.NewConversation{ID: "agent-root", Kind: store.Root, Label: "night", Composition: json.RawMessage(`{"v":1}`)})
	must(err)
	start := func(parent store.Lease, after int64, id store.ID, kind store.Kind, label string) store.Lease {
		_, l, _, err := s.Start(ctx, parent, after, "call-"+string(id), store.NewConversation{ID: id, Kind: kind, Parent: parent.Conversation, Label: label},
			store.Message{ID: "prompt-" + string(id), To: id, From: parent.Conversation, Kind: store.FromParent, Lane: store.Turn, Activation: 1, Data: json.RawMessage(`{"v":1,"text":"look"}`)})
		must(err)
		return l
	}
	a := start(root, 0, "agent-a", store.Continuable, "reads the docs")
	b := start(root, 1, "agent-b", store.Continuable, "runs\x1b[31m red\u202e and\u200b hidden\nthings")
	start(b, 0, "agent-c", store.Job, "builds")
	_, last, err := s.Claim(ctx, a, 0, store.AtTurn)
	must(err)
	last, err = s.Append(ctx, a, last, store.Entry{Kind: "assistant", Data: json.RawMessage(`{"v":1,"text":"It is on page \u001b]0;x\u0007 3."}`)})
	must(err)
	must(s.Settle(ctx, a, last, store.Settlement{Outcome: "completed", Text: "It is on page 3.", Activation: 1,
		Notice: &store.Message{ID: "end-a", To: "agent-root", From: "agent-a", Kind: store.FromSettlement, Lane: store.Step, Activation: 1, Data: json.RawMessage(`{"v":1}`)}}))
	must(s.Drive(ctx, b, true))
	other, err := s.Create(ctx, "p", store.NewConversation{ID: "agent-other", Kind: store.Root, Label: "day"})
	must(err)
	must(s.Release(ctx, other))
	return failed
}

// use keeps a store open, with steps in its log, until the script is over: use FILE.
func use(ts *testscript.TestScript, _ bool, args []string) {
	s, err := sqlite.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Defer(func() { ts.Check(s.Close()) })
	ts.Check(s.Send(context.Background(), store.Message{ID: "new", To: "agent-other", Kind: store.FromUser, Lane: store.Turn, Data: json.RawMessage(`{"v":1,"text":"hello"}`)}))
}

// statement does to a file what no store does: sql FILE STATEMENT.
func statement(ts *testscript.TestScript, _ bool, args []string) {
	db, err := sql.Open("sqlite", ts.MkAbs(args[0]))
	ts.Check(err)
	_, err = db.Exec(args[1])
	ts.Check(errors.Join(err, db.Close()))
}

// code runs agentstore and demands an exit code: code N ARGUMENTS.
func code(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec("agentstore", args[1:]...)
	got := "0"
	var exit interface{ ExitCode() int }
	if errors.As(err, &exit) {
		got = string(rune('0' + exit.ExitCode()))
	}
	if got != args[0] {
		ts.Fatalf("the exit code is %s, want %s", got, args[0])
	}
}
