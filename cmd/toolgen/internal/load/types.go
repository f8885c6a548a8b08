package load

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// typer turns one CUE constraint into a type of the model.
type typer struct {
	e         *pkgEval
	path      []string // of the constraint
	defaulted bool     // whether a default inside the constraint is wanted (options) rather than a fault
	failed    bool
	inDef     bool // reading a definition's own value, not a reference to it
	inUnion   bool // reading an alternative or a property, where one constant can be meant
}

func (t *typer) fail(rule, msg, fix string) *contract.Type {
	if !t.failed && !t.defaulted && !t.e.saidAlready(t.path) {
		t.e.findings.Add(diag.Finding{Rule: rule, Pos: t.e.fieldPos(t.path...), Path: strings.Join(t.path, "."), Message: msg, Fix: fix})
	}
	t.failed = true
	return &contract.Type{Kind: contract.KindAny}
}

const supported = "use string, int, number, bool, null, enumerations, lists and structs, with their constraints"

// of returns the type of a constraint.
func (t *typer) of(v cue.Value) *contract.Type {
	kind := v.IncompleteKind()
	if kind == cue.TopKind {
		conj := conjuncts(v, nil)
		if conj == nil {
			return t.fail("type-unsupported", "the type refers to itself", "name what it is")
		}
		return t.any(conj)
	}
	if !t.inDef {
		if ref := t.reference(v); ref != nil {
			return ref
		}
	}
	t.inDef = false // what is inside refers again
	if _, has := v.Default(); has && !t.defaulted && kind&(cue.StructKind|cue.ListKind) == 0 && !v.IsConcrete() {
		return t.fail("type-default", "the type holds a default of its own", "move it out: type: T, default: V")
	}
	conj := conjuncts(v, nil)
	if conj == nil {
		return t.fail("type-unsupported", "the type refers to itself", "name what it is; a type may contain itself only through a definition, in a list or an optional field")
	}
	out := &contract.Type{Nullable: kind&cue.NullKind != 0}
	if ref, ok := t.enumRef(conj); ok {
		out.EnumRef = ref
	}
	if c := constants(v); c != nil && oneKind(c) {
		return t.enum(out, c)
	}
	if d := disjunction(conj); d != nil {
		return t.union(out, d)
	}
	switch k := kind &^ cue.NullKind; k {
	case cue.BottomKind:
		if out.Nullable {
			return &contract.Type{Kind: contract.KindNull}
		}
		if l := listConjunct(conj); l.Exists() {
			return t.list(out, l, conj)
		}
		if t.e.ofWrongEnum(t.path) {
			t.e.wrong = append(t.e.wrong, t.path)
			return &contract.Type{Kind: contract.KindAny}
		}
		return t.fail("type-unsupported", "no value satisfies the type", supported)
	case cue.StringKind:
		out.Kind = contract.KindString
		return t.bounds(out, conj)
	case cue.IntKind:
		out.Kind = contract.KindInt
		return t.bounds(out, conj)
	case cue.NumberKind:
		out.Kind = contract.KindNumber
		return t.bounds(out, conj)
	case cue.FloatKind:
		return t.fail("type-unsupported", "JSON does not tell 5 from 5.0, so no schema could say float", "write number")
	case cue.BoolKind:
		out.Kind = contract.KindBool
		return out
	case cue.ListKind:
		return t.list(out, listConjunct(conj), conj)
	case cue.StructKind:
		return t.object(out, v)
	default:
		return t.fail("type-unsupported", fmt.Sprintf("the type is %s, which is not supported", k), supported)
	}
}

// any is the type of every value. Some validators of CUE's standard library claim every kind and still refuse values:
// those are not supported.
func (t *typer) any(conj []cue.Value) *contract.Type {
	for _, c := range conj {
		if op, _ := c.Expr(); op != cue.NoOp || builtinName(c) != "" {
			return t.fail("type-unsupported", "the constraint is not supported", supported)
		}
	}
	return &contract.Type{Kind: contract.KindAny}
}

// maxConjuncts bounds how much of one constraint is looked at. Only a type that refers to itself has more.
const maxConjuncts = 10_000

