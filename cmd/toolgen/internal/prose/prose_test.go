package prose_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/load"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/prose"
)

// spec has a slot for a text in each kind of place: CLAUSE, DOC (of the parameter mode), MESSAGE, PROMPT and COMMENT.
const spec = `package shop

import "github.com/toolgen-dev/toolgen/spec/toolspec"

tools:   toolspec.#Tools
enums:   toolspec.#Enums
notices: toolspec.#Notices

enums: order_status: {
	values: {
		open: doc:       "Not sent."
		in_transit: doc: "On its way."
		delivered: doc:  "Arrived."
	}
	retired: shipped: {use: "in_transit", why: "it said nothing of arrival"}
}

tools: find: {
	options: level: *"basic" | "expert"
	clauses: purpose: """
		Finds orders.
		CLAUSE
		"""
	params: {
		q: {type: string, doc: "What to look for."}
		limit: {type: int & >=1 & <=5000, default: 1000, doc: "How many."}
		deep: {type: bool, default: options.level == "expert", doc: "Whether to look deeper."}
		mode: {type: "fast" | "full", default: "fast", doc: "How to look. DOC"}
		tags: {type: [...string], default: [], doc: "Tags."}
		status: {type: enums.order_status.type, optional: true, doc: "A status."}
		user_name: {type: string, optional: true, doc: "A user."}
		where: {
			type: {
				// A column. COMMENT
				column?: string
			}
			optional: true
			doc:      "A condition. WHERE"
		}
	}
	sections: use: {order: 110, file: "use.md"}
	results: found: {
		fields: order_id: {type: string, doc: "The order."}
		render: "{{.order_id}} MESSAGE"
	}
	retired: {
		names: ["search_orders"]
		params: query_text: {use: "q", why: "one word is enough"}
	}
	concurrency: "safe"
}

tools: send_order: {
	description: "Sends an order."
	params: order_number: {type: string, doc: "Which one."}
	results: sent: render: "Sent."
}

tools: cancel: {
	description: "Cancels an order."
	params: now: {type: bool, default: false, doc: "Whether at once."}
}
`

var slots = []string{"CLAUSE", "DOC", "MESSAGE", "PROMPT", "COMMENT", "WHERE"}

// project has a text in one slot.
func project(slot, text string) map[string]string {
	src, prompt := spec, "Looking with {{find}}\n\nPROMPT\n"
	for _, s := range slots {
		with := ""
		if s == slot {
			with = inSlot(slot, text)
		}
		src, prompt = strings.Replace(src, s, with, 1), strings.Replace(prompt, s, with, 1)
	}
	return map[string]string{"spec/shop/shop.cue": src, "prompts/use.md": prompt}
}

// inSlot is a text as the source of a slot has it.
func inSlot(slot, text string) string {
	switch slot {
	case "CLAUSE":
		return strings.ReplaceAll(text, "\n", "\n\t\t")
	case "DOC", "MESSAGE", "WHERE":
		return strings.NewReplacer(`"`, `\"`, "\n", `\n`).Replace(text)
	}
	return text
}

// check puts a text into one slot and returns what the rules say.
func check(t *testing.T, slot, text string) diag.Findings {
	t.Helper()
	return checkFiles(t, project(slot, text))
}

// checkFiles returns what the rules say of a project that is right otherwise.
func checkFiles(t *testing.T, files map[string]string) diag.Findings {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	write(t, filepath.Join(dir, "go.mod"), "module example.com/shop\n\ngo 1.26\n")
	p, err := load.OpenProject(dir)
	if err != nil {
		t.Fatal(err)
	}
	res, err := load.Load(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range append(res.Findings, contract.Validate(res.Model)...) {
		t.Errorf("the project itself is at fault: %s", f)
	}
	return prose.Check(res.Model)
}

// place is where a piece of a text stands in the file into which check puts the text.
func place(t *testing.T, file, slot, text, piece string) (line, column int) {
	t.Helper()
	src := spec
	if slot == "PROMPT" {
		src = "Looking with {{find}}\n\nPROMPT\n"
	}
	escaped, piece := inSlot(slot, text), inSlot(slot, piece)
	before, _, ok := strings.Cut(src, slot)
	at := strings.Index(escaped, piece)
	if !ok || at < 0 {
		t.Fatalf("%q is not in %q", piece, escaped)
	}
	before += escaped[:at]
	for _, other := range slots {
		before = strings.ReplaceAll(before, other, "")
	}
	return strings.Count(before, "\n") + 1, len(before) - strings.LastIndexByte(before, '\n')
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// Each lie is found by its rule and nothing else; fix is a part of what the finding says to do.
func TestLies(t *testing.T) {
	for _, c := range lies() {
		got := check(t, c.slot, c.text)
		if c.rule == "" {
			if len(got) != 0 {
				t.Errorf("%s %q: %v", c.slot, c.text, got)
			}
			continue
		}
		if len(got) != 1 || got[0].Rule != c.rule {
			t.Errorf("%s %q: want one %s, got %v", c.slot, c.text, c.rule, got)
			continue
		}
		if c.at != "" {
			line, column := place(t, got[0].Pos.File, c.slot, c.text, c.at)
			if got[0].Pos.Line != line || column > 0 && got[0].Pos.Column != column {
				t.Errorf("%s %q: found at %s, want line %d, column %d", c.slot, c.text, got[0].Pos, line, column)
			}
		}
		if f := got[0]; !strings.Contains(f.Message+f.Fix, c.fix) {
			t.Errorf("%s %q: %s\nfix: %s\nwant %s", c.slot, c.text, f, f.Fix, c.fix)
		}
	}
}
