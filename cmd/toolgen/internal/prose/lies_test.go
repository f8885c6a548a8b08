package prose_test

// lie is a text that does not hold, the slot in which it stands, the rule that finds it, where, and a part of the message or
// the fix. Without a rule it is one that is not found.
type lie struct{ slot, text, rule, at, fix string }

const (
	literal, near, retired, claim, closed, hidden = "name-literal", "name-near", "retired-word", "default-claim", "closed-list", "hidden-unicode"
)

func lies() []lie {
	return []lie{
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
		{"DOC", "One of `fast`, `full` or `slow`.", closed, "slow", "write `fast` or `full` for `fast`, `full` or `slow`"},
		{"PROMPT", "It is `open | delivered`.", closed, "open", "{{order_status.in_transit}}"},
		{"MESSAGE", "[open | delivered]", closed, "open", `\(enums.order_status.values.in_transit.word)`},

		// Hidden characters.
		{"DOC", `A\u202eB`, hidden, "", "delete"},
		{"MESSAGE", `A\u200bB`, hidden, "", "delete"},
	}
}
