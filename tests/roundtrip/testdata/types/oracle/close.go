package main

import (
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/ast/astutil"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"
)

// closed rewrites a spec so that CUE closes what toolgen takes as closed: every struct of a type that is not written with
// `...`. A definition would do so by itself, but for literals that meet a validator (`[...{}] & list.UniqueItems()`).
func closed(name string, src []byte) ([]byte, error) {
	f, err := parser.ParseFile(name, src, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	astutil.Apply(f, func(c astutil.Cursor) bool {
		field, ok := c.Node().(*ast.Field)
		if !ok {
			return true
		}
		name, _, err := ast.LabelName(field.Label)
		if err == nil && (name == "type" || strings.HasPrefix(name, "#")) {
			field.Value = closeAll(field.Value)
			return false
		}
		return true
	}, nil)
	return format.Node(f)
}

// closeAll closes the structs of a type.
func closeAll(x ast.Expr) ast.Expr {
	if b, ok := x.(*ast.BinaryExpr); ok && b.Op == token.AND {
		if found, open := joined(b); found && !open {
			return ast.NewCall(ast.NewIdent("close"), b)
		} else if found {
			return b
		}
	}
	if s, ok := x.(*ast.StructLit); ok {
		open := inside(s)
		if open {
			return s
		}
		return ast.NewCall(ast.NewIdent("close"), s)
	}
	switch x := x.(type) {
	case *ast.BinaryExpr:
		x.X, x.Y = closeAll(x.X), closeAll(x.Y)
	case *ast.ParenExpr:
		x.X = closeAll(x.X)
	case *ast.ListLit:
		for i, e := range x.Elts {
			if rest, ok := e.(*ast.Ellipsis); !ok {
				x.Elts[i] = closeAll(e)
			} else if rest.Type != nil {
				rest.Type = closeAll(rest.Type)
			}
		}
	case *ast.CallExpr:
		for i, a := range x.Args {
			if literal(a) {
				inside(a)
			} else {
				x.Args[i] = closeAll(a)
			}
		}
	}
	return x
}

// joined closes what the structs of a conjunction have inside; those are closed together. It reports whether there are
// any, and whether one is open.
func joined(x ast.Expr) (found, open bool) {
	switch x := x.(type) {
	case *ast.BinaryExpr:
		if x.Op == token.AND {
			f, o := joined(x.X)
			g, p := joined(x.Y)
			return f || g, o || p
		}
	case *ast.StructLit:
		return true, inside(x)
	}
	return false, false
}

func literal(x ast.Expr) bool {
	_, ok := x.(*ast.StructLit)
	return ok
}

// inside closes what the fields of a literal have, and reports whether the literal itself is open.
func inside(x ast.Expr) (open bool) {
	for _, d := range x.(*ast.StructLit).Elts {
		switch d := d.(type) {
		case *ast.Ellipsis:
			open = true
		case *ast.Field:
			d.Value = closeAll(d.Value)
		}
	}
	return open
}
