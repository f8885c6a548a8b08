package arguments

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/tool/decode"
)

// row is one kind of arguments.
type row struct {
	name     string
	examples []example
}

// example is one call, and what becomes of it. Problems and repairs are written as code@pointer.
type example struct {
	tool, args string
	caps       map[string]string // of the mount

	strict        string // the problems; empty: it fits
	strictRepairs string

	is       string // what a tolerant reading makes of it, normalized; empty: it is refused
	tolerant string // the problems, where it is
	repairs  string

	words  []string // of the tolerant report
	hidden string   // what must not be shown, in neither report
}

func TestArguments(t *testing.T) {
	program := start(t)
	var cases bytes.Buffer
	kinds := newKinds(t)
	for _, part := range []struct {
		title string
		rows  []row
	}{{"Repairs", repaired}, {"Caps", capped}, {"Refused", refused}, {"Kept", kept}} {
		for _, r := range part.rows {
			t.Run(r.name, func(t *testing.T) {
				var texts bytes.Buffer
				for _, x := range r.examples {
					a := program.ask(t, x.tool, x.args, x.caps)
					check(t, x, a)
					kinds.add(x, a)
					describe(&texts, x, a)
				}
				if texts.Len() > 0 {
					fmt.Fprintf(&cases, "\n## %s: %s\n\n```text%s```\n", part.title, r.name, texts.String())
				}
			})
		}
	}
	t.Run("call-name", func(t *testing.T) {
		x := example{tool: "functions.find", args: `{"q":"a"}`}
		a := program.ask(t, x.tool, x.args, nil)
		require.Equal(t, "call-name@", repairs(a.Tolerant.Report))
		require.Empty(t, a.Tolerant.Said)
		require.Empty(t, repairs(a.Strict.Report))
		require.Contains(t, a.Strict.Said, "find")
		kinds.add(x, a)
		fmt.Fprint(&cases, "\n## Repairs: call-name\n\n```text")
		describe(&cases, x, a)
		fmt.Fprint(&cases, "```\n")
	})
	var page bytes.Buffer
	page.WriteString("# What a model is told\n\nThe text of every error in [the cases](..): the tool, the arguments, and what is said of them. " +
		"`TOOLGEN_UPDATE=1 go test .` writes this\npage. Wording is not API; codes, pointers and fields are. Where a tolerant reading says something else than a strict\none, both are here, " +
		"with the repairs that were made.\n")
	kinds.write(t, &page)
	page.Write(cases.Bytes())
	golden(t, filepath.Join("testdata", "errors.md"), page.Bytes())
}

func check(t *testing.T, x example, a answer) {
	t.Helper()
	name := fmt.Sprintf("%s %.200q", x.tool, x.args)
	if got := problems(a.Strict.Report); got != x.strict {
		t.Errorf("%s: strict says %q, want %q", name, got, x.strict)
	}
	if got := repairs(a.Strict.Report); got != x.strictRepairs {
		t.Errorf("%s: strict repairs %q, want %q", name, got, x.strictRepairs)
	}
	if got := problems(a.Tolerant.Report); got != x.tolerant {
		t.Errorf("%s: tolerant says %q, want %q", name, got, x.tolerant)
	}
	if got := repairs(a.Tolerant.Report); got != x.repairs {
		t.Errorf("%s: tolerant repairs %q, want %q", name, got, x.repairs)
	}
	if (x.is == "") == (x.tolerant == "") {
		t.Fatalf("%s: say what it is, or why it is refused", name)
	}
	if x.is != "" {
		require.Equal(t, exact(t, defaults(x.is)), exact(t, string(a.Tolerant.Normalized)), name)
		require.True(t, a.Value != "" || x.caps != nil, name)
		if x.strict == "" {
			require.Equal(t, string(a.Strict.Normalized), string(a.Tolerant.Normalized), name)
			require.Equal(t, x.args, string(a.Tolerant.Text), name)
		}
	} else {
		require.Equal(t, x.args, string(a.Tolerant.Text), name)
	}
	for _, w := range x.words {
		require.Contains(t, a.Tolerant.Said, w, name)
	}
	for _, r := range []reading{a.Strict, a.Tolerant} {
		if x.hidden != "" {
			require.NotContains(t, r.Said, x.hidden, name)
			require.NotContains(t, fmt.Sprintf("%+v", r.Report), x.hidden, name)
		}
		if r.Said != "" {
			require.Equal(t, len(r.Report.Problems)+min(r.Report.More, 1), strings.Count(r.Said, "\n")+1, "%s: one line for each", name)
		}
		for i, p := range r.Report.Problems {
			if i > 0 && ofKeys(p.Code) {
				require.True(t, ofKeys(r.Report.Problems[i-1].Code) || r.Report.Problems[0].Expected == "one JSON object", "%s: unknown keys come first", name)
			}
		}
	}
}

// exact is a JSON text as a value that keeps every digit of its numbers.
func exact(t *testing.T, text string) (v any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	require.NoError(t, d.Decode(&v), text)
	return v
}

func ofKeys(c decode.Code) bool {
	return slices.Contains([]decode.Code{decode.UnknownKey, decode.KeyCase, decode.Envelope, decode.SchemaEcho, decode.ParamGone, decode.ParamRetired}, c)
}

// describe writes what is said of a call onto the page.
func describe(page *bytes.Buffer, x example, a answer) {
	if a.Strict.Said == "" && a.Tolerant.Said == "" {
		return
	}
	fmt.Fprintf(page, "\n%s %s\n", x.tool, shown(x.args))
	if a.Tolerant.Said == a.Strict.Said {
		lines(page, "", a.Strict.Said)
		return
	}
	lines(page, "strict    ", a.Strict.Said)
	said := a.Tolerant.Said
	if said == "" {
		said = "fits"
	}
	if list := repairs(a.Tolerant.Report); list != "" {
		said = "after " + list + "\n" + said
	}
	lines(page, "tolerant  ", said)
}

// lines writes the lines of a text below their label.
func lines(page *bytes.Buffer, label, text string) {
	for line := range strings.Lines(text) {
		fmt.Fprintf(page, "  %s%s\n", label, strings.TrimSuffix(line, "\n"))
		label = strings.Repeat(" ", len(label))
	}
}

// shown is the text of arguments as far as a page can have it.
func shown(args string) string {
	const most = 120
	if len(args) > most {
		args = args[:most] + "…"
	}
	if args == "" || strings.Contains(args, "```") || args != strings.TrimSpace(args) || !utf8.ValidString(args) || strings.ContainsFunc(args, func(r rune) bool { return r < ' ' || r == 0x2028 || r == 0xFEFF }) {
		return fmt.Sprintf("%q", args)
	}
	return args
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if os.Getenv("TOOLGEN_UPDATE") != "" {
		require.NoError(t, os.WriteFile(file, got, 0o644))
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	if !bytes.Equal(want, got) {
		t.Errorf("%s is stale: TOOLGEN_UPDATE=1 go test . and read the difference", file)
	}
}
