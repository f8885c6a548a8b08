package decode

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/toolgen-dev/toolgen/runtime/tool/jsonscan"
	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// malformed stops reading for good and notes the scanner's error.
func (d *Decoder) malformed() {
	d.halt = true
	if d.quiet > 0 || len(d.ledger.stop) > 0 {
		return // who tries values finds the error when no trial is under way
	}
	d.stopAt(d.scan.Err())
}

// stopAt notes why reading stopped, in place of what was noted before.
func (d *Decoder) stopAt(e jsonscan.Error) {
	p := Problem{Code: NotJSON, Expected: "one JSON object"}
	switch e.Code {
	case jsonscan.Empty:
		p.Code, p.Got, p.Hint = Empty, "no text", `send an object; {} when there is nothing to say`
	case jsonscan.Truncated:
		p.Code, p.Got, p.Hint = Truncated, "a text that ends inside "+e.In, "send the whole object again"
	case jsonscan.Glued:
		p.Code, p.Got, p.Hint = Glued, "a second value after the first", "send one object per call"
	case jsonscan.TrailingText:
		p.Code, p.Got, p.Hint = Trailing, "text after the value", "send the object alone"
	case jsonscan.BadUTF8:
		p.Code, p.Got, p.Hint = BadUnicode, "bytes in a string that are not UTF-8", "write the character itself"
	case jsonscan.LoneSurrogate:
		p.Code, p.Got, p.Hint = BadUnicode, "half of a surrogate pair", "write the character itself, or the whole pair"
	case jsonscan.ControlChar:
		p.Code, p.Got, p.Hint = ControlChar, "a raw control character in a string", `escape it, such as \n for a line break`
	case jsonscan.TooDeep:
		p.Code, p.Got, p.Hint = TooDeep, "values nested more than "+strconv.Itoa(jsonscan.MaxDepth)+" deep", "nest less"
	case jsonscan.TooLarge:
		p.Code, p.Expected, p.Hint = TooLarge, "at most "+strconv.Itoa(e.Offset)+" bytes", "send less"
	case jsonscan.TrailingComma:
		p.Got, p.Hint = "a comma before the end of "+e.In, "remove the comma"
	case jsonscan.BadEscape:
		p.Got, p.Hint = "an escape that JSON does not have", `write a backslash as \\`
	case jsonscan.BadNumber:
		p.Got, p.Hint = "a number that JSON writes differently", "begin with a digit, without needless zeros, and end with one"
	case jsonscan.NotFinite:
		p.Got, p.Hint = "NaN or Infinity, which JSON does not have", "send a finite number, or leave it out where it may be absent"
	default:
		p.Got, p.Hint = "a character that does not belong there", syntaxHint(e, d.scan.Src)
		if e.In != "" {
			p.Got += ", in " + e.In
		}
	}
	if p.Code != TooLarge && p.Code != Empty {
		p.Got += " (byte " + strconv.Itoa(e.Offset) + ")"
	}
	d.ledger.count += 1 - len(d.ledger.stop)
	d.ledger.mendable = d.ledger.mendable || p.Code.mendable()
	d.ledger.stop = append(d.ledger.stop[:0], p)
}

// syntaxHint says what to write in place of a character that models are known to send instead of JSON.
func syntaxHint(e jsonscan.Error, text string) string {
	if e.Offset >= len(text) {
		return "send valid JSON"
	}
	before := strings.TrimSpace(text[max(0, e.Offset-16):e.Offset]) == ""
	switch rest := text[e.Offset:]; {
	case before && (strings.HasPrefix(rest, "```") || strings.HasPrefix(rest, "~~~")):
		return "send the object alone, without a code fence"
	case before && rest[0] == '<':
		return "send the object alone, without markup around it"
	case strings.HasPrefix(rest, "'"), strings.HasPrefix(rest, "\u201c"), strings.HasPrefix(rest, "\u201d"):
		return "write strings and keys in double quotes"
	case strings.HasPrefix(rest, "True"), strings.HasPrefix(rest, "False"):
		return "write true or false"
	case strings.HasPrefix(rest, "None"), strings.HasPrefix(rest, "undefined"):
		return "write null, or leave the key out"
	case strings.HasPrefix(rest, "//"), strings.HasPrefix(rest, "/*"), rest[0] == '#':
		return "JSON has no comments: remove it"
	case before && rest[0] != '{' && strings.Contains(text, "{"):
		return "send the object alone, without text before it"
	case e.In == "an object" && isLetter(rest[0]):
		return "write keys in double quotes"
	}
	return "send valid JSON"
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }

// mismatch skips a value of the wrong type and notes that.
func (d *Decoder) mismatch(n *schema.Node, code Code) {
	d.space()
	start := d.scan.Pos
	if d.halt || !d.skipRaw() {
		return
	}
	if len(d.path) == 0 && n.Kind == schema.Object {
		code = NotObject
	}
	if !d.takes(code, len(d.path)) {
		return
	}
	text := d.came(start)
	p := Problem{Code: code, Pointer: d.pointer(len(d.path)), Expected: n.Describe(), Got: d.preview(n, text), Hint: typeHint(n, text)}
	if code == NotObject && (p.Hint == "" || p.Hint == nullHint) {
		p.Hint = "send an object; {} when there is nothing to say"
	}
	d.note(p, len(d.path))
}

// came returns the text of the value that starts at an offset and was just read: as the model wrote it.
func (d *Decoder) came(start int) string {
	if d.origin != nil {
		if text, ok := d.origin.find(start, markValue); ok {
			return text
		}
	}
	return d.scan.Src[start:d.scan.Pos]
}

