package load

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// vocabulary lists the fields of the spec language by what they belong to. CUE refuses others too, but where it sees
// them it gives neither their position nor the name that was meant.
func vocabulary(kind string) []string {
	switch kind {
	case "file":
		return []string{"tools", "enums", "notices", "budgets"}
	case "budgets":
		return []string{"description", "doc", "section", "tool"}
	case "tool":
		return []string{"wire", "title", "options", "description", "clauses", "params", "fixed", "results", "sections", "examples",
			"needs", "concurrency", "hints", "limits", "retired"}
	case "param":
		return []string{"doc", "type", "fields", "items", "default", "optional", "secret", "wrap", "unwrap", "aliases"}
	case "message":
		return []string{"fields", "list", "render", "empty"}
	case "section":
		return []string{"order", "text", "file"}
	case "enum":
		return []string{"values", "retired", "from"}
	case "word":
		return []string{"doc"}
	case "retired":
		return []string{"use", "why"}
	case "hints":
		return []string{"readOnly", "destructive", "idempotent", "openWorld"}
	case "limits":
		return []string{"argumentBytes", "resultBytes", "timeout"}
	case "from":
		return []string{"facts", "rules"}
	case "retiredNames":
		return []string{"names", "params"}
	}
	return nil
}

// checkSyntax applies the rules that only the syntax can show.
func (e *pkgEval) checkSyntax() {
	e.checkLanguage()
	e.checkFields()
	for _, name := range e.declared("tools") {
		e.checkTool([]string{"tools", name})
	}
	for _, name := range e.declared("enums") {
		e.checkMapping([]string{"enums", name})
	}
	for _, f := range e.inst.Files {
		e.checkReferences(f)
	}
}

// checkFields refuses fields that the language does not have. It needs nothing evaluated.
func (e *pkgEval) checkFields() {
	e.known("file", nil)
	for _, name := range e.declared("tools") {
		base := []string{"tools", name}
		e.known("tool", base)
		e.knownParams(sub(base, "params"))
		e.knownMessages(sub(base, "results"))
		for _, s := range e.declared(sub(base, "sections")...) {
			e.known("section", sub(base, "sections", s))
		}
		e.known("hints", sub(base, "hints"))
		e.known("limits", sub(base, "limits"))
		e.known("retiredNames", sub(base, "retired"))
	}
	for _, name := range e.declared("enums") {
		base := []string{"enums", name}
		e.known("enum", base)
		e.listedWords(sub(base, "values"))
		for _, w := range e.declared(sub(base, "values")...) {
			e.known("word", sub(base, "values", w))
		}
		for _, w := range e.declared(sub(base, "retired")...) {
			e.known("retired", sub(base, "retired", w))
		}
		e.known("from", sub(base, "from"))
	}
	e.knownMessages([]string{"notices"})
	e.known("budgets", []string{"budgets"})
}

func (e *pkgEval) knownParams(path []string) {
	if len(path) > maxFollow {
		return
	}
	for _, p := range e.declared(path...) {
		at := sub(path, p)
		if e.bareParam(at) {
			continue
		}
		e.known("param", at)
		e.knownParams(sub(at, "fields"))
		for items := sub(at, "items"); len(e.ix.fields(items...)) > 0 && len(items) < maxFollow; items = sub(items, "items") {
			e.known("param", items)
			e.knownParams(sub(items, "fields"))
		}
	}
}

func (e *pkgEval) knownMessages(path []string) {
	for _, r := range e.declared(path...) {
		e.known("message", sub(path, r))
		e.knownParams(sub(path, r, "fields"))
	}
}

// declared returns the labels that the syntax declares at a path.
func (e *pkgEval) declared(path ...string) []string {
	return slices.DeleteFunc(slices.Clone(e.ix.table(path...).labels), func(l string) bool { return l == dynamic })
}

