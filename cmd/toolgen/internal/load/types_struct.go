package load

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
)

// listConjunct returns what the conjuncts say of a list itself, beside the constraints on it.
func listConjunct(conj []cue.Value) cue.Value {
	var out cue.Value
	for _, c := range conj {
		if op, _ := c.Expr(); op == cue.NoOp && c.IncompleteKind() == cue.ListKind && builtinName(c) == "" {
			out = both(out, c)
		}
	}
	return out
}

// both unifies two values, of which the first may be missing.
func both(a, b cue.Value) cue.Value {
	if !a.Exists() {
		return b
	}
	return a.Unify(b)
}

func (t *typer) list(out *contract.Type, l cue.Value, conj []cue.Value) *contract.Type {
	if !l.Exists() {
		return t.fail("type-unsupported", "the list has no item type", "write [...T]")
	}
	defer func() {
		if out.MinLen != nil && out.MaxLen != nil && *out.MinLen > *out.MaxLen {
			t.fail("type-unsupported", "no list is long enough and short enough", "make the least length at most the greatest")
		}
	}()
	for _, c := range conj {
		op, args := c.Expr()
		name := builtinName(c)
		if op == cue.CallOp {
			name, args = callName(c, args[0]), args[1:]
		} else {
			args = nil
		}
		if name != "" && !t.call(out, name, args) {
			return t.fail("type-unsupported", name+" is not supported as a constraint on a list", supported)
		}
	}
	elem := l.LookupPath(cue.MakePath(cue.AnyIndex))
	if n, err := l.Len().Int64(); err == nil {
		return t.tuple(out, l, int(n))
	}
	if _, err := l.List(); err != nil || hasItems(l) {
		return t.fail("type-unsupported", "a list of fixed items that goes on is not supported", "use [...T] for a list, or [A, B] for a tuple")
	}
	if !elem.Exists() {
		return t.fail("type-unsupported", "the list has no item type", "write [...T]")
	}
	out.Kind = contract.KindArray
	out.Elem = t.of(elem)
	return out
}

// withoutNull returns the struct of a constraint that allows null instead.
func withoutNull(v cue.Value) cue.Value {
	var out cue.Value
	for _, c := range conjuncts(v, nil) {
		if op, _ := c.Expr(); op != cue.SelectorOp && c.IncompleteKind() == cue.StructKind {
			out = both(out, c)
		}
	}
	if !out.Exists() {
		return v
	}
	return out
}

// hasItems reports whether a list has items of its own beside what may follow.
func hasItems(l cue.Value) bool {
	it, err := l.List()
	return err == nil && it.Next()
}

// tuple reads a list of fixed length.
func (t *typer) tuple(out *contract.Type, l cue.Value, n int) *contract.Type {
	if n == 0 {
		return t.fail("type-unsupported", "the list can only be empty", "write [...T], or leave the parameter out")
	}
	if out.MinLen != nil || out.MaxLen != nil || out.Unique {
		return t.fail("type-unsupported", "a tuple has its length already", "remove the constraint on its length or its items")
	}
	out.Kind = contract.KindTuple
	for i := range n {
		out.Items = append(out.Items, t.of(l.LookupPath(cue.MakePath(cue.Index(i)))))
	}
	return out
}

// object reads a struct: closed unless it is written with `...`, a map where it is `[string]: T` alone.
func (t *typer) object(out *contract.Type, v cue.Value) *contract.Type {
	if out.Nullable {
		v = withoutNull(v)
	}
	if len(t.path) > maxFollow {
		return t.fail("type-unsupported", "the type is nested too deeply", "flatten it")
	}
	out.Kind = contract.KindObject
	bodies := t.bodies(v, nil)
	declared := tableOf(bodies)
	it, err := v.Fields(cue.Optional(true))
	if err != nil {
		return t.fail("type-unsupported", "the struct cannot be read", supported)
	}
	fields := map[string]*contract.Param{}
	var names []string
	for it.Next() {
		name := it.Selector().Unquoted()
		if bad := marked([]string{name}); bad != "" {
			return t.fail("text-computed", "the name of a property is a reference: "+bad, "write it as it is")
		}
		if name == "" {
			return t.fail("type-unsupported", "a property has the empty name", "give it a name")
		}
		names = append(names, name)
		inner := &typer{e: t.e, path: t.path, defaulted: t.defaulted, inUnion: true}
		p := &contract.Param{Name: name, Optional: it.Selector().ConstraintType() == cue.OptionalConstraint, Pos: t.e.fieldPos(t.path...)}
		for i, d := range declared.byLabel[name] {
			if i == 0 && t.e.p.inProject(d.field.Pos()) {
				p.Pos = t.e.p.pos(d.field.Pos())
			}
			if doc := t.e.commentDoc(d.field); doc != nil {
				p.Doc = doc
			}
		}
		p.Type = inner.of(it.Value())
		t.failed = t.failed || inner.failed
		fields[name] = p
	}
	for _, name := range declared.arrange(names) {
		out.Fields = append(out.Fields, fields[name])
	}
	for _, b := range bodies {
		for _, d := range b.decls {
			switch d := d.(type) {
			case *ast.Ellipsis:
				out.Rest = &contract.Type{Kind: contract.KindAny}
			case *ast.Field:
				if !isPattern(d) {
					continue
				}
				if !t.pattern(out, v, d) {
					return t.fail("type-unsupported", "the pattern of property names is not supported", `use [string]: T, or [=~"re"]: T with a regular expression`)
				}
			}
		}
	}
	return out
}

