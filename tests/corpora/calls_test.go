package corpora

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/tool/contracts"
	"github.com/toolgen-dev/toolgen/runtime/tool/decode"
)

// TestCalls: each recorded call has the verdict that its row states, under its own tool's contract.
func TestCalls(t *testing.T) {
	for _, c := range []struct {
		name           string
		judged, unsaid int
	}{
		{"tau-bench", 1149, 0},
		{"typescript-sdk", 9, 1}, // a row says nothing of validity, and has no tool
	} {
		t.Run(c.name, func(t *testing.T) {
			judged, unsaid := checkCalls(t, rows[toolRow](t, c.name+".tools"), rows[callRow](t, c.name+".calls"))
			require.Equal(t, []int{c.judged, c.unsaid}, []int{judged, unsaid})
		})
	}
}

const calls = `
{"tool":"good","arguments":"{\"q\": \"lamp\", \"n\": 2.0}","valid":true}
{"tool":"good","arguments":{"q":"lamp","more":[1]},"valid":true}
{"tool":"good","arguments":"{\"n\":3}","valid":false}
{"tool":"good","arguments":{"q":"lamp","n":0},"valid":false}
{"tool":"good","arguments":{},"valid":null}
`

func TestCallsByHand(t *testing.T) {
	judged, unsaid := checkCalls(t, handMade[toolRow](t, tools), handMade[callRow](t, calls))
	require.Equal(t, []int{4, 1}, []int{judged, unsaid})
}

func checkCalls(t *testing.T, list []toolRow, calls []callRow) (judged, unsaid int) {
	type key struct{ name, source string }
	engines := map[key]*decode.Engine{}
	for _, row := range list {
		c, err := row.make()
		if err != nil {
			continue // TestTools counts them
		}
		repository, _, _ := strings.Cut(row.Source, ":")
		engines[key{row.Name, row.Source}] = engineOf(t, c)
		for _, path := range row.AlsoIn {
			engines[key{row.Name, repository + ":" + path}] = engines[key{row.Name, row.Source}]
		}
	}
	accepted := 0
	for _, row := range calls {
		if row.Valid == nil {
			unsaid++
			continue
		}
		engine := engines[key{row.Tool, row.ToolSource}]
		require.NotNil(t, engine, "%s has no contract", row.Tool)
		report := engine.Validate(row.text())
		if report.OK() != *row.Valid {
			t.Errorf("%s %s: the row says %v, the decoder %q", row.Tool, row.Arguments, *row.Valid, report)
		}
		if normalized, again := engine.Normalize(row.text()); report.OK() && (len(normalized) == 0 || !again.OK()) {
			t.Errorf("%s %s: no normalized arguments", row.Tool, row.Arguments)
		}
		judged++
		if report.OK() {
			accepted++
		}
	}
	t.Logf("%d calls judged as their rows say, %d accepted; %d rows say nothing", judged, accepted, unsaid)
	return judged, unsaid
}

// TestInvalidCalls: each call that breaks its schema, or is no JSON, is refused for the reason that its row states.
func TestInvalidCalls(t *testing.T) {
	checkInvalid(t, rows[callRow](t, "invalid-calls"), 130)
}

const invalid = `
{"tool":"a","arguments":{"n":null},"why":"type @n: None is not of type 'number'","parameters":{"type":"dict","properties":{"n":{"type":"float","default":null}}}}
{"tool":"a","arguments":{"o":{"n":["x"]}},"why":"type @o/n: ['x'] is not of type 'string'","parameters":{"type":"dict","properties":{"o":{"type":"dict","properties":{"n":{"type":"String"}}}}}}
{"tool":"a","arguments":{"m":"c"},"why":"enum,required @m: 'c' is not one of ['a', 'b']","parameters":{"type":"object","properties":{"m":{"type":"string","enum":["a","b"]}},"required":["q"]}}
{"tool":"a","arguments":{},"why":"required @: 'q' is a required property","parameters":{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]}}
{"tool":"a","arguments":"{\"x\":1}","why":"additionalProperties @: Additional properties are not allowed ('x' was unexpected)","parameters":{"type":"object","properties":{},"additionalProperties":false}}
{"tool":"a","arguments":{"c":"x"},"why":"anyOf @c: 'x' is not valid under any of the given schemas","parameters":{"type":"object","properties":{"c":{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"integer"}]}}}}
{"tool":"a","arguments":{"s":2},"why":"enum @s: 2 is not one of ['1', '2']","parameters":{"type":"object","properties":{"s":{"type":"integer","enum":["1","2"]}}}}
{"tool":"a","arguments":{"parameters":{"x":1}},"why":"additionalProperties @: Additional properties are not allowed ('parameters' was unexpected)","parameters":{"type":"object","properties":{"x":{"type":"integer"}},"additionalProperties":false}}
{"tool":"a","arguments":"","why":"not JSON: Expecting value: line 1 column 1 (char 0)","parameters":null}
{"tool":"a","arguments":"SELECT 1","why":"not JSON: Expecting value: line 1 column 1 (char 0)","parameters":null}
`

