package decode

import (
	"strconv"
	"strings"

	"github.com/toolgen-dev/toolgen/runtime/tool/jsonscan"
	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// form is what the arguments as a whole were probably meant to be, where keys of them are unknown.
type form uint8

const (
	notKnown      form = iota // yet
	justArguments             // nothing else
	envelope                  // a key of the call around its arguments
	echo                      // the schema of the arguments
)

// form finds the form of the arguments, once a call.
func (d *Decoder) form(root *schema.Node) form {
	if d.formed != notKnown {
		return d.formed
	}
	d.formed = justArguments
	eachMember(d.scan.Src[d.first:], func(name, value string) bool {
		if root.Find(name) >= 0 {
			return true
		}
		switch {
		case isPartOfSchema(name, value) || isEnvelope(name) && isSchema(value):
			d.formed = echo
			return false
		case isEnvelope(name) && holdsObject(value):
			d.formed = envelope
		}
		return true
	})
	return d.formed
}

// adviseForm says what to do with an unknown key of arguments that are wrapped, or are a schema. It is false where that is
// not what is wrong with the key.
func (d *Decoder) adviseForm(p *Problem, root *schema.Node, name, value string) bool {
	switch d.form(root) {
	case envelope:
		switch {
		case isEnvelope(name) && holdsObject(value):
			p.Code, p.Hint = Envelope, "send what is inside of it, without this key around it"
			return true
		case isOneOf(name, "name", "tool", "tool_name", "function", "type", "id", "call_id", "tool_call_id", "description"):
			p.Hint = "leave it out: only the arguments belong here"
			return true
		}
	case echo:
		switch {
		case isEnvelope(name) && isSchema(value), isPartOfSchema(name, value):
			p.Code, p.Hint = SchemaEcho, "send values, not their schema"
			if text := example(root); text != "" {
				p.Hint += ", such as " + text
			}
			return true
		case isOneOf(name, "type", "required", "additionalProperties", "title", "description", "$schema", "$defs", "$id", "name", "strict"):
			p.Hint = "leave it out: it belongs to a schema"
			return true
		}
	}
	return false
}

func isEnvelope(name string) bool {
	return isOneOf(name, "arguments", "parameters", "args", "params", "input", "inputs", "kwargs", "tool_input", "input_schema",
		"inputSchema", "properties")
}

// holdsObject tells whether a value is an object, or a string that may hold one.
func holdsObject(value string) bool {
	return value[0] == '{' || value[0] == '"' && strings.HasPrefix(strings.TrimLeft(value[1:], jsonSpace), "{")
}

// isPartOfSchema tells whether a key and its value are what a schema of an object has.
func isPartOfSchema(name, value string) bool {
	if name != "properties" || value[0] != '{' {
		return false
	}
	is := false
	eachMember(value, func(_, value string) bool {
		is = isSchema(value)
		return false
	})
	return is
}

// isSchema tells whether a value looks like a JSON Schema.
func isSchema(value string) bool {
	is := false
	if value[0] == '{' {
		eachMember(value, func(name, value string) bool {
			switch name {
			case "type":
				is = value[0] == '"' && isOneOf(stringOf(value), "string", "number", "integer", "boolean", "object", "array", "null")
			case "properties":
				is = isPartOfSchema(name, value)
			}
			return !is
		})
	}
	return is
}

// eachMember calls fn with the members of an object, until fn is false or the text is not JSON.
func eachMember(text string, fn func(name, value string) bool) {
	s := jsonscan.Scanner{Src: text, Known: true, Tolerant: true}
	if s.Space() != '{' {
		return
	}
	s.Pos++
	for first := true; ; first = false {
		if more, _ := s.Comma('}', first); !more || s.Space() != '"' {
			return
		}
		raw, escaped, ok := s.Literal()
		if !ok || !s.Colon() {
			return
		}
		s.Space()
		start := s.Pos
		if !s.Skip(1) {
			return
		}
		if escaped {
			raw = jsonscan.Unquote(raw)
		}
		if !fn(raw, s.Src[start:s.Pos]) {
			return
		}
	}
}

// example returns a value of the type, as short as one can be; empty when none was found.
func example(n *schema.Node) string {
	text := n.Example()
	if text == "" {
		return ""
	}
	var d Decoder
	d.reset(text, n)
	d.quiet = 1
	if d.Skip(); d.halt || !d.scan.End() {
		return ""
	}
	return text
}

// markup notes the parameters that are not there as members, and stand inside a string in the syntax of another kind of
// tool call. Such a string fits, and the default of the parameter would apply without a word.
func (d *Decoder) markup(o *Obj) {
	s := jsonscan.Scanner{Src: d.scan.Src, Pos: int(o.start) + 1, Known: true}
	for first := true; ; first = false {
		if more, _ := s.Comma('}', first); !more {
			return
		}
		s.Space()
		key := s.Pos + 1
		s.Literal()
		s.Colon()
		s.Space()
		start := s.Pos
		s.Skip(1)
		text := s.Src[start:s.Pos]
		if !strings.Contains(text, "parameter") && !strings.Contains(text, "arg_key") {
			continue
		}
		if strings.IndexByte(text, '\\') >= 0 {
			text = jsonscan.Unquote(text)
		}
		var names []string
		eachMarkup(text, func(name string) {
			i := o.node.Find(name)
			if i >= 0 && !o.node.Fields[i].Gone && !d.has(o, i) && len(names) < MaxProblems {
				names = append(names, name)
			}
		})
		if len(names) == 0 {
			continue
		}
		d.path[o.depth-1] = step{key: uint32(key)}
		if d.takes(Markup, int(o.depth)) {
			d.ledger.add(Problem{Code: Markup, Pointer: d.pointer(int(o.depth)),
				Got: "markup of another call syntax", Hint: "take it out, and send as keys of their own: " + quoteAll(names)})
		}
		if d.halt {
			return
		}
	}
}

// eachMarkup calls fn with each name of a parameter in the known syntaxes: <parameter name="x">, with a prefix or
// without, <parameter=x> and <arg_key>x</arg_key>.
func eachMarkup(text string, fn func(name string)) {
	for _, syntax := range []struct{ open, end string }{
		{`parameter name="`, `"`}, {`parameter name='`, `'`}, {"parameter=", ">"}, {"arg_key>", "</"},
	} {
		for rest := text; ; {
			i := strings.Index(rest, syntax.open)
			if i < 0 {
				break
			}
			before := rest[:i]
			rest = rest[i+len(syntax.open):]
			if !strings.HasSuffix(before, "<") && !strings.HasSuffix(before, ":") {
				continue
			}
			const longest = 256
			if end := strings.Index(rest[:min(len(rest), longest)], syntax.end); end > 0 {
				fn(strings.TrimSpace(rest[:end]))
			}
		}
	}
}

func quoteAll(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = strconv.Quote(n)
	}
	return strings.Join(quoted, ", ")
}
