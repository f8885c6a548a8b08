package tool_test

import (
	"strings"
	"testing"

	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// The repair `call-name`: trimming, or a known prefix, gives exactly one visible tool.
func TestCallName(t *testing.T) {
	scope := scopeWith(t, fixture{name: "find", safe: true, run: echo}, fixture{name: "functions", safe: true, run: echo})
	for name, want := range map[string]string{
		"find": "find", "functions.find": "find", "default_api.find": "find", "tools.find": "find", " find\n": "find", " tools. find ": "find",
		"functions.functions": "functions", "functions": "functions",
		"functions.nope": "", "other.find": "", "functions.tools.find": "", "find()": "", "Find": "", "functions.": "", "": "", ".find": "",
		"functions/find": "", "mcp.functions.find": "",
	} {
		call := tool.Call{ID: "1", Name: name, Arguments: []byte(`{"q":"x"}`)}
		r := scope.Dispatcher().Dispatch(t.Context(), []tool.Call{call})[0]
		repaired := len(r.Arguments.Repairs) == 1 && r.Arguments.Repairs[0].Code == "call-name" && r.Arguments.Repairs[0].Pointer == ""
		if (want == "") != (r.Outcome == tool.Unknown) || want != "" && (r.Name != want || r.Text != "x" || repaired != (name != want)) {
			t.Errorf("%q: %+v, want %s", name, r, want)
		}
		r = scope.Dispatcher(tool.Strict()).Dispatch(t.Context(), []tool.Call{call})[0]
		if (name == want && want != "") != (r.Outcome == tool.Done) || len(r.Arguments.Repairs) > 0 {
			t.Errorf("strict, %q: %+v", name, r)
		}
	}
}

// A repaired name is on the result also where the arguments are refused.
func TestCallNameOfRefused(t *testing.T) {
	d := scopeWith(t, fixture{name: "find", run: echo}).Dispatcher()
	r := d.Dispatch(t.Context(), []tool.Call{{Name: "tools.find", Arguments: []byte(`{"q":1}`)}})[0]
	if r.Outcome != tool.Refused || len(r.Arguments.Repairs) != 1 || r.Name != "find" {
		t.Errorf("%+v", r)
	}
}

// A name is repaired to what is visible, and to nothing else; a hidden tool is not told from one that never was.
func TestHiddenTools(t *testing.T) {
	full := scopeWith(t, fixture{name: "find", run: echo}, fixture{name: "secret_tool", run: echo})
	narrow, err := full.Scope(tool.Deny("secret_tool"))
	must(t, err)
	never := scopeWith(t, fixture{name: "find", run: echo})
	for _, name := range []string{"secret_tool", "functions.secret_tool", " secret_tool", "secret-tool"} {
		list := []tool.Call{{ID: "1", Name: name, Arguments: []byte(`{"q":"x"}`)}}
		got, want := narrow.Dispatcher().Dispatch(t.Context(), list)[0], never.Dispatcher().Dispatch(t.Context(), list)[0]
		if got.Outcome != tool.Unknown || got.Text != want.Text || got.Name != want.Name || got.Started {
			t.Errorf("%q: %+v, want %+v", name, got, want)
		}
	}
}

// The nearest name comes first, whatever its case and separators; a text without end is previewed.
func TestNearest(t *testing.T) {
	var fs []fixture
	for _, n := range []string{"send_message", "list_agents", "report", "job-list"} {
		fs = append(fs, fixture{name: n, run: echo})
	}
	scope := scopeWith(t, fs...)
	for name, want := range map[string]string{"listAgents": "list_agents", "LIST-AGENTS": "list_agents", "Reprot": "report", "joblist": "job-list", "sendmessages": "send_message"} {
		r := scope.Call(t.Context(), tool.Call{Name: name})
		if !strings.Contains(r.Text, "the tools are "+want+", ") {
			t.Errorf("%s: %s", name, r.Text)
		}
	}
	r := scope.Call(t.Context(), tool.Call{Name: strings.Repeat("x", 1<<20)})
	if len(r.Text) > 300 || !strings.Contains(r.Text, "list_agents") {
		t.Errorf("%d bytes: %.300s", len(r.Text), r.Text)
	}
}

// Of several mounts of a retired tool, the primary one is the answer.
func TestRetiredNameOfSeveralMounts(t *testing.T) {
	c := contract("find")
	c.RetiredNames = []string{"seek"}
	reg := tool.NewRegistry()
	must(t, mount(reg, c, "", tool.As("first")))
	must(t, mount(reg, c, "", tool.As("second"), tool.Primary()))
	scope, err := reg.Scope()
	must(t, err)
	for _, name := range []string{"seek", "functions.seek"} {
		if r := scope.Dispatcher().Dispatch(t.Context(), []tool.Call{{Name: name}})[0]; !strings.HasSuffix(r.Text, "is called second now") || r.Outcome != tool.Unknown {
			t.Errorf("%+v", r)
		}
	}
}