func TestInvalidCallsByHand(t *testing.T) { checkInvalid(t, handMade[callRow](t, invalid), 10) }

func checkInvalid(t *testing.T, calls []callRow, want int) {
	require.Len(t, calls, want)
	byCode := map[decode.Code]int{}
	for _, row := range calls {
		codes, pointer := reason(t, row)
		var ignored []*contracts.Unsupported
		def := toolRow{Name: row.Tool, Parameters: translated(t, row.Parameters)}
		c, err := def.make(contracts.IgnoreUnsupported(&ignored))
		require.NoError(t, err, row.Tool)
		if contradicts(ignored, pointer) {
			// No value at all can fit there: whoever makes the contract is told, by an error.
			byCode["(no value can fit)"]++
			continue
		}
		report := engineOf(t, c).Validate(row.text())
		at := slices.IndexFunc(report.Problems, func(p decode.Problem) bool { return p.Pointer == pointer && slices.Contains(codes, p.Code) })
		if at < 0 {
			t.Errorf("%s %s\nrow: %s\nwant %s %s, got %q", row.Tool, row.Arguments, row.Why, codes, pointer, report)
			continue
		}
		byCode[report.Problems[at].Code]++
	}
	t.Logf("%d calls refused for the reason that their rows state: %v", len(calls), byCode)
}

// contradicts tells whether a schema has an enumeration at a place of which no value is of its type.
func contradicts(ignored []*contracts.Unsupported, pointer string) bool {
	at := strings.ReplaceAll(pointer, "/", "/properties/") + "/type"
	for _, u := range ignored {
		if u.Pointer == at && u.Why == "no value of its enumeration is of this type" {
			return true
		}
	}
	return false
}

var (
	place = regexp.MustCompile(`^[A-Za-z,]+ @([^:]*): `)
	named = regexp.MustCompile(`'([^']*)' (is a required property|was unexpected)`)
)

// reason is a row's reason as codes of a problem, one of which must be there, and its pointer. Rows name their first
// problem, by the words of Python's jsonschema.
func reason(t *testing.T, row callRow) (codes []decode.Code, pointer string) {
	t.Helper()
	if strings.HasPrefix(row.Why, "not JSON") {
		return []decode.Code{decode.Empty, decode.NotJSON, decode.Truncated, decode.Glued, decode.Trailing}, ""
	}
	m := place.FindStringSubmatch(row.Why)
	require.NotNil(t, m, row.Why)
	if m[1] != "" {
		pointer = "/" + m[1]
	}
	switch {
	case strings.Contains(row.Why, "is not of type"):
		return []decode.Code{decode.WrongType}, pointer
	case strings.Contains(row.Why, "is not one of"):
		return []decode.Code{decode.NotInEnum}, pointer
	case strings.Contains(row.Why, "is not valid under any"):
		return []decode.Code{decode.NoCase, decode.WrongType}, pointer // the latter where null is the only other case
	}
	n := named.FindStringSubmatch(row.Why)
	require.NotNil(t, n, row.Why)
	if n[2] == "was unexpected" {
		return []decode.Code{decode.UnknownKey, decode.Envelope}, pointer + "/" + n[1]
	}
	return []decode.Code{decode.Missing}, pointer + "/" + n[1]
}