// conjuncts flattens a value's conjunction; references are followed. What refers to itself gives nothing.
func conjuncts(v cue.Value, out []cue.Value) []cue.Value {
	steps := 0
	more, ok := conjunctsOf(v, out, &steps, 0)
	if !ok {
		return nil
	}
	return more
}

func conjunctsOf(v cue.Value, out []cue.Value, steps *int, depth int) ([]cue.Value, bool) {
	if *steps++; *steps > maxConjuncts || depth > maxNesting {
		return nil, false
	}
	ok := true
	op, args := v.Expr()
	switch op {
	case cue.AndOp:
		for _, a := range args {
			if out, ok = conjunctsOf(a, out, steps, depth+1); !ok {
				return nil, false
			}
		}
		return out, true
	case cue.OrOp:
		// `null | T`: the rest of a nullable type constrains as if null were not there.
		var rest []cue.Value
		for _, a := range args {
			if a.IncompleteKind() != cue.NullKind {
				rest = append(rest, a)
			}
		}
		if len(rest) == 1 && len(rest) < len(args) {
			return conjunctsOf(rest[0], out, steps, depth+1)
		}
	case cue.SelectorOp:
		// A name may stand for a name. What stands for itself runs into the bound.
		if d := cue.Dereference(v); d != v {
			if out, ok = conjunctsOf(d, out, steps, depth+1); !ok {
				return nil, false
			}
			return append(out, v), true
		}
	case cue.NoOp:
		// A name that a let gives shows nothing of what it stands for until it is evaluated.
		if v.IncompleteKind()&(cue.StructKind|cue.ListKind) == 0 && !v.IsConcrete() {
			if eop, args := v.Eval().Expr(); eop == cue.AndOp {
				for _, a := range args {
					if out, ok = conjunctsOf(a, out, steps, depth+1); !ok {
						return nil, false
					}
				}
				return out, true
			}
		}
	}
	return append(out, v), true
}

// enumRef finds the enum that a conjunct refers to.
func (t *typer) enumRef(conj []cue.Value) (*contract.EnumRef, bool) {
	for _, c := range conj {
		root, p := c.ReferencePath()
		sel := p.Selectors()
		if len(sel) != 3 || sel[0].String() != "enums" || sel[2].String() != "type" {
			continue
		}
		pkg := t.e.out.Path
		if in := root.BuildInstance(); in != nil {
			pkg = importPath(in)
		}
		return &contract.EnumRef{Package: pkg, Name: sel[1].Unquoted()}, true
	}
	return nil, false
}

// constants returns the constants of a closed list of scalars without null, or nil for anything else.
func constants(v cue.Value) []cue.Value {
	if op, args := v.Expr(); op == cue.OrOp || op == cue.AndOp && v.IsConcrete() {
		if op == cue.OrOp {
			return constantList(args)
		}
	}
	if v.IsConcrete() && v.Err() == nil && v.IncompleteKind()&(cue.StructKind|cue.ListKind|cue.NullKind) == 0 {
		return []cue.Value{v}
	}
	// A conjunction of disjunctions shows what remains only in its evaluated form.
	if op, args := v.Eval().Expr(); op == cue.OrOp {
		return constantList(args)
	}
	for _, c := range conjuncts(v, nil) {
		if op, args := c.Expr(); op == cue.OrOp {
			if all := constantList(args); all != nil {
				return slices.DeleteFunc(all, func(x cue.Value) bool { return v.Unify(x).Err() != nil })
			}
		}
	}
	return nil
}

func constantList(args []cue.Value) []cue.Value {
	var out []cue.Value
	for _, a := range args {
		switch {
		case a.IncompleteKind() == cue.NullKind:
		case a.IsConcrete() && a.IncompleteKind()&(cue.StructKind|cue.ListKind) == 0:
			if !slices.ContainsFunc(out, a.Equals) {
				out = append(out, a)
			}
		default:
			more := constants(a)
			if more == nil {
				return nil
			}
			for _, m := range more {
				if !slices.ContainsFunc(out, m.Equals) {
					out = append(out, m)
				}
			}
		}
	}
	return out
}

