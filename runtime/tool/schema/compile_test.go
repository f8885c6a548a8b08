package schema

import (
	"errors"
	"math/big"
	"strings"
	"testing"
)

func obj(fields ...Field) *Type {
	for i := range fields {
		fields[i].Slot = i
	}
	return &Type{Kind: Object, Fields: fields}
}

func one(t *Type) *Schema { return &Schema{Root: obj(Field{Name: "x", Type: t})} }

func TestCompileErrors(t *testing.T) {
	str, in := &Type{Kind: String}, func(min, max string) *Type { return &Type{Kind: Int, Min: min, Max: max} }
	for want, s := range map[string]*Schema{
		"params: the root must be":                               {Root: str},
		"schema: params: the root must be an object":             {},
		"params.x: there is no type":                             one(nil),
		`params.x: the definition "No" does not exist`:           one(&Type{Kind: Ref, Ref: "No"}),
		"$A: the definition has no type":                         {Root: obj(), Defs: []Def{{Name: "A"}}},
		"$A: the definition stands twice":                        {Root: obj(), Defs: []Def{{Name: "A", Type: str}, {Name: "A", Type: str}}},
		"refers to itself and to nothing else":                   {Root: obj(), Defs: []Def{{Name: "A", Type: &Type{Kind: Ref, Ref: "B"}}, {Name: "B", Type: &Type{Kind: Ref, Ref: "A"}}}},
		"a case is the union itself":                             {Root: obj(), Defs: []Def{{Name: "A", Type: &Type{Kind: Union, Cases: []Case{{Type: str}, {Type: &Type{Kind: Ref, Ref: "A"}}}}}}},
		"params.x: no length is from 3 to 2":                     one(&Type{Kind: String, Len: Range{Min: 3, Max: 2, Bounded: true}}),
		"params.x: the enumeration is empty":                     one(&Type{Kind: String, Enum: []string{}}),
		"params.x: the enumeration holds bytes":                  one(&Type{Kind: String, Enum: []string{"\xff"}}),
		`params.x: the pattern "(": `:                            one(&Type{Kind: String, Patterns: []string{"("}}),
		`params.x: Min "1x" is not a number`:                     one(in("1x", "")),
		`params.x: Max "01" is not a number`:                     one(in("", "01")),
		"params.x: ExclusiveMin stands without Min":              one(&Type{Kind: Int, ExclusiveMin: true}),
		"params.x: no number is within 5 and 4":                  one(in("5", "4")),
		"params.x: no integer is within 1.2 and 1.8":             one(in("1.2", "1.8")),
		"params.x: no integer of 64 bits is as large as 1e19":    one(in("1e19", "")),
		"params.x: no integer of 64 bits is as small as -1e19":   one(in("", "-1e19")),
		`params.x: MultipleOf "0" is not a positive`:             one(&Type{Kind: Number, MultipleOf: "0"}),
		`params.x: Enum "a" is not a number`:                     one(&Type{Kind: Int, Enum: []string{"a"}}),
		`params.x: Enum "1.5" is not an integer`:                 one(&Type{Kind: Int, Enum: []string{"1.5"}}),
		"params.x: kind 99 is unknown":                           one(&Type{Kind: 99}),
		"params.x[]: there is no type":                           one(&Type{Kind: Array}),
		"params.x[1]: there is no type":                          one(&Type{Kind: Tuple, Items: []*Type{str, nil}}),
		"params.x: there is no case":                             one(&Type{Kind: Union}),
		"params.x(0): there is no type":                          one(&Type{Kind: Union, Cases: []Case{{}}}),
		`params.x: the case "a" is no object`:                    one(&Type{Kind: Tagged, Tag: "t", Cases: []Case{{Tag: "a", Type: str}}}),
		`params.x: the case "a" does not declare "t"`:            one(&Type{Kind: Tagged, Tag: "t", Cases: []Case{{Tag: "a", Type: obj()}}}),
		`params.x: the tag "a" stands twice`:                     one(&Type{Kind: Tagged, Tag: "t", Cases: []Case{{Tag: "a", Type: obj(Field{Name: "t", Type: str})}, {Tag: "a", Type: obj(Field{Name: "t", Type: str})}}}),
		`params{[}: the pattern "[": `:                           {Root: &Type{Kind: Object, PatternRest: []PatternRest{{Pattern: "[", Type: str}}}},
		"params.a: the property stands twice":                    {Root: obj(Field{Name: "a", Type: str}, Field{Name: "a", Type: str})},
		`params.b: slot 0 is that of "a" already`:                {Root: &Type{Kind: Object, Fields: []Field{{Name: "a", Type: str}, {Name: "b", Type: str}}}},
		"params.a: slot -1 is below zero":                        {Root: &Type{Kind: Object, Fields: []Field{{Name: "a", Type: str, Slot: -1}}}},
		"params.a: a property with a default is not":             {Root: obj(Field{Name: "a", Type: str, Required: true, Default: `""`})},
		"params.a: a property that is gone is neither":           {Root: obj(Field{Name: "a", Type: str, Gone: true, Fixed: "1", Default: "1"})},
		"params.a: a property that is not gone has no fixed":     {Root: obj(Field{Name: "a", Type: str, Fixed: "1"})},
		"params.a: the property is declared, and retired":        {Root: obj(Field{Name: "a", Type: str}), Retired: []Retired{{Name: "a"}}},
		`params.b: the alias "a" is the name of a property`:      {Root: obj(Field{Name: "a", Type: str}, Field{Name: "b", Type: str, Aliases: []string{"a"}})},
		`params.b: the alias "x" is one of "a" already`:          {Root: obj(Field{Name: "a", Type: str, Aliases: []string{"x"}}, Field{Name: "b", Type: str, Aliases: []string{"x"}})},
		`params.x: the property is retired, and an alias of "a"`: {Root: obj(Field{Name: "a", Type: str, Aliases: []string{"x"}}), Retired: []Retired{{Name: "x"}}},
		`params.x: the word "a" is retired, and one of`:          one(&Type{Kind: String, Enum: []string{"a"}, Retired: []Retired{{Name: "a"}}}),
	} {
		_, err := Compile(s)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
			continue
		}
		var e *Error
		if !errors.As(err, &e) || e.Place == "" {
			t.Errorf("%s: %T", want, err)
		}
	}
	if _, err := Compile(nil); err == nil {
		t.Error("nil compiles")
	}
}

