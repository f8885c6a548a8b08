package tool_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// A dispatcher repairs what has one reading, unless it is strict. The result says so, middleware sees what was read, and
// what is stored is one object.
func TestRepairs(t *testing.T) {
	for _, c := range []struct{ args, repairs, effective, stored, strict string }{
		{`{"q":"a"}`, `[]`, `{"q":"a","token":""}`, `{"q":"a"}`, `{"q":"a"}`},
		{"```json\n{\"q\":\"a\",\"token\":\"hunter22\"}\n```", `[{fence }]`, `{"q":"a","token":"[secret]"}`, `{"q":"a","token":"hunter22"}`,
			`{"invalid_arguments":"` + "```json\\n{\\\"q\\\":\\\"a\\\",\\\"token\\\":\\\"hunter22\\\"}\\n```" + `"}`},
		{`"{\"q\":\"a\"}"`, `[{string-root }]`, `{"q":"a","token":""}`, `{"q":"a","token":""}`, `{"invalid_arguments":"\"{\\\"q\\\":\\\"a\\\"}\""}`},
		{`{"token":"hunter22","q":"a",}`, `[{trailing-comma }]`, `{"token":"[secret]","q":"a"}`, `{"token":"hunter22","q":"a"}`, `{"invalid_arguments":"{\"token\":\"hunter22\",\"q\":\"a\",}"}`},
		// What is one object stays as it came.
		{`{"arguments":{"q":"a"}}`, `[{unwrap-key /arguments}]`, `{"q":"a","token":""}`, `{"arguments":{"q":"a"}}`, `{"arguments":{"q":"a"}}`},
		{`{"q":"a","token":null}`, `[{null-optional /token}]`, `{"q":"a","token":""}`, `{"q":"a","token":null}`, `{"q":"a","token":null}`},
	} {
		var seen string
		scope := scopeWith(t, fixture{name: "s", run: func(_ context.Context, q string) (tool.Output, error) {
			return nil, errors.New(q + " with hunter22")
		}})
		watch := tool.WithMiddleware(tool.Before(func(_ context.Context, inv *tool.Invocation) error {
			seen = string(inv.Redacted())
			return nil
		}))
		call := tool.Call{ID: "1", Name: "s", Arguments: []byte(c.args)}
		r := scope.Dispatcher(watch).Dispatch(t.Context(), []tool.Call{call})[0]
		text := "a with hunter22"
		if seen != `{"q":"a","token":""}` {
			text = "a with [secret]"
		}
		if got := fmt.Sprint(r.Arguments.Repairs); got != c.repairs || r.Outcome != tool.Failed || seen != c.effective || r.Text != text {
			t.Errorf("%s: %s, %s, %+v", c.args, got, seen, r)
		}
		if got := string(tool.HistoryCall(call, r).Arguments); got != c.stored {
			t.Errorf("%s: stored %s, want %s", c.args, got, c.stored)
		}
		r = scope.Dispatcher(tool.Strict()).Dispatch(t.Context(), []tool.Call{call})[0]
		if (r.Outcome == tool.Refused) != (c.repairs != `[]`) || len(r.Arguments.Repairs) > 0 {
			t.Errorf("strict, %s: %+v", c.args, r)
		}
		if got := string(tool.HistoryCall(call, r).Arguments); got != c.strict {
			t.Errorf("strict, %s: stored %s, want %s", c.args, got, c.strict)
		}
	}
}

// A refused call has the repairs that were made before it was judged: no text is an empty object, and what that lacks is
// what is wrong. Text that is there is never taken for one.
func TestRepairsOfRefused(t *testing.T) {
	scope := scopeWith(t, fixture{name: "s", run: echo})
	for _, c := range []struct{ args, repairs, problem, stored string }{
		{"", `[{empty }]`, "missing", `{}`},
		{" null\n", `[{empty }]`, "missing", `{}`},
		{"```json\n```", `[{fence } {empty }]`, "missing", `{"invalid_arguments":"` + "```json\\n```" + `"}`},
		{`{"q":"a`, `[]`, "truncated", `{"invalid_arguments":"{\"q\":\"a"}`},
		{"nothing", `[]`, "not-json", `{"invalid_arguments":"nothing"}`},
		{"[]", `[]`, "not-object", `{"invalid_arguments":"[]"}`},
		{`"{}"`, `[{string-root }]`, "missing", `{"invalid_arguments":"\"{}\""}`},
	} {
		call := tool.Call{ID: "1", Name: "s", Arguments: []byte(c.args)}
		r := scope.Dispatcher().Dispatch(t.Context(), []tool.Call{call})[0]
		if r.Outcome != tool.Refused || r.Started || fmt.Sprint(r.Arguments.Repairs) != c.repairs || string(r.Arguments.Problems[0].Code) != c.problem {
			t.Errorf("%q: %+v", c.args, r)
		}
		if got := string(tool.HistoryCall(call, r).Arguments); got != c.stored {
			t.Errorf("%q: stored %s, want %s", c.args, got, c.stored)
		}
		r = scope.Dispatcher(tool.Strict()).Dispatch(t.Context(), []tool.Call{call})[0]
		if r.Outcome != tool.Refused || len(r.Arguments.Repairs) > 0 {
			t.Errorf("strict, %q: %+v", c.args, r)
		}
	}
}
