package schema

import (
	"fmt"
	"strings"
)

// Cap bounds a parameter beyond what its contract says: a deployment's choice, of which the model is not told.
type Cap struct {
	Param string
	Most  string // in decimal, as tables write numbers

	Pointer string  // to the parameter
	Int     int64   // Most, for an Int
	Number  float64 // Most, for a Number
	value   Decimal
}

// Over tells whether the number that text says is above the cap.
func (c *Cap) Over(text string) bool {
	d, ok := ParseDecimal(text)
	return ok && d.Cmp(c.value) > 0
}

// Capped returns a program like p that knows a cap for each of some parameters. They must be integers or numbers, and
// the cap itself a value that the contract allows: what is above it will be replaced by it.
func (p *Program) Capped(caps ...Cap) (*Program, error) {
	root := *p.root
	root.Fields = append([]Member(nil), p.root.Fields...)
	for _, c := range caps {
		place := "params." + c.Param
		fail := func(format string, args ...any) (*Program, error) {
			return nil, &Error{Place: place, Message: fmt.Sprintf(format, args...)}
		}
		i := root.Find(c.Param)
		if i < 0 || root.Fields[i].Type == nil {
			return fail("a cap needs a parameter, and there is none of this name")
		}
		if root.Fields[i].Gone {
			return fail("a cap needs a parameter, and this one is not available here")
		}
		n := *root.Fields[i].Type
		switch {
		case n.Kind != Int && n.Kind != Number:
			return fail("a cap needs an integer or a number, and this is %s", n.Describe())
		case n.Cap != nil:
			return fail("there is a cap already, %s", n.Cap.Most)
		}
		var ok bool
		if c.value, ok = ParseDecimal(c.Most); !ok {
			return fail("the cap %q is not a number", c.Most)
		}
		f := OK
		if n.Kind == Int {
			if c.Int, f = ParseInt(c.Most); f == OK {
				f = n.CheckInt(c.Int)
			}
		} else {
			c.Number, f = n.CheckNumber(c.Most)
		}
		if f != OK {
			return fail("the cap %s is not what the parameter may be: %s", c.Most, n.Describe())
		}
		c.Pointer = "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(c.Param)
		n.Cap = &c
		root.Fields[i].Type = &n
	}
	root.due()
	return &Program{root: &root, fields: p.fields}, nil
}
