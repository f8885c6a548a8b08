package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// handled calls a tool with a handler.
func handled(t *testing.T, args string, limit int64, h func() (tool.Output, error)) tool.CallResult {
	t.Helper()
	return scopeOf(t, limit, h).Call(context.Background(), tool.Call{ID: "1", Name: "find", Arguments: json.RawMessage(args)})
}

func scopeOf(t *testing.T, limit int64, h func() (tool.Output, error)) *tool.Scope {
	t.Helper()
	c := contract("find")
	c.Variants[0].Limits.ResultBytes = limit
	reg := tool.NewRegistry()
	must(t, tool.Mount(reg, tool.Binding{Contract: c, Decode: readArgs, Run: func(context.Context, tool.Call, any) (tool.Output, error) { return h() }}))
	scope, err := reg.Scope()
	must(t, err)
	return scope
}

// What goes to a model is text that every provider takes.
func TestTextsAreValid(t *testing.T) {
	for in, want := range map[string]string{
		"plain é 日本 \U0001F600\n": "plain é 日本 \U0001F600\n",
		"a\xffb\xc3":              "a\uFFFDb\uFFFD",
		"\x00":                    "\uFFFD",
		"a\x00\xff\x00b":          "a\uFFFD\uFFFD\uFFFDb",
		"\xed\xa0\x80":            "\uFFFD",
	} {
		res := handled(t, `{"q":"x"}`, 0, func() (tool.Output, error) { return tool.Plain(in), nil })
		if res.Text != want || res.IsError {
			t.Errorf("result %q: %+v", in, res)
		}
		res = handled(t, `{"q":"x"}`, 0, func() (tool.Output, error) { return nil, errors.New(in) })
		if res.Text != want || !res.IsError || res.Err.Error() != in {
			t.Errorf("error %q: %+v", in, res)
		}
	}
	for _, args := range []string{"\xff", "{\"\xff\":1}", `{"\u0000":1}`, "{\"q\":\"\x00\"}"} {
		if res := handled(t, args, 0, nil); !utf8.ValidString(res.Text) || strings.Contains(res.Text, "\x00") || !res.IsError {
			t.Errorf("arguments %q: %+v", args, res)
		}
	}
	if res := scopeOf(t, 0, nil).Call(context.Background(), tool.Call{Name: "no\xff\x00"}); !utf8.ValidString(res.Text) || strings.Contains(res.Text, "\x00") {
		t.Errorf("an unknown name: %+v", res)
	}
}

// What goes to a model is never without bounds. A contract's limit counts in place of the default, be it larger.
func TestTextsAreBounded(t *testing.T) {
	const note = 64
	for _, c := range []struct{ size, limit, most int }{
		{tool.DefaultResultBytes, 0, tool.DefaultResultBytes + note},
		{2 * tool.DefaultResultBytes, 0, tool.DefaultResultBytes + note},
		{2 * tool.DefaultResultBytes, 4 * tool.DefaultResultBytes, 2 * tool.DefaultResultBytes},
		{2 * tool.DefaultResultBytes, 100, 100 + note},
	} {
		for _, fill := range []string{"x", "\x00", "\x80", "x\xff"} {
			text := "head" + strings.Repeat(fill, c.size/len(fill)-8) + "tail"
			res := handled(t, `{"q":"x"}`, int64(c.limit), func() (tool.Output, error) { return tool.Plain(text), nil })
			cut := strings.Contains(res.Text, " bytes were left out here]")
			if len(res.Text) > max(c.most, c.limit+note) || !strings.HasPrefix(res.Text, "head") || !strings.HasSuffix(res.Text, "tail") ||
				fill == "x" && cut != (c.most-note < c.size-8 && c.limit < c.size) || !utf8.ValidString(res.Text) {
				t.Errorf("%d of %q with the limit %d: %d bytes, %.80q", c.size, fill, c.limit, len(res.Text), res.Text)
			}
		}
	}
	long := strings.Repeat("e", 1<<20)
	for name, res := range map[string]tool.CallResult{
		"an error":         handled(t, `{"q":"x"}`, 0, func() (tool.Output, error) { return nil, errors.New("head" + long + "tail") }),
		"an error, capped": handled(t, `{"q":"x"}`, 1<<20, func() (tool.Output, error) { return nil, errors.New("head" + long + "tail") }),
	} {
		if len(res.Text) > tool.MaxErrorBytes+note || !strings.HasPrefix(res.Text, "head") || !strings.HasSuffix(res.Text, "tail") || len(res.Err.Error()) < len(long) {
			t.Errorf("%s: %d bytes", name, len(res.Text))
		}
	}
	reg := tool.NewRegistry()
	for i := range 400 {
		must(t, mount(reg, contract(fmt.Sprintf("t%d%s", i, strings.Repeat("x", 55))), ""))
	}
	scope, err := reg.Scope()
	must(t, err)
	if res := scope.Call(context.Background(), tool.Call{Name: "nope"}); len(res.Text) > tool.MaxErrorBytes+note || !strings.HasPrefix(res.Text, `there is no tool "nope"`) {
		t.Errorf("an unknown name: %d bytes", len(res.Text))
	}
}

// A handler that ends its goroutine gets no result from Call; the way that Call's comment gives has one, and the scope
// goes on.
func TestGoexit(t *testing.T) {
	exit := true
	scope := scopeOf(t, 0, func() (tool.Output, error) {
		if exit {
			runtime.Goexit()
		}
		return tool.Plain("fine"), nil
	})
	call := tool.Call{ID: "1", Name: "find", Arguments: json.RawMessage(`{"q":"x"}`)}
	results := make(chan tool.CallResult)
	for _, want := range []string{"the tool failed unexpectedly", "fine"} {
		go func() {
			res := tool.CallResult{ID: call.ID, Name: call.Name, Text: "the tool failed unexpectedly", IsError: true}
			defer func() { results <- res }()
			res = scope.Call(context.Background(), call)
		}()
		if res := <-results; res.Text != want || res.ID != "1" {
			t.Errorf("%+v, want %q", res, want)
		}
		exit = false
	}
}