// known reports the fields at a path that the language does not have. Hidden fields and definitions are the user's own.
func (e *pkgEval) known(kind string, path []string) {
	names := vocabulary(kind)
	for _, l := range e.declared(path...) {
		if strings.HasPrefix(l, "_") || strings.HasPrefix(l, "#") || slices.Contains(names, l) {
			continue
		}
		p := sub(path, l)
		if !e.p.inProject(e.ix.fields(p...)[0].Pos()) {
			continue // the spec language itself, reached by reference
		}
		e.unknown = append(e.unknown, p)
		what := strings.Join(path, ".")
		if what == "" {
			what = "a spec package"
		}
		f := diag.Finding{Rule: "field-unknown", Pos: e.fieldPos(p...), Path: strings.Join(p, "."),
			Message: fmt.Sprintf("%s has no field %q", what, l), Fix: "its fields are " + strings.Join(names, ", ")}
		if l == "name" || l == "word" {
			f.Fix = "remove it: the label is the " + l
		} else if other, fix := inOtherLanguages(kind, l); fix != "" {
			f.Fix = fix
			e.wrong = append(e.wrong, sub(path, other))
		} else if near, ok := diag.Nearest(l, names); ok {
			f.Fix = "did you mean " + near + "?"
			e.wrong = append(e.wrong, sub(path, near)) // which is missing for no other reason
		}
		e.findings.Add(f)
	}
}

// checkMapping refuses words and facts that an enum's mapping names and does not have; CUE would list every value that
// the word is not.
func (e *pkgEval) checkMapping(base []string) {
	words, facts := e.declared(sub(base, "values")...), e.declared(sub(base, "from", "facts")...)
	report := func(n ast.Node, what, name string, among []string) {
		f := diag.Finding{Rule: "enum-from", Pos: e.p.pos(n.Pos()), Path: strings.Join(sub(base, "from", "rules"), "."),
			Message: fmt.Sprintf("%q is no %s of %s", name, what, base[1]), Fix: "there are " + strings.Join(among, ", ")}
		if near, ok := diag.Nearest(name, among); ok {
			f.Fix = "did you mean " + near + "?"
		}
		e.unknown = append(e.unknown, sub(base, "from"))
		e.findings.Add(f)
	}
	for _, rules := range e.ix.fields(sub(base, "from", "rules")...) {
		list, ok := rules.Value.(*ast.ListLit)
		if !ok {
			continue
		}
		for _, elt := range list.Elts {
			for _, b := range e.ix.expand(elt, 0) {
				b.each(0, func(f *ast.Field, in *index) {
					if lit, ok := f.Value.(*ast.BasicLit); ok && label(f) == "value" && lit.Kind == token.STRING {
						if word, err := strconv.Unquote(lit.Value); err == nil && !slices.Contains(words, word) {
							report(lit, "word", word, words)
						}
					}
					if label(f) != "when" {
						return
					}
					for _, w := range in.expand(f.Value, 0) {
						w.each(0, func(f *ast.Field, _ *index) {
							l := label(f)
							if l != "" && !slices.Contains(facts, l) {
								report(f, "fact", l, facts)
								return
							}
							var values []string
							at := sub(base, "from", "facts", l)
							if e.ofWrongEnum(at) {
								return
							}
							for _, c := range constants(e.at(e.val, at...)) {
								values = append(values, scalarText(c))
							}
							if lit, ok := f.Value.(*ast.BasicLit); ok && lit.Kind == token.STRING && len(values) > 0 {
								if v, err := strconv.Unquote(lit.Value); err == nil && !slices.Contains(values, v) {
									report(lit, "value of "+l+" in the mapping", v, values)
								}
							}
						})
					}
				})
			}
		}
	}
}

// inOtherLanguages says how the spec language writes what JSON Schema and other tools write with a field: by which field
// of its own, and in words.
func inOtherLanguages(kind, field string) (own, fix string) {
	switch {
	case kind == "param" && (field == "description" || field == "desc" || field == "help"):
		return "doc", "write doc"
	case kind == "param" && field == "required":
		return "optional", "remove it: a parameter is required unless it has a default or says optional: true"
	case kind == "param" && field == "enum":
		return "type", `write type: "a" | "b"`
	case kind == "param" && field == "properties":
		return "fields", "write fields"
	case kind == "tool" && (field == "parameters" || field == "inputSchema" || field == "input_schema"):
		return "params", "write params"
	}
	return "", ""
}

func (e *pkgEval) unknownField(p []string) bool {
	return slices.ContainsFunc(e.unknown, func(u []string) bool { return len(p) >= len(u) && slices.Equal(p[:len(u)], u) })
}

