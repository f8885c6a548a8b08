package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/otel"
	"github.com/toolgen-dev/toolgen/runtime/tool"

	"example.com/assistant/gen/desk"
	"example.com/assistant/gen/files"
)

// limits: what a deployment sets for one mount, in place of what the spec says.
func limits() (*tool.Registry, error) {
	reg := tool.NewRegistry()
	return reg, errors.Join(
		files.MountSearch(reg, files.SearchOptions{}, search, tool.Deadline(5*time.Second), tool.ResultBytes(4_000)),
		files.MountReadFile(reg, files.ReadFileOptions{}, read, tool.ArgumentBytes(64_000)),
		desk.MountAsk(reg, desk.AskOptions{}, ask),
		desk.MountRun(reg, desk.RunOptions{}, command),
	)
}

// command fails, and its error holds what the spec calls secret.
func command(_ context.Context, _ tool.Call, args desk.RunArgs) (tool.Plain, error) {
	return "", fmt.Errorf("exit status 1 of %s", args.Command)
}

// An agent has one scope, and one dispatcher over it for as long as it lives.
type agent struct {
	system string            // its system prompt
	tools  []tool.Definition // what its model is told
	*tool.Dispatcher
}

func newAgent(scope *tool.Scope, prompt string, opts ...tool.DispatchOption) *agent {
	return &agent{
		system:     prompt + "\n\n" + scope.Prompt(),
		tools:      scope.Tools(),
		Dispatcher: scope.Dispatcher(opts...),
	}
}

// family: a child's scope is its parent's, narrowed.
func family() error {
	reg, err := limits()
	if err != nil {
		return err
	}
	scope, err := reg.Scope()
	if err != nil {
		return err
	}
	narrow, err := scope.Scope(tool.Deny("run", "ask"))
	if err != nil {
		return err
	}
	parent, child := newAgent(scope, "You lead."), newAgent(narrow, "You look things up.")
	fmt.Println(len(parent.tools), len(child.tools), strings.Contains(child.system, "search"))
	res := child.Dispatch(context.Background(), []tool.Call{{ID: "1", Name: "run", Arguments: json.RawMessage(`{"command":"make"}`)}})
	fmt.Println(res[0].Outcome, res[0].Text)
	return nil
}

// message: one message's calls, together.
func message() error {
	reg, err := limits()
	if err != nil {
		return err
	}
	scope, err := reg.Scope()
	if err != nil {
		return err
	}
	d := scope.Dispatcher()
	calls := []tool.Call{
		{ID: "a", Name: "search", Arguments: json.RawMessage(`{"query":"TODO"}`)},            // safe: runs beside others
		{ID: "a", Name: "functions.search", Arguments: json.RawMessage(`{"query":"FIXME"}`)}, // the same id, a mistaken name
		{Name: "run", Arguments: json.RawMessage(`{"command":"rm scratch"}`)},                // exclusive, and no id
		{ID: "b", Name: "search", Arguments: json.RawMessage(`{"query":`)},
	}
	for _, res := range d.Dispatch(context.Background(), calls) {
		first, _, _ := strings.Cut(res.Text, "\n")
		fmt.Println(res.ID, res.Name, res.Outcome, res.Started, res.Arguments.Repairs, first)
	}
	return nil
}

// cancel: each call has a result all the same, which says whether it had started.
func cancel() error {
	reg := tool.NewRegistry()
	ctx, stop := context.WithCancel(context.Background())
	slow := func(ctx context.Context, _ tool.Call, _ desk.RunArgs) (tool.Plain, error) {
		stop() // here the user presses a key
		<-ctx.Done()
		return "", ctx.Err()
	}
	if err := desk.MountRun(reg, desk.RunOptions{}, slow); err != nil {
		return err
	}
	scope, err := reg.Scope()
	if err != nil {
		return err
	}
	d := scope.Dispatcher(
		tool.WithGrace(time.Second),   // how long a handler may go on after a cancel, or after its deadline
		tool.WithHold(30*time.Second), // how long one that does not return holds up exclusive calls
		tool.WithParallel(8),          // how many safe calls run at once
	)
	args := json.RawMessage(`{"command":"make"}`)
	for _, res := range d.Dispatch(ctx, []tool.Call{{ID: "1", Name: "run", Arguments: args}, {ID: "2", Name: "run", Arguments: args}}) {
		fmt.Println(res.ID, res.Outcome, res.Started, errors.Is(res.Err, context.Canceled), res.Text)
	}
	return d.Wait(context.Background()) // abandoned handlers included
}