// enum makes a type of a closed list of constants of one kind.
func (t *typer) enum(out *contract.Type, values []cue.Value) *contract.Type {
	var kind cue.Kind
	for _, v := range values {
		kind |= v.Kind()
		out.Enum = append(out.Enum, scalarText(v))
	}
	if bad := marked(out.Enum); bad != "" {
		return t.fail("text-computed", "the type holds a name or word by reference: "+bad, "write it as it is, or use enums.E.type")
	}
	if len(out.Enum) == 1 && kind == cue.StringKind && isTypeName(out.Enum[0]) && !t.inUnion {
		return t.fail("type-literal", fmt.Sprintf("the type is the one word %q", out.Enum[0]), "write the type without quotes: "+cueTypeName(out.Enum[0]))
	}
	switch kind {
	case cue.StringKind:
		out.Kind = contract.KindString
	case cue.IntKind:
		out.Kind = contract.KindInt
		for _, n := range out.Enum {
			if _, err := strconv.ParseInt(n, 10, 64); err != nil {
				return t.fail("type-unsupported", n+" is beyond 64 bits", "use integers of at most 64 bits, or strings")
			}
		}
	case cue.FloatKind, cue.FloatKind | cue.IntKind:
		out.Kind = contract.KindNumber
		if n := beyondFloat(out.Enum...); n != "" {
			return t.fail("type-unsupported", n+" is beyond a 64-bit float", "use a number that a 64-bit float can be")
		}
	case cue.BoolKind:
		if len(out.Enum) != 2 {
			return t.fail("type-unsupported", "a boolean that can have one value only is not supported", "write bool, or leave it out")
		}
		out.Kind, out.Enum = contract.KindBool, nil
	default:
		return t.fail("type-unsupported", "an enumeration mixes strings, numbers or booleans", "use constants of one kind")
	}
	return out
}

// beyondFloat returns the first number that no 64-bit float can be.
func beyondFloat(list ...string) string {
	for _, n := range list {
		if n == "" {
			continue
		}
		if _, err := strconv.ParseFloat(n, 64); errors.Is(err, strconv.ErrRange) {
			return n
		}
	}
	return ""
}

// marked returns what the first string with a marker shows without it.
func marked(list []string) string {
	for _, s := range list {
		if strings.ContainsAny(s, markOpen+markClose) {
			return unmark(s)
		}
	}
	return ""
}

func unmark(s string) string { return strings.NewReplacer(markOpen, "", markClose, "").Replace(s) }

// isTypeName reports whether a word is a type of JSON Schema or of another language; as the one value of an enumeration it is a slip.
func isTypeName(s string) bool { return cueTypeName(s) != "" }

func cueTypeName(s string) string {
	switch s {
	case "string", "number", "null":
		return s
	case "str":
		return "string"
	case "integer", "int":
		return "int"
	case "boolean", "bool":
		return "bool"
	case "array":
		return "[...T]"
	case "object":
		return "{...}"
	}
	return ""
}

// scalarText is a scalar as texts and tables show it.
func scalarText(v cue.Value) string {
	if s, err := v.String(); err == nil {
		return s
	}
	raw, err := v.MarshalJSON()
	if err != nil {
		return ""
	}
	return string(raw)
}

// bounds collects the constraints of a scalar from its conjuncts.
func (t *typer) bounds(out *contract.Type, conj []cue.Value) *contract.Type {
	for _, c := range conj {
		op, args := c.Expr()
		switch op {
		case cue.GreaterThanEqualOp, cue.GreaterThanOp:
			tighter(&out.Min, &out.ExclusiveMin, scalarText(args[0]), op == cue.GreaterThanOp, 1)
		case cue.LessThanEqualOp, cue.LessThanOp:
			tighter(&out.Max, &out.ExclusiveMax, scalarText(args[0]), op == cue.LessThanOp, -1)
		case cue.NotEqualOp:
			if n := scalarText(args[0]); !slices.Contains(out.Not, n) {
				out.Not = append(out.Not, n)
			}
		case cue.RegexMatchOp:
			if p := scalarText(args[0]); !slices.Contains(out.Patterns, p) {
				out.Patterns = append(out.Patterns, p)
			}
		case cue.CallOp:
			if !t.call(out, callName(c, args[0]), args[1:]) {
				return t.fail("type-unsupported", callName(c, args[0])+" is not supported as a constraint", supported)
			}
		case cue.NoOp, cue.SelectorOp:
			if name := builtinName(c); name != "" && !t.call(out, name, nil) {
				return t.fail("type-unsupported", name+" is not supported as a constraint", supported)
			}
		default:
			return t.fail("type-unsupported", fmt.Sprintf("the operator %s is not supported in a type", op), supported)
		}
	}
	if out.MinLen != nil && out.MaxLen != nil && *out.MinLen > *out.MaxLen {
		return t.fail("type-unsupported", "no value is long enough and short enough", "make the least length at most the greatest")
	}
	if bad := marked(append(append([]string{out.Min, out.Max}, out.Not...), out.Patterns...)); bad != "" {
		return t.fail("text-computed", "the type holds a name or word by reference: "+bad, "write it as it is; only texts follow a renaming")
	}
	if n := beyondFloat(out.Min, out.Max, out.MultipleOf); n != "" {
		return t.fail("type-unsupported", "the bound "+n+" is beyond a 64-bit float", "leave the bound out")
	}
	if out.Kind == contract.KindString && (out.Min != "" || out.Max != "") {
		return t.fail("type-unsupported", "strings cannot be bounded by order", "use strings.MinRunes, strings.MaxRunes or a pattern")
	}
	return out
}

