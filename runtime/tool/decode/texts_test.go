package decode

import (
	"strings"
	"testing"
)

// What a problem says beside its code and pointer: the words that matter, and no others of a secret. The whole texts are on
// the page of tests/arguments.
func TestProblemTexts(t *testing.T) {
	e := engine(t, shape())
	for _, c := range []struct{ args, problem, words, not string }{
		{`{"mode":"fasst"}`, "not-in-enum@/mode", `one of "fast", "full"|string "fasst"|"fast"?`, ""},
		{`{"i":500}`, "out-of-range@/i", "integer from 1 to 100|multiple of 5|number 500", ""},
		{`{"i":"50"}`, "wrong-type@/i", `string "50"|without quotes`, ""},
		{`{"runInBackground":true}`, "unknown-key@/runInBackground", `"run_in_background"?`, ""},
		{`{"Mode":"fast"}`, "key-case@/Mode", `"mode"|case`, ""},
		{`{"gone":1}`, "param-gone@/gone", "leave it out|enableGone", ""},
		{`{"old":1}`, "param-retired@/old", `use "s"|it was renamed`, ""},
		{`{"opt":{}}`, "missing@/opt/req", "string|add it", ""},
		{`{"list":"[1]"}`, "wrong-type@/list", "array of 1 to 3 items|each: integer|got string", "[1]"},
		{`{"token":12345678}`, "wrong-type@/token", "expected string|got number|in quotes", "12345678"},
		{`{"cfg":"hunter2"}`, "wrong-type@/cfg", "expected object|got string", "hunter2"},
		{`"{\"token\":\"hunter2\"}"`, "not-object@", "expected object|got string|not a string", "hunter2"},
		{`{"n":2}`, "out-of-range@/n", "above 0 and at most 1.5|number 2", ""},
		{`{"s":"` + strings.Repeat("é", 40) + `"}`, "too-long@/s", `2 to 4 characters|"` + strings.Repeat("é", 23) + `…"`, strings.Repeat("é", 24)},
		{`{} {}`, "glued@", "byte 3|one object per call", ""},
		{`{"s":"ab"`, "truncated@", "inside an object|byte 9|whole object", ""},
		{`{"tag":{"kind":"c"}}`, "not-in-enum@/tag/kind", `one of "a", "b"|string "c"`, ""},
	} {
		saidOf(t, e, c.args, c.problem, c.words, c.not)
	}
}

// saidOf demands that a call has one problem, whose text holds all the words, which "|" separates.
func saidOf(t *testing.T, e *Engine, args, problem, words, not string) {
	t.Helper()
	r := e.Validate(args)
	text := r.String()
	if got := codes(r); got != problem || strings.Count(text, "\n") > 0 || not != "" && strings.Contains(text, not) {
		t.Errorf("%s: %s, want %s: %s", args, got, problem, text)
	}
	for w := range strings.SplitSeq(words, "|") {
		if !strings.Contains(text, w) {
			t.Errorf("%s: %s, which lacks %s", args, text, w)
		}
	}
}