func TestCompileResolves(t *testing.T) {
	s := &Schema{
		Root: obj(
			Field{Name: "a", Type: &Type{Kind: Ref, Ref: "Alias"}},
			Field{Name: "b", Type: &Type{Kind: Ref, Ref: "Node", Nullable: true}},
			Field{Name: "c", Type: obj(Field{Name: "d", Type: &Type{Kind: Array, Elem: obj(Field{Name: "k", Secret: true, Type: &Type{Kind: String}})}})},
		),
		Defs: []Def{
			{Name: "Alias", Type: &Type{Kind: Ref, Ref: "Node"}},
			{Name: "Node", Type: obj(Field{Name: "next", Type: &Type{Kind: Ref, Ref: "Node", Nullable: true}})},
		},
	}
	p, err := Compile(s)
	if err != nil {
		t.Fatal(err)
	}
	a, b, c := p.Root().Fields[0].Type, p.Root().Fields[1].Type, p.Root().Fields[2].Type
	if a.Kind != Object || a.Nullable || !b.Nullable || b.Kind != Object || b.Fields[0].Type.Fields[0].Type != b.Fields[0].Type {
		t.Error("references are not resolved")
	}
	if a.Secrets || !c.Secrets || !p.Root().Secrets {
		t.Error("secrets are not found")
	}
}

func TestFind(t *testing.T) {
	for _, n := range []int{1, 6, 10, 11, 100} {
		var fields []Field
		for i := range n {
			fields = append(fields, Field{Name: strings.Repeat("f", i+1), Type: &Type{Kind: Any}})
		}
		p, err := Compile(&Schema{Root: obj(fields...)})
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if got := p.Root().Find(strings.Repeat("f", i+1)); got != i {
				t.Errorf("%d of %d: %d", i, n, got)
			}
		}
		if p.Root().Find("g") != -1 || p.Root().Find("") != -1 {
			t.Error("found what is not there")
		}
	}
}

