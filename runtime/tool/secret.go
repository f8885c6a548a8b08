package tool

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// leastSecret is how long a secret value must be, in bytes, to be looked for in texts: a shorter one would be found in
// words that have nothing to do with it.
const leastSecret = 4

// scrub takes the values of the call's secret parameters out of a text that the program made.
func (m *mounted) scrub(call Call, text string) string {
	_, secrets, _ := m.tolerant.Redact(string(call.Arguments))
	var words []string
	for _, raw := range secrets {
		words = appendScalars(words, raw)
	}
	slices.SortFunc(words, func(a, b string) int { return cmp.Compare(len(b), len(a)) }) // the whole before its parts
	for _, w := range words {
		if len(w) >= leastSecret {
			text = strings.ReplaceAll(text, w, "[secret]")
		}
	}
	return text
}

// appendScalars appends the strings (keys too) and numbers inside of a JSON text. Strings come as they are, as Go quotes
// them, and as the text writes them.
func appendScalars(words []string, raw string) []string {
	if strings.HasPrefix(raw, `"`) {
		words = append(words, raw[1:len(raw)-1])
	}
	dec := json.NewDecoder(strings.NewReader(raw))
	dec.UseNumber()
	for {
		token, err := dec.Token()
		if err != nil {
			return words // the end: the text was valid when it was read
		}
		switch v := token.(type) {
		case string:
			quoted := strconv.Quote(v)
			words = append(words, v, quoted[1:len(quoted)-1])
		case json.Number:
			words = append(words, v.String())
		}
	}
}