// fault notes why the value that starts at start and was just read does not fit.
func (d *Decoder) fault(n *schema.Node, f schema.Fault, start int) {
	code := codeOf(f)
	if !d.takes(code, len(d.path)) {
		return
	}
	text := d.came(start)
	p := Problem{Code: code, Pointer: d.pointer(len(d.path)), Expected: n.Describe(), Got: d.preview(n, text)}
	switch {
	case f == schema.NotInEnum && n.Kind == schema.String && d.secret == 0:
		d.adviseWord(&p, n, stringOf(text))
	case f == schema.OutOfRange && n.Kind == schema.Int && p.Expected == "integer":
		p.Expected = "integer of 64 bits"
	case f == schema.OutOfRange && n.Kind == schema.Number && p.Expected == "number":
		p.Expected = "number that a float64 can hold"
	case f == schema.BadFormat && n.Format == schema.DateTime && n.Format.Match(stringOf(text)+"Z"):
		p.Hint = "add the offset, such as Z or +01:00"
	case f == schema.NotUnique:
		p.Hint = "give each item once"
	}
	d.note(p, len(d.path))
}

// note keeps a problem of the value at the end of the first depth steps of the path.
func (d *Decoder) note(p Problem, depth int) {
	if d.secret > 0 && d.secret < depth {
		if p.Hint != "" {
			p.Hint += "; "
		}
		p.Hint += "this is about a part of it, which is not shown"
	}
	d.ledger.add(p)
}

// adviseWord says what to write in place of a word that is none of an enumeration.
func (d *Decoder) adviseWord(p *Problem, n *schema.Node, word string) {
	for _, r := range n.Retired {
		if !strings.EqualFold(r.Name, word) {
			continue
		}
		p.Code = ValueRetired
		if p.Hint = "it is used no more"; slices.Contains(n.Enum, r.Use) {
			p.Nearest = r.Use
			p.Hint = "use " + strconv.Quote(r.Use) + " instead"
		}
		if r.Why != "" {
			p.Hint += ": " + r.Why
		}
		return
	}
	if p.Nearest = nearest(word, n.Enum); p.Nearest != "" {
		p.Hint = "did you mean " + strconv.Quote(p.Nearest) + "?"
	}
}

func codeOf(f schema.Fault) Code {
	switch f {
	case schema.NotInEnum:
		return NotInEnum
	case schema.Excluded:
		return Excluded
	case schema.OutOfRange:
		return OutOfRange
	case schema.NotMultiple:
		return NotMultiple
	case schema.TooShort:
		return TooShort
	case schema.TooLong:
		return TooLong
	case schema.NoMatch:
		return Pattern
	case schema.BadFormat:
		return BadFormat
	case schema.NotUnique:
		return NotUnique
	}
	return WrongType
}

const nullHint = "give a value, or leave it out where it may be absent"

// typeHint says how to write the value, where the wrong type tells what happened.
func typeHint(n *schema.Node, text string) string {
	switch text[0] {
	case '"':
		return stringHint(n, strings.TrimSpace(stringOf(text[:min(len(text), 64)])))
	case 'n':
		return nullHint
	case '{':
		if isSchema(text) {
			hint := "send a value, not its schema"
			if like := example(n); like != "" {
				hint += ", such as " + like
			}
			return hint
		}
	case '[':
		if n.Kind == schema.Object {
			return "send the object itself, without an array around it"
		}
	default:
		if n.Kind == schema.String {
			if _, f := n.CheckString(text); f == schema.OK {
				return "write it in quotes"
			}
		}
	}
	return ""
}

// stringHint is typeHint for a string.
func stringHint(n *schema.Node, s string) string {
	if s == "null" {
		return nullHint
	}
	switch n.Kind {
	case schema.Int, schema.Number:
		if _, ok := schema.ParseDecimal(s); ok {
			return "write the number without quotes"
		}
		if n.Kind == schema.Number && isOneOf(s, "NaN", "Infinity", "-Infinity") {
			return "send a finite number"
		}
	case schema.Bool:
		switch {
		case s == "true" || s == "false":
			return "write it without quotes"
		case strings.EqualFold(s, "true") || strings.EqualFold(s, "false"):
			return "write it in lower case and without quotes"
		}
	case schema.Array, schema.Tuple, schema.Object, schema.Tagged:
		if s != "" && (s[0] == '[' || s[0] == '{') {
			return "write the value itself, not a string that holds it"
		}
	}
	return ""
}

// stringOf returns what the text of a JSON string stands for, even when it is cut.
func stringOf(text string) string {
	return jsonscan.Unquote(jsonscan.RawAt(text, 1))
}

// previewBytes is how much of a value's text a problem shows.
const previewBytes = 48

// preview returns a value's JSON type and the start of its text: of no secret, and of nothing that may hold one.
func (d *Decoder) preview(n *schema.Node, text string) string {
	kind := kindOf(text)
	if kind == "null" || d.secret > 0 || n.Secrets || d.root != nil && d.root.Secrets && holdsMore(text) {
		return kind
	}
	cut := text
	if len(cut) > previewBytes {
		end := previewBytes
		for end > 0 && !utf8.RuneStart(cut[end]) {
			end--
		}
		cut = cut[:end] + "…"
		if kind == "string" {
			cut += `"`
		}
	}
	if strings.ContainsAny(cut, "\t\r\n") { // between tokens; inside strings they are escaped
		cut = strings.Join(strings.Fields(cut), " ")
	}
	return kind + " " + cut
}

// holdsMore tells whether a value may hold others, behind prose too: a secret one as well, though it does not belong there.
func holdsMore(text string) bool {
	if text[0] == '"' {
		text = stringOf(text[:min(len(text), previewBytes)])
	}
	return strings.ContainsAny(text, `{["<`+"`")
}

func kindOf(text string) string {
	switch text[0] {
	case '"':
		return "string"
	case '{':
		return "object"
	case '[':
		return "array"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}
