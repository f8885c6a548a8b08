package agents

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// everything is all that scopes say: rendered a thousand times and more, under every choice of the options.
func everything(t *testing.T) string {
	sum := sha256.New()
	all := assemblies(t)
	for _, a := range all {
		reg := a.mount(t, plainly)
		first := ""
		for range 1000/len(all) + 1 {
			full, err := reg.Scope()
			require.NoError(t, err)
			narrow, err := full.Scope(tool.Deny("report", "send_message"))
			require.NoError(t, err)
			now := said(full) + said(narrow)
			if first == "" {
				first = now
			}
			require.Equal(t, first, now)
		}
		sum.Write([]byte(first))
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// said is all that a scope says, to its model and of itself.
func said(s *tool.Scope) string {
	out := texts(s)
	for _, d := range s.Tools() {
		out += fmt.Sprintf("\n%s %s %+v %v", d.Name, d.Title, d.Hints, d.Safe)
	}
	return out + fmt.Sprintf("\n%+v\n%+v", s.Sections(), s.Omitted())
}

// I1 for scopes: rendered a thousand times, in several processes, they give the same bytes.
func TestScopesInProcesses(t *testing.T) {
	const child = "TOOLGEN_TEST_SCOPES"
	if os.Getenv(child) != "" {
		fmt.Printf("scopes: %s\n", everything(t))
		return
	}
	self, err := os.Executable()
	require.NoError(t, err)
	want := "scopes: " + everything(t) + "\n"
	for _, setting := range []string{"GOMAXPROCS=1", "GOMAXPROCS=4", "GOGC=10"} {
		c := exec.Command(self, "-test.run=^TestScopesInProcesses$", "-test.count=1")
		c.Env = append(os.Environ(), child+"=1", setting)
		out, err := c.CombinedOutput()
		require.NoError(t, err, string(out))
		require.True(t, strings.HasPrefix(string(out), want), "%s: %s, want %s", setting, out, want)
	}
}

// What a scope hides, its dispatcher does not run: under no other reading of the name either.
func TestDispatchOfHidden(t *testing.T) {
	scope, err := mountAll(t, agents.SubagentOptions{}, nil).Scope(tool.Allow("report"))
	require.NoError(t, err)
	d := scope.Dispatcher()
	for _, name := range []string{"send_message", "functions.send_message", " send_message ", "tools.subagent"} {
		res := d.Dispatch(t.Context(), []tool.Call{{ID: "1", Name: name, Arguments: []byte(`{"agent_id":"a","message":"m"}`)}})[0]
		require.Equal(t, tool.Unknown, res.Outcome)
		require.Contains(t, res.Text, "the tools are report")
		require.False(t, res.Started)
	}
	res := d.Dispatch(t.Context(), []tool.Call{{ID: "1", Name: "functions.report", Arguments: []byte(`{"output":"x"}`)}})[0]
	require.Equal(t, tool.Done, res.Outcome, res.Text)
}

// The arguments that middleware sees are the generated struct, with the defaults that the model was told.
func TestTypedArgumentsInMiddleware(t *testing.T) {
	var seen agents.SubagentArgs
	scope, err := mountAll(t, agents.SubagentOptions{BackgroundMode: agents.SubagentBackgroundModeContinuable}, &seen).Scope()
	require.NoError(t, err)
	checked := false
	d := scope.Dispatcher(tool.WithMiddleware(func(next tool.Invoke) tool.Invoke {
		return func(ctx context.Context, inv *tool.Invocation) (tool.Output, error) {
			args := inv.Args().(*agents.SubagentArgs)
			require.True(t, args.RunInBackground)
			require.Equal(t, `{"description":"d","prompt":"p","run_in_background":true}`, string(inv.Arguments()))
			checked = true
			args.RunInBackground = false
			return next(ctx, inv)
		}
	}))
	res := d.Dispatch(t.Context(), []tool.Call{{Name: "subagent", Arguments: []byte(`{"description":"d","prompt":"p"}`)}})[0]
	require.False(t, res.IsError, res.Text)
	require.True(t, checked)
	require.Equal(t, agents.SubagentArgs{Description: "d", Prompt: "p"}, seen)
}