// pattern adds what undeclared properties may be: all of them, or those whose names match a regular expression.
func (t *typer) pattern(out *contract.Type, v cue.Value, d *ast.Field) bool {
	re, all := patternOf(d)
	if all {
		rest := v.LookupPath(cue.MakePath(cue.AnyString))
		if !rest.Exists() {
			return false
		}
		out.Rest = t.of(rest)
		return true
	}
	for _, p := range out.PatternRest {
		if p.Pattern == re {
			return true // CUE has made one of both already
		}
	}
	name, ok := t.sampleFor(re, out, v)
	if !ok {
		return false
	}
	// CUE gives no way to ask for a pattern's value, but says what a property of a matching name may be.
	value := v.FillPath(cue.MakePath(cue.Str(name)), t.e.ctx.CompileString("_")).LookupPath(cue.MakePath(cue.Str(name)))
	if !value.Exists() {
		return false
	}
	out.PatternRest = append(out.PatternRest, &contract.PatternRest{Pattern: re, Type: t.of(value)})
	return true
}

// patternOf reads the label of a pattern constraint: a regular expression, or string for all names.
func patternOf(d *ast.Field) (re string, all bool) {
	l := ast.Node(d.Label)
	if a, ok := l.(*ast.Alias); ok {
		l = a.Expr
	}
	list, ok := l.(*ast.ListLit)
	if !ok || len(list.Elts) != 1 {
		return "", false
	}
	x := list.Elts[0]
	if a, ok := x.(*ast.Alias); ok {
		x = a.Expr
	}
	switch x := x.(type) {
	case *ast.Ident:
		return "", x.Name == "string"
	case *ast.UnaryExpr:
		if lit, ok := x.X.(*ast.BasicLit); ok && x.Op == token.MAT {
			if s, err := literal.Unquote(lit.Value); err == nil {
				return s, false
			}
		}
	}
	return "", false
}

// sampleFor finds a property name that a pattern matches: no declared property, and one that no other pattern matches, if
// there is such a name. A pattern all of whose names another one matches allows what both allow.
func (t *typer) sampleFor(re string, out *contract.Type, v cue.Value) (string, bool) {
	var others []*regexp.Regexp
	for _, b := range t.bodies(v, nil) {
		b.each(0, func(f *ast.Field, _ *index) {
			if other, _ := patternOf(f); isPattern(f) && other != "" && other != re {
				if r, err := regexp.Compile(other); err == nil {
					others = append(others, r)
				}
			}
		})
	}
	found, ok := "", false
	for pick := range maxSamples {
		name, fits := sample(re, pick)
		if !fits || slices.ContainsFunc(out.Fields, func(f *contract.Param) bool { return f.Name == name }) {
			continue
		}
		if !slices.ContainsFunc(others, func(r *regexp.Regexp) bool { return r.MatchString(name) }) {
			return name, true
		}
		if !ok {
			found, ok = name, true
		}
	}
	return found, ok
}

// maxSamples is how many names of one pattern are tried.
const maxSamples = 16

// sample makes a string that a regular expression matches. pick chooses among alternatives and lengths.
func sample(re string, pick int) (string, bool) {
	r, err := syntax.Parse(re, syntax.Perl)
	if err != nil || re == "" {
		return "", false
	}
	var b strings.Builder
	write(&b, r, pick, 0)
	compiled, err := regexp.Compile(re)
	return b.String(), err == nil && compiled.MatchString(b.String())
}

func write(b *strings.Builder, r *syntax.Regexp, pick, depth int) {
	if depth > maxFollow {
		return
	}
	switch r.Op {
	case syntax.OpLiteral:
		b.WriteString(string(r.Rune))
	case syntax.OpCharClass:
		if len(r.Rune) > 0 {
			b.WriteRune(r.Rune[pick*2%len(r.Rune)])
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte("xyz0"[pick%4])
	case syntax.OpCapture, syntax.OpPlus:
		write(b, r.Sub[0], pick, depth+1)
	case syntax.OpStar, syntax.OpQuest:
		if pick%2 == 1 {
			write(b, r.Sub[0], pick/2, depth+1)
		}
	case syntax.OpRepeat:
		for range min(r.Min, 1000) {
			write(b, r.Sub[0], pick, depth+1)
		}
	case syntax.OpConcat:
		for _, s := range r.Sub {
			write(b, s, pick, depth+1)
		}
	case syntax.OpAlternate:
		write(b, r.Sub[pick%len(r.Sub)], pick/len(r.Sub), depth+1)
	}
}

// bodies returns the struct literals that a value comes from.
func (t *typer) bodies(v cue.Value, out []body) []body {
	op, args := v.Expr()
	if op == cue.AndOp && len(out) < maxConjuncts {
		for _, a := range args {
			out = t.bodies(a, out)
		}
		return out
	}
	switch s := v.Source().(type) {
	case *ast.Field:
		return append(out, t.e.ix.expand(s.Value, 0)...)
	case ast.Expr:
		return append(out, t.e.ix.expand(s, 0)...)
	}
	return out
}

// defs lists the definitions that types referred to.
func (e *pkgEval) defs() {
	for _, name := range keys(e.types) {
		e.out.Defs = append(e.out.Defs, e.types[name])
	}
}
