package decode

import (
	"strings"
	"testing"

	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// Defaults that are zero have no turn where the caller says that it starts with zero, except where a cap may be below.
func TestSkipZero(t *testing.T) {
	boolean, number, null := &schema.Type{Kind: schema.Bool}, &schema.Type{Kind: schema.Number}, integer()
	null.Nullable = true
	s := root(
		schema.Field{Name: "no", Type: boolean, Default: "false"}, schema.Field{Name: "yes", Type: boolean, Default: "true"},
		schema.Field{Name: "zero", Type: integer(), Default: "0"}, schema.Field{Name: "one", Type: integer(), Default: "1"},
		schema.Field{Name: "point", Type: number, Default: "0"}, schema.Field{Name: "text", Type: str(), Default: `""`},
		schema.Field{Name: "maybe", Type: null, Default: "0"}, schema.Field{Name: "fixed", Type: boolean, Gone: true, Fixed: "false"},
		schema.Field{Name: "in", Type: object(schema.Field{Name: "no", Type: boolean, Default: "false"}, schema.Field{Name: "a", Type: str(), Default: `"x"`}), Default: "{}"},
	)
	var turns func(d *Decoder) string
	turns = func(d *Decoder) (out string) {
		o := d.Object()
		for d.NextField(&o) {
			out += o.node.Fields[o.next-1].Name + " "
			if o.depth == 1 && o.Slot == 8 {
				out += "( " + turns(d) + ") "
			}
		}
		return out
	}
	lean := func(d *Decoder) string { d.SkipZero(); return turns(d) }
	for _, c := range []struct {
		e    *Engine
		fn   func(*Decoder) string
		want string
	}{
		{engine(t, s), turns, "no yes zero one point text maybe fixed in ( no a ) "},
		{engine(t, s), lean, "yes one maybe in ( a ) "},
		{engine(t, s, WithCap("zero", "-1")), lean, "yes zero one maybe in ( a ) "},
	} {
		if got, r := Decode(c.e, "{}", c.fn); got != c.want || !r.OK() {
			t.Errorf("%s, want %s: %v", got, c.want, r)
		}
		if got, r := Decode(c.e, `{"no":false,"zero":0,"text":""}`, c.fn); !strings.Contains(got, "no ") || !strings.Contains(got, "zero ") || !r.OK() {
			t.Errorf("given: %s: %v", got, r)
		}
	}
	e := engine(t, s)
	want := `{"no":false,"yes":true,"zero":0,"one":1,"point":0,"text":"","maybe":0,"fixed":false,"in":{"no":false,"a":"x"}}`
	for range 2 { // what one call says is forgotten by the next
		if got, _ := e.Normalize("{}"); string(got) != want {
			t.Errorf("%s", got)
		}
		Decode(e, "{}", lean)
	}
}