func TestCheckInt(t *testing.T) {
	for _, c := range []struct {
		typ  Type
		v    int64
		want Fault
	}{
		{Type{Min: "1", Max: "3"}, 1, OK}, {Type{Min: "1", Max: "3"}, 3, OK}, {Type{Min: "1", Max: "3"}, 4, OutOfRange},
		{Type{Min: "1", ExclusiveMin: true}, 1, OutOfRange}, {Type{Min: "1", ExclusiveMin: true}, 2, OK},
		{Type{Max: "1", ExclusiveMax: true}, 1, OutOfRange}, {Type{Max: "1", ExclusiveMax: true}, 0, OK},
		{Type{Min: "1.5"}, 1, OutOfRange}, {Type{Min: "1.5"}, 2, OK}, {Type{Max: "-1.5"}, -1, OutOfRange}, {Type{Max: "-1.5"}, -2, OK},
		{Type{Max: "-0.5"}, 0, OutOfRange}, {Type{Max: "-0.5"}, -1, OK}, {Type{Min: "0.5"}, 0, OutOfRange}, {Type{Max: "1.5", ExclusiveMax: true}, 1, OK},
		{Type{Min: "-1e30", Max: "1e30"}, 1 << 62, OK}, {Type{Min: "9223372036854775807"}, 1<<63 - 1, OK},
		{Type{Enum: []string{"1", "2.0"}}, 2, OK}, {Type{Enum: []string{"1"}}, 2, NotInEnum}, {Type{Not: []string{"1"}}, 1, Excluded},
		{Type{MultipleOf: "5"}, 10, OK}, {Type{MultipleOf: "5"}, 11, NotMultiple}, {Type{MultipleOf: "2.5"}, 5, OK}, {Type{MultipleOf: "2.5"}, 2, NotMultiple}, {Type{MultipleOf: "5"}, 0, OK}, {Type{MultipleOf: "5"}, -10, OK},
	} {
		c.typ.Kind = Int
		p, err := Compile(one(&c.typ))
		if err != nil {
			t.Error(err)
			continue
		}
		if got := p.Root().Fields[0].Type.CheckInt(c.v); got != c.want {
			t.Errorf("%d of %s: %d, want %d", c.v, p.Root().Fields[0].Type.Describe(), got, c.want)
		}
	}
}

func TestCheckNumber(t *testing.T) {
	for _, c := range []struct {
		typ  Type
		text string
		want Fault
	}{
		{Type{}, "1e308", OK}, {Type{}, "1e309", OutOfRange}, {Type{}, "-1e309", OutOfRange}, {Type{}, "1e-999", OK},
		{Type{Min: "0.1"}, "0.1", OK}, {Type{Min: "0.1"}, "0.09999999999999999999999999", OutOfRange}, {Type{Min: "0.1", ExclusiveMin: true}, "1e-1", OutOfRange},
		{Type{Max: "9007199254740993"}, "9007199254740993", OK}, {Type{Max: "9007199254740993"}, "9007199254740994", OutOfRange},
		{Type{Enum: []string{"1.50"}}, "15e-1", OK}, {Type{Enum: []string{"1.5"}}, "1.51", NotInEnum}, {Type{Not: []string{"0"}}, "-0.0", Excluded},
		{Type{MultipleOf: "0.1"}, "0.3", OK}, {Type{MultipleOf: "0.1"}, "0.35", NotMultiple}, {Type{MultipleOf: "0.01"}, "1e300", OK}, {Type{MultipleOf: "0.03"}, "1e300", NotMultiple},
	} {
		c.typ.Kind = Number
		p, err := Compile(one(&c.typ))
		if err != nil {
			t.Error(err)
			continue
		}
		if _, got := p.Root().Fields[0].Type.CheckNumber(c.text); got != c.want {
			t.Errorf("%s of %s: %d, want %d", c.text, p.Root().Fields[0].Type.Describe(), got, c.want)
		}
	}
}

