package tool_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/tool"
	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// logged runs calls and returns the lines of the log.
func logged(t *testing.T, d func(l *slog.Logger) *tool.Dispatcher, list []tool.Call) []string {
	t.Helper()
	var b bytes.Buffer
	l := slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	d(l).Dispatch(t.Context(), list)
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

// One line for each call, with how it ended and how it went, and nothing of what was written.
func TestLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		scope := scopeWith(t, fixture{name: "s", run: wild}, fixture{name: "deaf", timeout: time.Second, run: deaf})
		var d *tool.Dispatcher
		list := append(calls("s 2s", "s error", "s panic", "deaf 1h", "nowhere x"),
			tool.Call{ID: "6", Name: "functions.s", Arguments: []byte(`{"q":1,"qq":2}`)})
		got := logged(t, func(l *slog.Logger) *tool.Dispatcher {
			d = scope.Dispatcher(tool.WithLogger(l), tool.WithHold(0))
			return d
		}, list)
		want := []string{
			`level=INFO msg="tool call" tool=nowhere call=5 outcome=unknown started=false duration=0s argument_bytes=9 result_bytes=49`,
			`level=INFO msg="tool call" tool=s call=6 outcome=refused started=false duration=0s argument_bytes=14 result_bytes=167 repairs=call-name problems="unknown-key wrong-type"`,
			`level=INFO msg="tool call" tool=s call=1 outcome=done started=true duration=2s argument_bytes=10 result_bytes=8`,
			`level=WARN msg="tool call" tool=s call=2 outcome=failed started=true duration=0s argument_bytes=13 result_bytes=7`,
			`level=ERROR msg="tool call" tool=s call=3 outcome=panicked started=true duration=0s argument_bytes=13 result_bytes=28`,
			`level=ERROR msg="tool call" tool=deaf call=4 outcome=timed-out started=true duration=2s argument_bytes=10 result_bytes=109 abandoned=true`,
		}
		for i, line := range got {
			if i >= len(want) || line != want[i] {
				t.Errorf("line %d: %s", i+1, line)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%d lines, want %d", len(got), len(want))
		}
		must(t, d.Wait(t.Context()))
	})
}

// With content the lines say what was asked and what failed.
func TestLogContent(t *testing.T) {
	scope := scopeWith(t, fixture{name: "s", run: wild})
	got := logged(t, func(l *slog.Logger) *tool.Dispatcher {
		return scope.Dispatcher(tool.WithLogger(l), tool.WithLogContent())
	},
		append(calls("s error"), tool.Call{Name: "s", Arguments: []byte(`{"qq":2}`)}))
	if len(got) != 2 || !strings.Contains(got[0], ` problem_list="/qq: unknown-key: `) || !strings.Contains(got[0], `\n/q: missing: `) ||
		!strings.HasSuffix(got[1], `arguments="{\"q\":\"error\",\"token\":\"\"}" error="no luck"`) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}

// A logger that does not want a level costs nothing, and one that panics takes no result away.
func TestLoggers(t *testing.T) {
	scope := scopeWith(t, fixture{name: "s", run: wild})
	var b bytes.Buffer
	quiet := slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.LevelWarn}))
	scope.Dispatcher(tool.WithLogger(quiet)).Dispatch(t.Context(), calls("s 0s", "nowhere x"))
	if b.Len() > 0 {
		t.Errorf("logged %s", b.String())
	}
	r := scope.Dispatcher(tool.WithLogger(slog.New(badHandler{}))).Dispatch(t.Context(), calls("s 0s"))[0]
	var p *tool.PanicError
	if r.Outcome != tool.Done || !errors.As(r.Err, &p) {
		t.Errorf("%+v", r)
	}
}

type badHandler struct{ slog.Handler }

func (badHandler) Enabled(context.Context, slog.Level) bool { panic("no log") }