// checkReferences refuses what a text may not read through tools.X and enums.X: another tool's defaults depend on
// options that are not known here.
func (e *pkgEval) checkReferences(f *ast.File) {
	var visit func(n ast.Node, inText bool)
	visit = func(n ast.Node, inText bool) {
		ast.Walk(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				e.checkBraces(n)
			case *ast.Interpolation:
				for _, x := range n.Elts {
					visit(x, true)
				}
				return false
			case *ast.Field:
				if label(n) == "default" && e.checkDefault(n.Value) {
					return false
				}
			case *ast.LetClause:
				// A shorter name for a part of the way; what is read by it is checked where it is used.
				if _, ok := e.chain(n.Expr); ok {
					return false
				}
			case *ast.CallExpr:
				e.checkComputes(n.Args...)
			case *ast.SliceExpr:
				e.checkComputes(n.X)
			case *ast.BinaryExpr:
				if n.Op != token.AND && n.Op != token.OR && n.Op != token.ADD {
					e.checkComputes(n.X, n.Y)
				}
			case *ast.SelectorExpr, *ast.IndexExpr:
				chain, ok := e.chain(n.(ast.Expr))
				if !ok {
					return true
				}
				e.checkChain(n, chain, inText)
				return false
			}
			return true
		}, nil)
	}
	visit(f, false)
}

// checkBraces refuses a prompt file's reference in a CUE text: it would reach the model as it is.
func (e *pkgEval) checkBraces(lit *ast.BasicLit) {
	for rest := lit.Value; ; {
		_, after, ok := strings.Cut(rest, "{{")
		name, tail, closed := strings.Cut(after, "}}")
		if !ok || !closed {
			return
		}
		rest = tail
		ref := strings.Split(strings.TrimSpace(name), ".")
		if !validReference(ref) || !e.symbols.tools[ref[0]] && !e.symbols.enums[ref[0]] {
			continue // a template's field, or plain braces
		}
		fix := "write \\(tools." + ref[0] + ".name)"
		switch {
		case e.symbols.enums[ref[0]]:
			fix = "write \\(enums." + ref[0] + ".values.WORD.word)"
		case len(ref) > 1:
			fix = "write \\(tools." + strings.Join(ref[:2], ".params.") + ".name)"
		}
		e.findings.Add(diag.Finding{Rule: "text-reference", Pos: e.p.pos(lit.Pos()), Message: "{{" + name + "}} is a reference in prompt files only; in CUE it would reach the model as it is", Fix: fix})
	}
}

// checkComputes refuses a name or word as an operand: a text may show one, not compute with it, since a deployment can
// rename what it means.
func (e *pkgEval) checkComputes(operands ...ast.Expr) {
	for _, x := range operands {
		c, ok := e.chain(x)
		if !ok {
			c = e.ownName(x)
		}
		if len(c) == 0 || c[len(c)-1] != "name" && c[len(c)-1] != "word" {
			continue
		}
		e.badRefs = append(e.badRefs, x.Pos())
		e.findings.Add(diag.Finding{Rule: "text-computed", Pos: e.p.pos(x.Pos()), Path: strings.Join(c, "."),
			Message: "the text computes with the name " + strings.Join(c, "."), Fix: "show the name as it is: \\(" + strings.Join(c, ".") + ")"})
	}
}

// ownName returns the labels of params.P.name, by which a tool names a parameter of its own.
func (e *pkgEval) ownName(x ast.Expr) []string {
	s, ok := x.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	param, ok := s.X.(*ast.SelectorExpr)
	if !ok || !e.names(param.X, "params", 0) {
		return nil
	}
	last, _, err := ast.LabelName(s.Sel)
	name, _, errName := ast.LabelName(param.Sel)
	if err != nil || errName != nil {
		return nil
	}
	return []string{"params", name, last}
}

// chain returns the labels of a selection that starts at a package's tools or enums.
func (e *pkgEval) chain(x ast.Expr) ([]string, bool) {
	switch x := x.(type) {
	case *ast.Ident:
		if let, ok := x.Node.(*ast.LetClause); ok {
			return e.chain(let.Expr)
		}
		if x.Node == nil {
			return []string{x.Name}, x.Name == "tools" || x.Name == "enums"
		}
		for _, f := range e.inst.Files {
			for _, d := range f.Decls {
				fd, ok := d.(*ast.Field)
				if !ok {
					continue
				}
				// The name may be the field's own, or an alias of it.
				alias, _ := fd.Label.(*ast.Alias)
				if l := label(fd); (l == "tools" || l == "enums") && (x.Node == d || x.Node == fd.Value || alias != nil && x.Node == ast.Node(alias)) {
					return []string{l}, true
				}
			}
		}
	case *ast.SelectorExpr:
		name, _, err := ast.LabelName(x.Sel)
		if err != nil {
			return nil, false
		}
		if e.ix.imported(x.X) != nil {
			return []string{name}, name == "tools" || name == "enums"
		}
		c, ok := e.chain(x.X)
		return append(c, name), ok
	case *ast.IndexExpr:
		c, ok := e.chain(x.X)
		if !ok {
			return nil, false
		}
		if lit, isLit := x.Index.(*ast.BasicLit); isLit {
			if s, err := strconv.Unquote(lit.Value); err == nil {
				return append(c, s), true
			}
		}
		return append(c, ""), true
	}
	return nil, false
}