func TestFormats(t *testing.T) {
	for f, texts := range map[Format][2][]string{
		DateTime:  {{"2026-01-31T09:30:00Z", "2026-01-31t09:30:00z", "2024-02-29T23:59:59.123456789123+23:59", "0000-01-01T00:00:00-00:00"}, {"", "2026-01-31", "2026-01-31T09:30:00", "2026-01-31 09:30:00Z", "2026-02-29T09:30:00Z", "2026-13-01T09:30:00Z", "2026-00-01T00:00:00Z", "2026-01-31T24:00:00Z", "2026-01-31T09:30Z", "2026-01-31T09:30:00.Z", "2026-01-31T09:30:00+1:00", "2026-01-31T09:30:00+24:00", "2026-01-31T23:59:60Z", "2026-01-31T09:30:00,5Z", "2026-01-31T09:30:00Zx", "２026-01-31T09:30:00Z"}},
		Date:      {{"2026-01-31", "2024-02-29"}, {"2023-02-29", "2026-1-31", "2026-01-31Z", "20260131"}},
		TimeOfDay: {{"09:30:00Z", "09:30:00.5+01:00"}, {"09:30:00", "9:30:00Z", "24:00:00Z", "09:60:00Z"}},
		Duration:  {{"P1D", "PT1H30M", "P1Y2M3D", "P4W", "PT0S", "P1DT12H"}, {"", "P", "PT", "P1", "1D", "P1YT", "P1D2Y", "P1H", "P1Y1D", "PT1H1S", "P1W1D", "PT1.5S", "P-1D"}},
		Email:     {{"a@b.c", "first.last+tag@example.com", "x@[127.0.0.1]", "x@[IPv6:::1]"}, {"", "a", "@b", "a@", "a b@c.d", ".a@b.c", "a.@b.c", "a..b@c.d", "a@-b.c", "a@b..c", "x@[300.0.0.1]", "a,b@c.d"}},
		UUID:      {{"123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-12D3-A456-426614174000"}, {"", "123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400g"}},
		IPv4:      {{"192.0.2.1"}, {"192.0.2", "192.0.2.256", "::1", "192.0.02.1"}},
		IPv6:      {{"::1", "2001:db8::1", "::ffff:1.2.3.4"}, {"1.2.3.4", "fe80::1%eth0", ":::"}},
		URI:       {{"https://example.com/a?b=c#d", "urn:x:y", "mailto:a@b.c"}, {"", "/relative", "example.com", "http://a b", "https://é.com", "http://[::1"}},
	} {
		if !f.Match(f.Example()) || formatOf(f.String()) != f {
			t.Errorf("%s: its example does not match", f)
		}
		for _, s := range texts[0] {
			if !f.Match(s) {
				t.Errorf("%s: %q is refused", f, s)
			}
		}
		for _, s := range texts[1] {
			if f.Match(s) {
				t.Errorf("%s: %q is accepted", f, s)
			}
		}
	}
	if formatOf("color") != NoFormat || !NoFormat.Match("x") {
		t.Error("an unknown format is checked")
	}
}

// FuzzDecimal compares with math/big, which is exact.
func FuzzDecimal(f *testing.F) {
	for _, s := range []string{"0", "-0.0", "1", "10", "0.050", "1e3", "12.50e-2", "9223372036854775807", "-9223372036854775808", "1e19", "99e-2"} {
		f.Add(s, "2.5")
		f.Add("3", s)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		da, ok := ParseDecimal(a)
		db, okB := ParseDecimal(b)
		if !ok || !okB || len(a)+len(b) > 200 || strings.Count(strings.ToLower(a+b), "e") > 0 && (da.IsZero() || db.IsZero()) || max(da.exp, db.exp) > 400 || min(da.exp, db.exp) < -400 {
			return
		}
		ra, okA := new(big.Rat).SetString(a)
		rb, okB := new(big.Rat).SetString(b)
		if !okA || !okB {
			return // an exponent that big does not read
		}
		if got, want := da.Cmp(db), ra.Cmp(rb); got != want {
			t.Fatalf("%s and %s: %d, want %d", a, b, got, want)
		}
		if da.IsInt() != ra.IsInt() {
			t.Fatalf("%s: %v", a, da.IsInt())
		}
		n, fits := da.Int64()
		if want := ra.IsInt() && ra.Num().IsInt64(); fits != want || fits && n != ra.Num().Int64() {
			t.Fatalf("%s: %d %v", a, n, fits)
		}
		floor := new(big.Int).Div(ra.Num(), ra.Denom())
		if n, fits := da.floor(); fits != floor.IsInt64() || fits && n != floor.Int64() {
			if floor.IsInt64() || fits {
				t.Fatalf("%s: floor %d %v, want %s", a, n, fits, floor)
			}
		}
		if s, ok := newStep(db); ok {
			if got, want := s.divides(da), new(big.Rat).Quo(ra, rb).IsInt(); got != want {
				t.Fatalf("%s by %s: %v", a, b, got)
			}
		}
	})
}
