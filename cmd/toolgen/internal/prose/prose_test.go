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
			doc:      "A condition."
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

// check puts a text into one slot and returns what the rules say.
func check(t *testing.T, slot, text string) diag.Findings {
	t.Helper()
	dir := t.TempDir()
	src, prompt := spec, "Looking with {{find}}\n\nPROMPT\n"
	for _, s := range []string{"CLAUSE", "DOC", "MESSAGE", "PROMPT", "COMMENT"} {
		with := ""
		if s == slot {
			with = text
		}
		if s == "CLAUSE" {
			with = strings.ReplaceAll(with, "\n", "\n\t\t")
		}
		if s == "DOC" || s == "MESSAGE" {
			with = strings.NewReplacer(`"`, `\"`, "\n", `\n`).Replace(with)
		}
		src, prompt = strings.Replace(src, s, with, 1), strings.Replace(prompt, s, with, 1)
	}
	write(t, filepath.Join(dir, "spec", "shop", "shop.cue"), src)
	write(t, filepath.Join(dir, "prompts", "use.md"), prompt)
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
		t.Errorf("the test's own project is at fault with %q: %s", text, f)
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
	escaped := text
	if slot == "DOC" || slot == "MESSAGE" {
		escape := strings.NewReplacer(`"`, `\"`, "\n", `\n`)
		escaped, piece = escape.Replace(text), escape.Replace(piece)
	}
	if slot == "CLAUSE" {
		escaped, piece = strings.ReplaceAll(text, "\n", "\n\t\t"), strings.ReplaceAll(piece, "\n", "\n\t\t") // as check indents it
	}
	before, _, ok := strings.Cut(src, slot)
	at := strings.Index(escaped, piece)
	if !ok || at < 0 {
		t.Fatalf("%q is not in %q", piece, escaped)
	}
	before += escaped[:at]
	for _, other := range []string{"CLAUSE", "DOC", "MESSAGE", "PROMPT", "COMMENT"} {
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
	const (
		literal, near, retired, claim, closed, hidden = "name-literal", "name-near", "retired-word", "default-claim", "closed-list", "hidden-unicode"
	)
	for _, c := range []struct{ slot, text, rule, at, fix string }{
		// Names by hand.
		{"CLAUSE", "Use `send_order` then.", literal, "send_order", `\(tools.send_order.name)`},
		{"CLAUSE", "Use send_order then.", literal, "send_order", `\(tools.send_order.name)`},
		{"CLAUSE", "Use `send_order()` then.", literal, "send_order", `\(tools.send_order.name)`},
		{"CLAUSE", "Use `send_order(order_number)` then.", literal, "send_order", `\(tools.send_order.name)`},
		{"CLAUSE", "Use `cancel` then.", literal, "cancel", `\(tools.cancel.name)`},
		{"CLAUSE", "See `q`.", literal, "q`", `\(params.q.name)`},
		{"CLAUSE", "See user_name.", literal, "user_name", `\(params.user_name.name)`},
		{"CLAUSE", "Say `limit: 5` for few.", literal, "limit", `\(params.limit.name)`},
		{"CLAUSE", "Say `limit=5` for few.", literal, "limit", `\(params.limit.name)`},
		{"CLAUSE", "Say `{\"limit\": 5}` for few.", literal, "limit", `\(params.limit.name)`},
		{"CLAUSE", "Needs an `order_number`.", literal, "order_number", `\(tools.send_order.params.order_number.name)`},
		{"CLAUSE", "Shows `in_transit` ones.", literal, "in_transit", `\(enums.order_status.values.in_transit.word)`},
		{"CLAUSE", "Shows ``open`` ones.", literal, "open", `\(enums.order_status.values.open.word)`},
		{"DOC", "Not with `deep`.", literal, "deep", `\(params.deep.name)`},
		{"DOC", "`mode` is this one.", literal, "mode", `\(params.mode.name)`},
		{"DOC", "Not with `cancel`.", literal, "cancel", "a clause of the description"},
		{"DOC", "Shows `open` ones.", literal, "open", `\(enums.order_status.values.open.word)`},
		{"PROMPT", "Use `send_order` then.", literal, "send_order", "{{send_order}}"},
		{"PROMPT", "See `limit`.", literal, "limit", "{{find.limit}}"},
		{"PROMPT", "Shows `delivered` ones.", literal, "delivered", "{{order_status.delivered}}"},
		{"MESSAGE", "Use `send_order` then.", "result-tool", "send_order", "clause"},
		{"MESSAGE", "Is `delivered`.", literal, "delivered", `\(enums.order_status.values.delivered.word)`},
		{"COMMENT", "As in `\\(params.q.name)`.", "text-reference", `\(params`, "the parameter's own doc"},
		{"COMMENT", "Defaults to \\(default).", "text-reference", `\(default`, "the parameter's own doc"},
		{"DOC", "As in `\\\\(params.q.name)`.", "text-reference", `\\(params`, `write \( for \\(`},
		{"COMMENT", "As in `user_name`.", literal, "user_name", `\(params.user_name.name)`},

		// Nearly names.
		{"CLAUSE", "Use `send_oder` then.", near, "send_oder", `\(tools.send_order.name)`},
		{"CLAUSE", "Use `sendOrder` then.", near, "sendOrder", `\(tools.send_order.name)`},
		{"CLAUSE", "Use `send-order` then.", near, "send-order", `\(tools.send_order.name)`},
		{"CLAUSE", "See `limt`.", "", "", ""}, // too short to be sure
		{"CLAUSE", "See `limits`.", near, "limits", `\(params.limit.name)`},
		{"CLAUSE", "See `liimt`.", near, "liimt", `\(params.limit.name)`},
		{"CLAUSE", "See `deliverd`.", near, "deliverd", `\(enums.order_status.values.delivered.word)`},
		{"PROMPT", "See `user-name`.", near, "user-name", "{{find.user_name}}"},

		// Retired.
		{"CLAUSE", "Shows `shipped` ones.", retired, "shipped", `\(enums.order_status.values.in_transit.word)`},
		{"CLAUSE", "Shows [shipped] ones.", retired, "shipped", `\(enums.order_status.values.in_transit.word)`},
		{"CLAUSE", `Shows "shipped" ones.`, retired, "shipped", `\(enums.order_status.values.in_transit.word)`},
		{"CLAUSE", "Shows “shipped” ones.", retired, "shipped", `\(enums.order_status.values.in_transit.word)`},
		{"CLAUSE", "Give `query_text`.", retired, "query_text", `\(params.q.name)`},
		{"CLAUSE", "Give query_text.", retired, "query_text", `\(params.q.name)`},
		{"CLAUSE", "Call `\\(tools.find.name)(query_text=1)`.", retired, "query_text", `\(params.q.name)`},
		{"CLAUSE", "Give `{\"query_text\": 1}`.", retired, "query_text", `\(params.q.name)`},
		{"CLAUSE", "Call `search_orders(1)`.", retired, "search_orders", `\(tools.find.name)`},
		{"CLAUSE", "Use `search_orders`.", retired, "search_orders", `\(tools.find.name)`},
		{"PROMPT", "Use search_orders.", retired, "search_orders", "{{find}}"},
		{"PROMPT", "Shows 'shipped' ones.", retired, "shipped", "{{order_status.in_transit}}"},
		{"MESSAGE", "[shipped]", retired, "shipped", `\(enums.order_status.values.in_transit.word)`},

		// Claims.
		{"DOC", "Defaults to full.", claim, "Defaults", `\(default)`},
		{"DOC", "Defaults to `full`.", claim, "Defaults", "write \\(default) for full"},
		{"DOC", "Defaults to 'full' when absent.", claim, "Defaults", "write \\(default) for full"},
		{"DOC", "The default is \"full\".", claim, "default is", `\(default)`},
		{"DOC", "Default: full.", claim, "Default", `\(default)`},
		{"DOC", "Either fast or full (default).", claim, "full", `\(default)`},
		{"DOC", "Either fast or `full` (the default).", claim, "`full`", `\(default)`},
		{"DOC", "A word (default \"full\").", claim, "default", `\(default)`},
		{"CLAUSE", "`\\(params.limit.name)` defaults to 100.", claim, "defaults", `\(params.limit.default)`},
		{"CLAUSE", "`\\(params.limit.name)` defaults to 1,001 of them.", claim, "defaults", `\(params.limit.default)`},
		{"CLAUSE", "`\\(params.deep.name)` defaults to true.", claim, "defaults", `\(params.deep.default)`}, // not in each variant
		{"CLAUSE", "`\\(params.q.name)` defaults to \"all\".", claim, "defaults", "give the parameter that default"},
		{"CLAUSE", "`\\(params.tags.name)` defaults to [\"a\"].", claim, "defaults", "[]"},
		{"CLAUSE", "It defaults to 10.", claim, "defaults", `\(params.q.name)`},
		{"CLAUSE", "`\\(tools.cancel.params.now.name)` defaults to false.", claim, "defaults", "without its default"},
		{"CLAUSE", "`\\(params.limit.name)` is a number. It defaults to 1000.", claim, "defaults", `\(params.q.name)`},
		{"PROMPT", "`{{find.limit}}` defaults to 10.", claim, "defaults", "{{find.limit.default}}"},
		{"PROMPT", "`{{find.deep}}` defaults to false.", claim, "defaults", "{{find.deep.default}}"},
		{"MESSAGE", "It defaults to 10.", claim, "defaults", "refer to the parameter"},
		{"COMMENT", "Defaults to 10.", claim, "Defaults", "give the parameter that default"},
		{"PROMPT", "`{{find.limit}}` defaults\nto 10.", claim, "defaults", "{{find.limit.default}} for 10"},
		{"CLAUSE", "`\\(params.limit.name)` defaults to: 10.", claim, "defaults", `\(params.limit.default)`},
		{"CLAUSE", "`\\(params.limit.name)` (int, default 10).", claim, "default", `\(params.limit.default)`},
		{"DOC", "A word [default \"full\"].", claim, "default", `\(default) for full`},
		{"DOC", "**Default:** full.", claim, "Default", `\(default)`},
		{"DOC", "**Default**: *full*.", claim, "Default", `\(default)`},
		{"DOC", "Whether or not\nDefault: full", claim, "Default", `\(default)`},
		{"CLAUSE", "`\\(params.limit.name)` 的 default：10。", claim, "default", `\(params.limit.default)`},

		// Closed lists.
		{"CLAUSE", "One\nof open or delivered.", closed, "open", `\(enums.order_status.values.in_transit.word)`},
		{"CLAUSE", "When set, one of open or\ndelivered, then.", closed, "open", "lacks in_transit"},
		{"CLAUSE", "One of open,\ndelivered\nand\nshipped.", closed, "shipped", "it said nothing"},
		{"CLAUSE", "Status: open | in_transit.", closed, "open", `\(enums.order_status.values.delivered.word)`},
		{"CLAUSE", "Status: open|delivered|gone.", closed, "gone", `\(enums.order_status.values.in_transit.word)`},
		{"CLAUSE", "One of open, shipped or delivered.", closed, "shipped", "it said nothing"},
		{"CLAUSE", "It is one of open, in_transit.", closed, "open", `\(enums.order_status.values.delivered.word)`},
		{"DOC", "fast | fulll", closed, "fulll", "fast | full"},
		{"DOC", "One of `fast`, `full` or `slow`.", closed, "slow", "fast | full"},
		{"PROMPT", "It is `open | delivered`.", closed, "open", "{{order_status.in_transit}}"},
		{"MESSAGE", "[open | delivered]", closed, "open", `\(enums.order_status.values.in_transit.word)`},

		// Hidden characters.
		{"DOC", `A\u202eB`, hidden, "", "delete"},
		{"MESSAGE", `A\u200bB`, hidden, "", "delete"},
	} {
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
