package prose_test

import (
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// paste matches a fix that says what to write, and what has to be done before.
var paste = regexp.MustCompile(`^(?:import ("[^"]+"|\w+ "[^"]+") in the file, and |(a comment cannot refer): say it in the parameter's own doc, and there |\w+ means something else there: put ` + "`(let [^`]+)`" + ` at the top of the file, and )?write (.+?) for (.+?)(?: if \S+ is meant; else .*|; or name those .*|; the default is .*)?$`)

// What no paste can mend begins like this.
var unpasted = []string{"refer to the parameter ", "give the parameter ", "name the parameter ", "say it in ", "delete ", "list these: ", "package "}

// pasted does what a finding's fix says, as somebody would who trusts it. It is false where that is no paste.
func pasted(t *testing.T, files map[string]string, slot, text string, f diag.Finding) (map[string]string, bool) {
	t.Helper()
	m := paste.FindStringSubmatch(f.Fix)
	if m == nil {
		for _, begin := range unpasted {
			if strings.HasPrefix(f.Fix, begin) {
				return nil, false
			}
		}
		t.Fatalf("%s: nobody could paste the fix: %s", f, f.Fix)
	}
	imports, comment, let, with, what := m[1], m[2] != "", m[3], m[4], m[5]
	if comment {
		if !strings.Contains(text, what) {
			t.Fatalf("%s: %q is not in the comment", f, what)
		}
		return project("WHERE", strings.Replace(text, what, with, 1)), true
	}
	out := maps.Clone(files)
	src := files[f.Pos.File]
	lines := strings.SplitAfter(src, "\n")
	at := len(strings.Join(lines[:f.Pos.Line-1], "")) + f.Pos.Column - 1
	from := max(0, at-len(what)) // a list begins before the word that is at fault
	i := strings.Index(src[from:], what)
	if i < 0 {
		t.Fatalf("%s: %q is not there", f, what)
	}
	src = src[:from+i] + with + src[from+i+len(what):]
	if imports != "" {
		src = strings.Replace(src, "\nimport (", "\nimport (\n\t"+imports, 1)
	}
	if let != "" {
		src = strings.Replace(src, "\ntools:", "\n"+let+"\n\ntools:", 1)
	}
	out[f.Pos.File] = src
	return out, true
}

// Doing what a finding says takes it away and brings no other.
func TestPastedFixes(t *testing.T) {
	done := 0
	for _, c := range lies() {
		if c.rule == "" {
			continue
		}
		for _, f := range check(t, c.slot, c.text) {
			after, ok := pasted(t, project(c.slot, c.text), c.slot, c.text, f)
			if !ok {
				continue
			}
			done++
			for _, left := range checkFiles(t, after) {
				t.Errorf("%s %q: after %q there is %s\nfix: %s", c.slot, c.text, f.Fix, left, left.Fix)
			}
		}
	}
	if done < 100 {
		t.Errorf("only %d fixes were pasted", done)
	}
}

// Packages in which a text has other ways to refer: shop is imported under other names, or not at all; texts are raw, stand
// apart from the parameters, or where a name means something else.
func packages(slot, text string) map[string]string {
	files := map[string]string{
		"spec/shop/shop.cue": `package shop

import (
	"github.com/toolgen-dev/toolgen/spec/toolspec"
	"example.com/shop/lib/words"
)

tools: toolspec.#Tools
enums: toolspec.#Enums

enums: state: values: {
	waiting: doc: "Not sent."
	on_its_way: doc: "Sent."
}

tools: send_order: {
	description: #"Sends \d. RAW"#
	params: {
		order_number: {type: string, doc: #"Which one: \w+. RAWDOC"#}
		how: {type: "fast" | "full", default: "fast", doc: ##"How. RAWHOW"##}
		list: {type: [...string], default: ["a"], doc: "Which."}
	}
	sections: use: {order: 110, text: ##"""
		Sending. RAWLINES
		"""##}
}

tools: apart: description: "Apart. APART"
tools: apart: params: first_one: {type: int, default: 3, doc: words.#text}
tools: apart: params: second: {type: int, default: 3, doc: "The second. \(words.#more)"}
tools: apart: params: first_one: type: >0

tools: hidden: {
	description: "Hidden."
	params: {
		enums: {type: [...string], default: ["a"], doc: "Which. HIDDEN"}
	}
}
tools: hidden: params: state: {type: enums.state.type, optional: true, doc: "Which state."}
`,
		"lib/words/words.cue": `package words

#text: "Shared. SHARED"
#more: "FAR"
`,
		"spec/desk/alias.cue": `package desk

import (
	"github.com/toolgen-dev/toolgen/spec/toolspec"
	s "example.com/shop/spec/shop"
)

tools: toolspec.#Tools

tools: desk: {
	description: "Desks, as \(s.tools.apart.name) does. ALIAS"
	params: {}
}
`,
		"spec/desk/none.cue": `package desk

import (
	"time"
)

tools: door: {
	description: "Doors. NONE"
	params: when: {type: time.Time, doc: "When."}
}
`,
		"spec/desk/taken.cue": `package desk

import (
	shop "time"
)

tools: drawer: {
	description: "Drawers. TAKEN"
	params: when: {type: shop.Time, doc: "When."}
}
`,
	}
	for name, src := range files {
		for _, s := range []string{"RAWLINES", "RAWDOC", "RAWHOW", "RAW", "APART", "HIDDEN", "SHARED", "FAR", "ALIAS", "NONE", "TAKEN"} {
			with := ""
			if s == slot {
				with = text
			}
			src = strings.Replace(src, s, with, 1)
		}
		files[name] = src
	}
	return files
}

// The reference that a fix shows is written as its place needs it.
func TestFixesElsewhere(t *testing.T) {
	for _, c := range []struct{ slot, text, fix string }{
		{"RAW", "Not `order_number`.", `write \#(params.order_number.name) for order_number`},
		{"RAW", "Not `apart`.", `write \#(tools.apart.name) for apart`},
		{"RAW", "As in \\(params.how.name).", `write \#( for \(`},
		{"RAW", "As `\\#(params.list.name)` defaults to [\"b\"].", `write ["a"] for ["b"]`},
		{"RAWDOC", "Not `how`.", `write \#(params.how.name) for how`},
		{"RAWHOW", "Defaults to `full`.", `write \##(default) for full`},
		{"RAWLINES", "See `apart`.", `write \##(tools.apart.name) for apart`},
		{"RAWLINES", "As `\\##(params.how.name)` defaults to full.", `write \##(params.how.default) for full`},
		{"RAWLINES", "One of waiting, sent or gone, or one of waiting or on_its_wa.", `write \##(enums.state.values.waiting.word) or \##(enums.state.values.on_its_way.word) for waiting or on_its_wa`},
		{"APART", "See `first_one`.", `write \(tools.apart.params.first_one.name) for first_one`},
		{"APART", "The default of `\\(tools.apart.params.first_one.name)` is 4.", `write 3 for 4`},
		{"HIDDEN", "Not with `send_order`.", "say it in a clause"},
		{"HIDDEN", "Not `state`.", `write \(params.state.name) for state`},
		{"HIDDEN", "When `waiting`.", "enums means something else there: put `let Enums = enums` at the top of the file, and write \\(Enums.state.values.waiting.word) for waiting"},
		{"FAR", "Not `first_one`.", "say it in what is interpolated here: "},
		{"ALIAS", "See `send_order`.", `write \(s.tools.send_order.name) for send_order`},
		{"ALIAS", "See order_number.", ""},
		{"ALIAS", "Give `order_number`.", `write \(s.tools.send_order.params.order_number.name) for order_number`},
		{"NONE", "See `send_order`.", `import "example.com/shop/spec/shop" in the file, and write \(shop.tools.send_order.name) for send_order`},
		{"NONE", "See `send_oder`.", `import "example.com/shop/spec/shop" in the file, and write \(shop.tools.send_order.name) for send_oder if`},
		{"SHARED", "Not `first_one`.", "package words cannot name what is in shop, which imports it: move the text to shop, and there write "},
		{"TAKEN", "See `send_order`.", `import shop_ "example.com/shop/spec/shop" in the file, and write \(shop_.tools.send_order.name) for send_order`},
	} {
		files := packages(c.slot, c.text)
		got := checkFiles(t, files)
		if c.fix == "" {
			if len(got) != 0 {
				t.Errorf("%s %q: %v", c.slot, c.text, got)
			}
			continue
		}
		if len(got) != 1 || !strings.Contains(got[0].Fix, c.fix) {
			for _, f := range got {
				t.Logf("%s\nfix: %s", f, f.Fix)
			}
			t.Errorf("%s %q: %d findings, want one with the fix %s", c.slot, c.text, len(got), c.fix)
			continue
		}
		after, ok := pasted(t, files, c.slot, c.text, got[0])
		if !ok {
			continue
		}
		for _, left := range checkFiles(t, after) {
			t.Errorf("%s %q: after %q there is %s", c.slot, c.text, got[0].Fix, left)
		}
	}
}