// The values of secret parameters appear in no log, in no error that the model reads, and in no redacted form, whatever
// the handler does with them. (What the program itself does with Err, Args and Arguments is its own affair.)
func TestSecrets(t *testing.T) {
	secrets := []string{`hunter22`, `pa"ss\word`, "line\nbreak", `日本語`, `<&>!`, `0000`, `aaaa aaaa`, "\u2028sep", "zero\u200bwidth"}
	for _, secret := range secrets {
		for _, how := range []string{"error", "wrapped", "quoted", "panic", "timeout", "result", "middleware", "raw"} {
			var scope *tool.Scope
			secretHandler := func(ctx context.Context, q string) (tool.Output, error) {
				switch how {
				case "error":
					return nil, errors.New("no login with " + secret + " and " + secret)
				case "wrapped":
					return nil, fmt.Errorf("outer: %w", fmt.Errorf("inner <%s>", secret))
				case "quoted":
					return nil, fmt.Errorf("no login with %q", secret)
				case "panic":
					panic(secret)
				case "timeout":
					<-ctx.Done()
					return nil, fmt.Errorf("%s: %w", secret, ctx.Err())
				}
				return tool.Plain("fine"), nil
			}
			synctest.Test(t, func(t *testing.T) {
				scope = scopeWith(t, fixture{name: "s", timeout: time.Second, run: secretHandler})
				var seen []string
				lines := logged(t, func(l *slog.Logger) *tool.Dispatcher {
					return scope.Dispatcher(tool.WithLogger(l), tool.WithLogContent(), tool.WithMiddleware(tool.Before(func(_ context.Context, inv *tool.Invocation) error {
						if got := inv.Args().(*fixtureArgs).Token; got != secret {
							t.Errorf("the handler gets %q", got)
						}
						inv.OnResult(func(res tool.CallResult) { seen = append(seen, res.Text) })
						switch how {
						case "middleware":
							return errors.New("refused with " + secret)
						case "raw":
							return fmt.Errorf("refused %s", inv.Call().Arguments)
						}
						return nil
					})))
				}, []tool.Call{
					{ID: "1", Name: "s", Arguments: []byte(`{"q":"x","token":` + escaped(secret) + `}`)},
					{ID: "2", Name: "s", Arguments: []byte(`{"q":7,"token":` + quoted(secret) + `}`)},
					{ID: "3", Name: "s", Arguments: []byte(`{"q":"x","token":[` + quoted(secret) + `]}`)},
					{ID: "4", Name: "s", Arguments: []byte(`{"q":"x","token":` + quoted(secret))},
				})
				if len(lines) != 4 || len(seen) != 1 || how != "result" && how != "panic" && how != "timeout" && !strings.Contains(seen[0], "[secret]") {
					t.Errorf("%s: %q", how, append(lines, seen...))
				}
				call := scope.Call(t.Context(), tool.Call{Name: "s", Arguments: []byte(`{"q":"x","token":` + quoted(secret) + `}`)})
				for _, text := range append(append(lines, seen...), call.Text) {
					for _, form := range []string{secret, strings.Trim(escaped(secret), `"`), strings.Trim(quoted(secret), `"`), strings.Trim(fmt.Sprintf("%q", secret), `"`)} {
						if strings.Contains(text, form) && len(form) >= 4 {
							t.Errorf("%s, %q: %s", how, secret, text)
						}
					}
				}
			})
		}
	}
}

// escaped is a JSON string in which every character is an escape, as some models write them.
func escaped(s string) string {
	var b strings.Builder
	for _, r := range s {
		fmt.Fprintf(&b, `\u%04x`, r)
	}
	return `"` + b.String() + `"`
}

// Of secrets that hold each other, nothing is left; what is too short to be told from words stays.
func TestSecretsInSecrets(t *testing.T) {
	list := &schema.Type{Kind: schema.Array, Elem: &schema.Type{Kind: schema.Any}}
	d := scopeWith(t, fixture{name: "s", more: []schema.Field{{Name: "pins", Slot: 2, Type: list, Secret: true}}, run: func(context.Context, string) (tool.Output, error) {
		return nil, errors.New("no login with hunter, hunter22, 12345678, 1234, key5 or abc")
	}}).Dispatcher()
	r := d.Dispatch(t.Context(), []tool.Call{{Name: "s", Arguments: []byte(`{"q":"x","token":"hunter","pins":["hunter22",1234,{"key5":12345678},"abc",true]}`)}})[0]
	if r.Text != "no login with [secret], [secret], [secret], [secret], [secret] or abc" {
		t.Errorf("%s", r.Text)
	}
}