// tighter keeps the bound that allows less. dir is 1 for lower bounds, -1 for upper ones.
func tighter(bound *string, exclusive *bool, value string, excl bool, dir int) {
	cmp := 1
	if *bound != "" {
		cmp = contract.CompareDecimal(value, *bound) * dir
	}
	if cmp > 0 || cmp == 0 && excl {
		*bound, *exclusive = value, excl
	}
}

// call applies a constraint that is written as a call or as a name of CUE's standard library.
func (t *typer) call(out *contract.Type, name string, args []cue.Value) bool {
	number := func() (*int64, bool) {
		if len(args) != 1 {
			return nil, false
		}
		n, err := args[0].Int64()
		return &n, err == nil
	}
	n, ok := number()
	if ok && *n < 0 {
		return false
	}
	switch {
	case (name == "strings.MinRunes" || name == "list.MinItems") && ok:
		if out.MinLen == nil || *n > *out.MinLen {
			out.MinLen = n
		}
	case (name == "strings.MaxRunes" || name == "list.MaxItems") && ok:
		if out.MaxLen == nil || *n < *out.MaxLen {
			out.MaxLen = n
		}
	case name == "list.UniqueItems" && len(args) == 0:
		out.Unique = true
	case name == "time.Time" && len(args) == 0:
		out.Format = "date-time"
	case name == "time.Format" && len(args) == 1 && scalarText(args[0]) == "2006-01-02":
		out.Format = "date"
	case name == "math.MultipleOf" && ok && *n > 0 && (out.MultipleOf == "" || out.MultipleOf == scalarText(args[0])):
		out.MultipleOf = scalarText(args[0])
	default:
		return false
	}
	return true
}

// callName names the function of a call as the source imports it: package and name.
func callName(call, fn cue.Value) string {
	if c, ok := call.Source().(*ast.CallExpr); ok {
		if n := selectorName(c.Fun); n != "" {
			return n
		}
	}
	if f, ok := call.Source().(*ast.Field); ok {
		if c, ok := f.Value.(*ast.CallExpr); ok {
			return selectorName(c.Fun)
		}
	}
	return selectorName(fn.Source())
}

// builtinName names a validator that is written without a call, such as time.Time.
func builtinName(v cue.Value) string {
	switch s := v.Source().(type) {
	case *ast.SelectorExpr:
		return selectorName(s)
	case *ast.CallExpr:
		return selectorName(s.Fun)
	case *ast.Field:
		return selectorName(s.Value)
	}
	return ""
}

// selectorName is "package.Name" for a selection from an imported package of CUE's standard library, else empty.
func selectorName(n ast.Node) string {
	s, ok := n.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	id, ok := s.X.(*ast.Ident)
	if !ok {
		return ""
	}
	spec, ok := id.Node.(*ast.ImportSpec)
	if !ok {
		return ""
	}
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil || strings.Contains(path, ".") {
		return ""
	}
	name, _, err := ast.LabelName(s.Sel)
	if err != nil {
		return ""
	}
	return path + "." + name
}

func identifier(s string) bool {
	for i, r := range s {
		if !(r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || i > 0 && r >= '0' && r <= '9') {
			return false
		}
	}
	return s != ""
}
