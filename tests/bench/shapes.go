package main

import "fmt"

// shape is a tool's parameters, with arguments to read. The shapes and texts are those of facts that others can compare
// with; changing them makes every older figure useless.
type shape struct {
	name    string
	schema  string
	valid   string
	invalid string // one fault
	two     string // two faults
}

var six = shape{
	name: "six",
	schema: `{"type":"object","properties":{"query":{"type":"string","minLength":1},"mode":{"type":"string","enum":["fast","thorough","exact"]},` +
		`"limit":{"type":"integer","minimum":1,"maximum":100,"default":10},"include_archived":{"type":"boolean","default":false},` +
		`"tags":{"type":"array","items":{"type":"string"}},"filter":{"type":"object","properties":{"field":{"type":"string","minLength":1},` +
		`"max":{"type":"integer","minimum":0}},"required":["field"],"additionalProperties":false}},"required":["query"],"additionalProperties":false}`,
	valid:   sixWith("thorough", 25),
	invalid: sixWith("thorough", 500),
	two:     `{"query":"","limit":"many"}`,
}

func sixWith(mode string, limit int) string {
	return fmt.Sprintf(`{"query":"quarterly revenue report","mode":"%s","limit":%d,"tags":["finance","2026","draft"],"filter":{"field":"owner","max":3}}`, mode, limit)
}

var tiny = shape{
	name: "tiny",
	schema: `{"type":"object","properties":{"city":{"type":"string","minLength":1},"unit":{"type":"string","minLength":1}},` +
		`"required":["city","unit"],"additionalProperties":false}`,
	valid:   `{"city":"San Francisco","unit":"celsius"}`,
	invalid: `{"city":"San Francisco","unit":""}`,
	two:     `{"city":"","unit":""}`,
}

var shapes = []shape{six, tiny}
