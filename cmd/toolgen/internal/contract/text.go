package contract

import (
	"encoding/json"
	"strings"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// Text is prose as the spec wrote it: literals and references, in order. Its JSON form is a list in which a literal is
// a string and a reference an object.
type Text []Segment

// Segment is one piece of a [Text]: a literal, or a reference to a tool, to a parameter of a tool, or to a word of an
// enum. Exactly one of the forms is set.
type Segment struct {
	Lit string // a literal

	Tool  string // a tool's label
	Param string // with Tool: a parameter of it

	Enum string // an enum's label
	Word string // with Enum: a word of it

	Pos diag.Position // where it begins

	// Places are where the bytes of a literal stand, by rising offset: each place holds until the next one, on its line.
	// A literal that Pos alone describes has none. A value that was interpolated stands as a whole at its interpolation.
	Places []Place
}

// Place is where a part of a literal stands in its source.
type Place struct {
	Offset int           // of the part's first byte in the literal
	Pos    diag.Position // of that byte
	Fixed  bool          // all of the part stands at Pos, as what an interpolation gave does
	In     *Writing      // how a reference would be written there, where that is known
}

// At returns where the byte at an offset of a literal stands. Without places it is where the segment begins.
func (s Segment) At(offset int) diag.Position {
	i := len(s.Places) - 1
	for i >= 0 && s.Places[i].Offset > offset {
		i--
	}
	if i < 0 {
		return s.Pos
	}
	p := s.Places[i].Pos
	if !s.Places[i].Fixed && p.Column > 0 {
		p.Column += offset - s.Places[i].Offset
	}
	return p
}

// Writing says how a reference would be written in place of the byte at an offset of a literal. Nil means that it is not
// known, or that the literal is a prompt file's.
func (s Segment) Writing(offset int) *Writing {
	i := len(s.Places) - 1
	for i >= 0 && s.Places[i].Offset > offset {
		i--
	}
	if i < 0 {
		return nil
	}
	return s.Places[i].In
}

// IsRef reports whether the segment is a reference.
func (s Segment) IsRef() bool { return s.Tool != "" || s.Enum != "" }

type segmentRef struct {
	Tool  string `json:"tool,omitempty"`
	Param string `json:"param,omitempty"`
	Enum  string `json:"enum,omitempty"`
	Word  string `json:"word,omitempty"`
}

// MarshalJSON gives a string for a literal and an object for a reference.
func (s Segment) MarshalJSON() ([]byte, error) {
	if s.IsRef() {
		return json.Marshal(segmentRef{Tool: s.Tool, Param: s.Param, Enum: s.Enum, Word: s.Word})
	}
	return marshalString(s.Lit)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Segment) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		*s = Segment{}
		return json.Unmarshal(b, &s.Lit)
	}
	var r segmentRef
	if err := json.Unmarshal(b, &r); err != nil {
		return err
	}
	*s = Segment{Tool: r.Tool, Param: r.Param, Enum: r.Enum, Word: r.Word}
	return nil
}

// Names gives the name that a text shows for a tool's label.
type Names func(label string) string

// Render joins the segments, with each tool's name taken from names (nil: the label itself). Nothing is added or lost.
func (t Text) Render(names Names) string {
	var b strings.Builder
	for _, s := range t {
		b.WriteString(s.render(names))
	}
	return b.String()
}

func (s Segment) render(names Names) string {
	switch {
	case s.Param != "":
		return s.Param
	case s.Tool != "":
		if names != nil {
			return names(s.Tool)
		}
		return s.Tool
	case s.Enum != "":
		return s.Word
	}
	return s.Lit
}

// Literal makes a text of one literal; an empty string makes an empty text.
func Literal(s string) Text {
	if s == "" {
		return nil
	}
	return Text{{Lit: s}}
}

// Refs returns the references of the text, in order.
func (t Text) Refs() []Segment {
	var out []Segment
	for _, s := range t {
		if s.IsRef() {
			out = append(out, s)
		}
	}
	return out
}

// marshalString writes a JSON string without HTML escapes, so that prose stays readable.
func marshalString(s string) ([]byte, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return nil, err
	}
	return []byte(strings.TrimSuffix(b.String(), "\n")), nil
}
