package prose_test

import "testing"

// Texts that tempt a checker and are true, or are prose: none gives a finding, in any kind of place.
func TestTruths(t *testing.T) {
	anywhere := []string{
		// Plain prose with words of enums, retired words, names and the word default.
		"Walks the complete tree.",
		"A ready-made answer is fine.",
		"It may stay idle for long.",
		"Open orders come first; delivered and open ones are shown.",
		"The order was shipped long ago.",
		"A shipped order is not an open one.",
		"Cancel early, find often.",
		"The limit of the account, the mode of travel, the status of a star.",
		"By default, all of them are shown.",
		"By default: whatever is there.",
		"Uses the default.",
		"There is no default.",
		"It does not default to anything.",
		"It no longer defaults to 5.",
		"Sane defaults to begin with.",
		"Falls back to the default branch of the repository.",
		"Git defaults to the main branch of the repository.",
		"Defaults to the current directory of the caller.",
		"Defaults to whatever the account says.",
		"A default to be proud of.",
		"One of the following happens.",
		"One of them, or none.",
		"One of red, green or blue.",
		"No one of open mind, or any, would say so.",
		"Either this or that.",
		// Code that is no name here.
		"Run `ls -la | grep open` first.",
		"Run `git status` or `git log --oneline`.",
		"Like `cat file | wc -l`.",
		"Set `PATH` and `LIMIT`.",
		"Set `GITHUB_TOKEN`, `USER_NAME` and `MODE`.",
		"As in `SELECT user_name FROM users`.",
		"As in `./cancel --now`.",
		"Matches `*.go`, `a/b.txt`, `$HOME`, `~/x`.",
		"Is `true`, `false`, `null` or `42`.",
		"The type `Query`, the method `Find`, the class `Limiter`.",
		"A `path`, a `column`, a `list`.",
		"Read `README.md`, `go.mod`.",
		"Use `--limit` on the command line.",
		"An `` ` `` is a backquote.",
		"Two `` and nothing.",
		"A lone ` is no span.",
		"Escaped \\u0060 things.",
		"The file send_order.go, the path src/send_order/main, the host send_order@example.com.",
		"As in `GET /orders?limit=5&mode=full`.",
		"Like `cat full | less`, `echo fast | tr a-z A-Z`.",
		// URLs.
		"See https://example.com/send_order?mode=full&default=full for more.",
		"See <https://example.com/shipped|open>, [docs](https://example.com/cancel).",
		// Lists and tables that close nothing.
		"Yes | no | maybe.",
		"true | false",
		"All: open | in_transit | delivered.",
		"One of open, in_transit or delivered.",
		// Chinese, quotes, other scripts.
		"列出订单；默认情况下显示全部。",
		"状态可以是已发货或未发货。",
		"« Ouvert » est un mot.",
		"He said \"the complete tree\" and 'ready-made'.",
		"He said “shipped and gone”, it's the users' choice.",
		"Don't, can't, won't; the '90s.",
		"Ünïcödé find_ünïcode.",
		"Emoji ❤️ and 1️⃣ and 🇩🇪.",
		// JSON and numbers.
		"As in {\"open\": 1, \"default\": 2}.",
		"As in [1, 2] or {}.",
		"Between 1 and 10 (5 by default of the service).",
		"[x] done, [ ] open, [1], [link](shipped).",
	}
	for _, slot := range []string{"CLAUSE", "DOC", "MESSAGE", "PROMPT", "COMMENT"} {
		for _, text := range anywhere {
			if (slot == "CLAUSE" || slot == "DOC" || slot == "MESSAGE") && text == "Escaped \\u0060 things." {
				continue // an escape in a CUE string
			}
			for _, f := range check(t, slot, text) {
				t.Errorf("%s %q: %s", slot, text, f)
			}
		}
	}
	for _, c := range []struct{ slot, text string }{
		// References.
		{"CLAUSE", "Then `\\(tools.send_order.name)` and `\\(tools.cancel.name)`; `\\(params.limit.name)`, \\(params.user_name.name)."},
		{"CLAUSE", "`\\(tools.send_order.name)(\\(tools.send_order.params.order_number.name)=1)`"},
		{"CLAUSE", "One of `\\(enums.order_status.values.open.word)`, `\\(enums.order_status.values.in_transit.word)` or `\\(enums.order_status.values.delivered.word)`."},
		{"CLAUSE", "`\\(enums.order_status.values.open.word)` | `\\(enums.order_status.values.in_transit.word)` | `\\(enums.order_status.values.delivered.word)`"},
		{"PROMPT", "{{send_order}} `{{cancel}}` `{{find.limit}}` {{find.limit.default}} `{{order_status.open}}`"},
		// True claims, in every form of the value.
		{"DOC", "Defaults to fast."},
		{"DOC", "Defaults to \\(default)."},
		{"DOC", "Defaults to `\\(default)`, which is quick."},
		{"DOC", "Default: fast"},
		{"DOC", "`fast` (default) or `full`."},
		{"DOC", "fast (default) | full"},
		{"DOC", "One of fast (the default) or full."},
		{"DOC", "With `\\(params.limit.name)`; defaults to fast."},
		{"CLAUSE", "`\\(params.limit.name)` defaults to \\(params.limit.default)."},
		{"CLAUSE", "`\\(params.limit.name)` defaults to 1000, or 1,000, say."},
		{"CLAUSE", "`\\(params.limit.name)` (default 1000) bounds them."},
		{"CLAUSE", "`\\(params.tags.name)` defaults to []."},
		{"CLAUSE", "`\\(params.tags.name)` defaults to nothing."},
		{"CLAUSE", "`\\(params.deep.name)` defaults to \\(params.deep.default)."},
		{"CLAUSE", "`\\(params.user_name.name)` defaults to none."},
		{"CLAUSE", "`\\(params.limit.name)` defaults to 1e3."},
		{"DOC", "Defaults to **fast**, **Default:** *fast*."},
		{"CLAUSE", "`\\(params.limit.name)` defaults to **1000**."},
		{"CLAUSE", "`\\(params.limit.name)` defaults to \\(params.limit.default)条。"},
		{"CLAUSE", "`\\(params.limit.name)` defaults to 1000、"},
		// Lists that pick some.
		{"CLAUSE", "If it is not one of `\\(enums.order_status.values.open.word)` or `\\(enums.order_status.values.in_transit.word)`, stop."},
		{"CLAUSE", "An order whose status is one of open or in_transit can be cancelled."},
		{"CLAUSE", "It is one of open, in_transit or delivered, and stays so."},
		{"PROMPT", "`{{find.limit}}` defaults to {{find.limit.default}}, `{{find.mode}}` to fast."},
		{"PROMPT", "`{{find.deep}}` defaults to {{find.deep.default}}."},
		// Values of the tool's own that have no reference.
		{"CLAUSE", "`fast` is quick, `full` is not; `basic` is an option, `column` a property, `order_id` a result's field."},
		{"DOC", "`fast` is quick, `full` is not."},
		// Fences.
		{"CLAUSE", "As in\n```sh\nsend_order | open `cancel` defaults to 5\n```\nand so on."},
		{"PROMPT", "~~~~\n`send_order`\n~~~\n[shipped] default: 3\n~~~~\n"},
		{"PROMPT", "| a | open |\n|---|---|\n| b | delivered |"},
		{"CLAUSE", "- open: not sent\n- delivered: arrived\n"},
	} {
		for _, f := range check(t, c.slot, c.text) {
			t.Errorf("%s %q: %s", c.slot, c.text, f)
		}
	}
}