func (e *pkgEval) checkChain(n ast.Node, c []string, inText bool) {
	ok := false
	switch {
	case c[0] == "tools":
		ok = len(c) == 3 && c[2] == "name" || len(c) == 5 && c[2] == "params" && c[4] == "name"
	case inText:
		ok = len(c) == 5 && c[2] == "values" && c[4] == "word"
	default:
		ok = len(c) == 5 && c[2] == "values" && c[4] == "word" || len(c) == 3 && c[2] == "type"
	}
	if ok {
		e.checkNames(n, c)
		return
	}
	rule, msg := "text-reference", fmt.Sprintf("%s cannot be read from here", strings.Join(c, "."))
	if c[0] == "tools" && slices.Contains(c, "default") {
		rule, msg = "text-default", fmt.Sprintf("%s depends on options that are not known here", strings.Join(c, "."))
	}
	e.badRefs = append(e.badRefs, n.Pos())
	e.findings.Add(diag.Finding{Rule: rule, Pos: e.p.pos(n.Pos()), Path: strings.Join(c, "."), Message: msg,
		Fix: "through tools and enums read only tools.T.name, tools.T.params.P.name, enums.E.values.V.word and enums.E.type; within a tool write params.P.default"})
}

// checkNames says which name of a reference does not exist. CUE says only that the text around it cannot be computed.
func (e *pkgEval) checkNames(n ast.Node, c []string) {
	home := e.home(n)
	if home == nil || home.broken != nil {
		return
	}
	path := []string{}
	for _, name := range c[:len(c)-1] {
		have := home.ordered(home.at(home.val, path...), path...)
		step := sub(path, name)
		if slices.Contains(have, name) || len(path) == 0 {
			path = step
			continue
		}
		if e.cuts.unnamed || e.cuts.units[strings.Join(step[:min(2, len(step))], ".")] || len(step) > 2 && home.isWrong(step[:2]) {
			e.badRefs = append(e.badRefs, n.Pos()) // it may well exist where nothing could be read
			return
		}
		f := diag.Finding{Rule: "ref-unknown", Pos: e.p.pos(n.Pos()), Path: strings.Join(c, "."),
			Message: fmt.Sprintf("%s does not exist", strings.Join(step, "."))}
		if len(home.ix.fields(step...)) > 0 {
			f.Rule = "ref-absent"
			f.Message = fmt.Sprintf("%s does not exist under the default options of %s", strings.Join(step, "."), c[1])
			f.Fix = "within the tool refer to it relatively, under the condition that brings it: params." + name + ".name"
		} else if near, ok := diag.Nearest(name, have); ok {
			f.Fix = "did you mean " + near + "?"
		} else if len(have) > 0 && len(have) <= 20 {
			f.Fix = "there are " + strings.Join(have, ", ")
		}
		e.badRefs = append(e.badRefs, n.Pos())
		e.findings.Add(f)
		return
	}
}

// saidAlready reports whether a reference inside the field at a path was reported, so that CUE's word on the text as a
// whole adds nothing.
func (e *pkgEval) saidAlready(path []string) bool {
	if len(e.badRefs) == 0 {
		return false
	}
	for len(path) > 3 && len(e.ix.fields(path...)) == 0 {
		path = path[:len(path)-1] // an item of a list
	}
	for _, f := range e.ix.fields(path...) {
		for _, p := range e.badRefs {
			if within(p, f.Value) {
				return true
			}
		}
	}
	return false
}

// home is the package whose tools or enums a reference starts at.
func (e *pkgEval) home(n ast.Node) *pkgEval {
	for {
		switch x := n.(type) {
		case *ast.SelectorExpr:
			if ix := e.ix.imported(x.X); ix != nil {
				for _, b := range e.builds {
					if b.ix == ix {
						return b
					}
				}
				return nil
			}
			n = x.X
		case *ast.IndexExpr:
			n = x.X
		case *ast.Ident:
			let, ok := x.Node.(*ast.LetClause)
			if !ok {
				return e
			}
			n = let.Expr
		default:
			return nil
		}
	}
}