// guard is middleware that looks at typed arguments: it ends a call before its handler.
func guard(next tool.Invoke) tool.Invoke {
	return func(ctx context.Context, inv *tool.Invocation) (tool.Output, error) {
		if args, ok := inv.Args().(*files.ReadFileArgs); ok && strings.HasPrefix(args.Path, "/etc/") {
			return nil, errors.New("files of the system may not be read") // the model reads this text
		}
		return next(ctx, inv)
	}
}

// audited are the settings of a dispatcher that is watched.
func audited() ([]tool.DispatchOption, error) {
	telemetry, err := otel.New() // spans and durations to the global providers
	if err != nil {
		return nil, err
	}
	lines := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: steady}))
	effects := tool.Before(func(_ context.Context, inv *tool.Invocation) error {
		contract, variant := inv.Contract()
		if variant.Hints.ReadOnly != tool.Yes {
			fmt.Printf("%s of %s may change things: %s\n", contract.Name, contract.Package, inv.Redacted())
		}
		return nil
	})
	return []tool.DispatchOption{
		tool.WithMiddleware(telemetry.Middleware, effects, guard), // the first is the outermost
		tool.WithHooks(telemetry.Hooks()),
		tool.WithHooks(tool.Hooks{Refused: func(_ context.Context, inv *tool.Invocation, res tool.CallResult) {
			fmt.Println("refused:", inv.Call().Name, res.Arguments.Problems)
		}}),
		tool.WithLogger(lines),
		tool.WithLogContent(),
	}, nil
}

// steady leaves out of a log line what differs from run to run.
func steady(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey || a.Key == "duration" {
		return slog.Attr{}
	}
	return a
}

// watched shows what middleware, hooks and the log are told.
func watched() error {
	reg, err := limits()
	if err != nil {
		return err
	}
	scope, err := reg.Scope()
	if err != nil {
		return err
	}
	opts, err := audited()
	if err != nil {
		return err
	}
	d := scope.Dispatcher(opts...)
	for _, c := range []tool.Call{
		{ID: "1", Name: "run", Arguments: json.RawMessage(`{"command":"mysql -p hunter22"}`)},
		{ID: "2", Name: "read-file", Arguments: json.RawMessage(`{"path":"/etc/passwd","lines":{}}`)},
		{ID: "3", Name: "search", Arguments: json.RawMessage(`{"query":7}`)},
	} {
		fmt.Println(d.Dispatch(context.Background(), []tool.Call{c})[0].Text)
	}
	return nil
}

// history: what to store of a call beside its result, so that the next request is valid.
func history() error {
	reg, err := limits()
	if err != nil {
		return err
	}
	scope, err := reg.Scope()
	if err != nil {
		return err
	}
	calls := tool.UniqueIDs([]tool.Call{ // as the model's message is stored, before anything runs
		{Name: "search", Arguments: json.RawMessage(`{"query":"TODO"}`)},
		{Name: "search", Arguments: json.RawMessage(`{"query":"TO`)},
		{Name: "no such tool!"},
	}, nil)
	for i, res := range scope.Dispatcher().Dispatch(context.Background(), calls) {
		stored := tool.HistoryCall(calls[i], res)
		fmt.Printf("%s %s %s\n", stored.ID, stored.Name, stored.Arguments)
	}
	return nil
}
