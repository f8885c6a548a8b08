package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/toolgen-dev/toolgen/runtime/tool/jsonscan"
)

// UniqueIDs gives each call of a message an id of its own: the first that has one keeps it, and a call whose id is empty,
// stands before it, or is taken gets another one. It is deterministic, and changes nothing of calls whose ids are unique:
// [Dispatcher.Dispatch] gives the same ones. taken reports the ids of earlier messages; it may be nil. Where nothing is to
// be changed, the result is the argument itself, else a copy.
func UniqueIDs(calls []Call, taken func(id string) bool) []Call {
	free := func(id string, before []Call) bool {
		return strings.TrimSpace(id) != "" && (taken == nil || !taken(id)) &&
			!slices.ContainsFunc(before, func(c Call) bool { return c.ID == id })
	}
	const few = 16
	if len(calls) <= few {
		unique := true
		for i, c := range calls {
			unique = unique && free(c.ID, calls[:i])
		}
		if unique {
			return calls
		}
	}
	used := make(map[string]bool, len(calls))
	var again []int
	for i, c := range calls {
		if used[c.ID] || !free(c.ID, nil) {
			again = append(again, i)
			continue
		}
		used[c.ID] = true
	}
	if again == nil {
		return calls
	}
	calls = slices.Clone(calls)
	next := map[string]int{}
	for _, i := range again {
		base := strings.TrimSpace(calls[i].ID)
		if base == "" {
			base = "call"
		}
		for {
			next[base]++
			id := base + "_" + strconv.Itoa(next[base])
			if !used[id] && free(id, nil) {
				used[id], calls[i].ID = true, id
				break
			}
		}
	}
	return calls
}

// HistoryCall returns what to store of a call in the conversation, beside its result, so that every later turn is valid:
// the result's id and name, and as arguments one JSON object. That is what the model wrote where it is one, refused or not;
// the effective arguments where they were repaired into one; else what [HistoryArguments] makes.
func HistoryCall(call Call, res CallResult) Call {
	call.ID, call.Name = res.ID, legalise(res.Name)
	if res.stored != nil {
		call.Arguments = res.stored
	} else {
		call.Arguments = HistoryArguments(call.Arguments)
	}
	return call
}

// InvalidArguments is the key under which [HistoryArguments] keeps what is no object.
const InvalidArguments = "invalid_arguments"

// HistoryArguments returns one JSON object for any arguments: themselves where they are one, {} where there are none, and
// else an object that holds their text under [InvalidArguments]. In that text bytes that are not UTF-8, and NUL, become
// U+FFFD.
func HistoryArguments(arguments json.RawMessage) json.RawMessage {
	if isObject(arguments) {
		return arguments
	}
	text := string(arguments)
	if t := strings.TrimSpace(text); t == "" || t == "null" {
		return json.RawMessage("{}")
	}
	var b bytes.Buffer
	b.WriteString(`{"` + InvalidArguments + `":`)
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(strings.ReplaceAll(text, "\x00", "\uFFFD")) // a string always can be written, and a buffer takes it
	b.Truncate(b.Len() - 1)                                    // the line's end
	b.WriteByte('}')
	return b.Bytes()
}

// isObject reports whether a text is one JSON object that every parser takes: without duplicate keys, bad Unicode and
// numbers that only a few can hold.
func isObject(text json.RawMessage) bool {
	s := string(text)
	if !strings.HasPrefix(strings.TrimLeft(s, " \t\r\n"), "{") || jsonscan.Check(s) != nil {
		return false
	}
	for dec := json.NewDecoder(bytes.NewReader(text)); ; {
		if _, err := dec.Token(); err != nil {
			return errors.Is(err, io.EOF) // else a number beyond float64
		}
	}
}
