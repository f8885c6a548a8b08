package contract

import (
	"fmt"
	"slices"
	"strings"
	"text/template/parse"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// NodeKind tells the nodes of a parsed text apart.
type NodeKind int

// The kinds of nodes.
const (
	NodeText  NodeKind = iota // Text, as it is
	NodeField                 // the value at Path
	NodeIf                    // Then where the value at Path is present and not zero, else Else
	NodeRange                 // Then for each item of the list at Path, Else where there is none
)

// Node is a piece of a message's text, as [ParseRender] reads it.
//
// A value is the one at Path, from the current dot: the message's fields, or inside a range the item. With Root it is
// from the message's fields in any case. An empty Path is the dot itself. A value that is absent or null, or that lies
// in an absent object, prints as nothing, counts as zero, and has no items. Zero are false, 0, the empty string and the
// empty list.
type Node struct {
	Kind NodeKind
	Text string
	Path []string // wire names
	Root bool

	Param *Param // the declared field at Path; nil for the dot
	Type  *Type  // of the value, with references to definitions followed

	Then, Else []Node
}

const (
	templateRule    = "result-template"
	templateNesting = 32      // levels; Go compiles no function that nests hundreds of them
	templateMax     = 1 << 18 // bytes; keeps the nesting within what can be followed
	templateUse     = "use text, {{.field}}, {{if .field}}..{{else}}..{{end}} and {{range .list}}..{{else}}..{{end}} only"
)

// ParseRender reads the text of a message: a subset of text/template, with fields by their wire names.
//
//	{{.field}} {{.object.field}} {{.}} {{$.field}}
//	{{if .field}} .. {{else if .other}} .. {{else}} .. {{end}}
//	{{range .list}} .. {{else}} .. {{end}}
//
// Trim markers and comments are as in text/template. What can be printed are strings, numbers, booleans and what is made
// of them: enumerations and times. Ranges go over lists. Everything else is a finding at the position of the text. defs
// finds the definitions that fields refer to; it may be nil where they refer to none.
func ParseRender(m *Message, defs *Definitions) ([]Node, diag.Findings) {
	return parseRender(m, defs, m.Name+".render")
}

func parseRender(m *Message, defs *Definitions, path string) ([]Node, diag.Findings) {
	r := &renderParser{pos: m.RenderPos, path: path}
	if r.pos == (diag.Position{}) {
		r.pos = m.Pos
	}
	if len(m.Render) > templateMax {
		r.fail(fmt.Sprintf("the text is %d bytes long, more than the %d that are read", len(m.Render), templateMax), "shorten it")
		return nil, r.findings
	}
	const name = "text"
	tree := parse.New(name)
	tree.Mode = parse.SkipFuncCheck // functions are refused below, by name
	trees := map[string]*parse.Tree{}
	if _, err := tree.Parse(m.Render, "", "", trees); err != nil {
		r.fail("the text cannot be read: line "+strings.TrimPrefix(err.Error(), "template: "+name+":"), templateUse)
		return nil, r.findings
	}
	for _, other := range sortedKeys(trees) {
		if other != name {
			r.refuse("{{define "+other+"}}", "a template of its own")
		}
	}
	r.root = place{t: &Type{Kind: KindObject, Fields: m.Fields}, defs: defs, what: m.Name}
	nodes := r.list(tree.Root, r.root)
	if nesting(nodes) > templateNesting {
		r.fail(fmt.Sprintf("the text nests more than %d levels of if and range", templateNesting), "say it in fewer levels")
	}
	if len(r.findings) > 0 {
		return nil, r.findings
	}
	return nodes, nil
}

// nesting counts the levels of if and range.
func nesting(nodes []Node) int {
	most := 0
	for _, n := range nodes {
		if n.Kind == NodeIf || n.Kind == NodeRange {
			most = max(most, 1+nesting(n.Then), 1+nesting(n.Else))
		}
	}
	return most
}

type renderParser struct {
	pos      diag.Position
	path     string
	root     place
	findings diag.Findings
}

// place is a value of the template: its type, and how to name it.
type place struct {
	t    *Type
	defs *Definitions
	what string
}

func (r *renderParser) fail(message, fix string) {
	r.findings.Add(diag.Finding{Rule: templateRule, Pos: r.pos, Path: r.path, Message: message, Fix: fix})
}

func (r *renderParser) refuse(construct, kind string) {
	r.fail(fmt.Sprintf("the text uses %s, which is %s", preview(construct), kind), templateUse)
}

func (r *renderParser) list(l *parse.ListNode, dot place) []Node {
	if l == nil {
		return nil
	}
	var out []Node
	for _, n := range l.Nodes {
		switch n := n.(type) {
		case *parse.TextNode:
			out = append(out, Node{Kind: NodeText, Text: string(n.Text)})
		case *parse.ActionNode:
			if node, v, ok := r.operand(n.Pipe, dot); ok && r.printable(n.String(), v) {
				node.Kind = NodeField
				out = append(out, node)
			}
		case *parse.IfNode:
			node, _, ok := r.operand(n.Pipe, dot)
			node.Kind, node.Then, node.Else = NodeIf, r.list(n.List, dot), r.list(n.ElseList, dot)
			if ok {
				out = append(out, node)
			}
		case *parse.RangeNode:
			node, v, ok := r.operand(n.Pipe, dot)
			item := place{what: "an item"}
			if ok {
				if v.t == nil || v.t.Kind != KindArray {
					r.fail(fmt.Sprintf("{{range %s}} goes over %s, which is %s and no list", preview(n.Pipe.String()), v.what, kindName(v.t)),
						"use range for lists, and if for what may be absent")
					ok = false
				} else {
					item.t, item.defs = v.defs.Resolve(v.t.Elem)
				}
			}
			if ok {
				node.Kind, node.Then = NodeRange, r.list(n.List, item)
				node.Else = r.list(n.ElseList, dot)
				out = append(out, node)
			}
		case *parse.CommentNode:
		default:
			r.refuse(head(n.String()), "not supported")
		}
	}
	return out
}

// operand reads the one value that an action, a condition or a range may name.
func (r *renderParser) operand(pipe *parse.PipeNode, dot place) (Node, place, bool) {
	switch {
	case len(pipe.Decl) > 0:
		r.refuse(pipe.String(), "a variable")
	case len(pipe.Cmds) != 1:
		r.refuse(pipe.String(), "a pipeline")
	default:
		args := pipe.Cmds[0].Args
		if id, ok := args[0].(*parse.IdentifierNode); ok {
			r.refuse(id.String(), "a function")
			break
		}
		if len(args) != 1 {
			r.refuse(pipe.String(), "a call")
			break
		}
		switch a := args[0].(type) {
		case *parse.DotNode:
			return Node{Type: dot.t}, dot, true
		case *parse.FieldNode:
			return r.field(a.String(), a.Ident, dot, false)
		case *parse.VariableNode:
			if a.Ident[0] == "$" {
				return r.field(a.String(), a.Ident[1:], r.root, true)
			}
			r.refuse(a.String(), "a variable")
		case *parse.StringNode, *parse.NumberNode, *parse.BoolNode, *parse.NilNode:
			r.refuse(a.String(), "a constant")
		default:
			r.refuse(a.String(), "an expression")
		}
	}
	return Node{}, place{}, false
}

// field follows a path of wire names from a value.
func (r *renderParser) field(construct string, path []string, at place, root bool) (Node, place, bool) {
	node := Node{Path: slices.Clone(path), Root: root, Type: at.t}
	for _, name := range path {
		if at.t == nil || at.t.Kind != KindObject {
			r.fail(fmt.Sprintf("the text uses %s, but %s is %s and has no field %s", construct, at.what, kindName(at.t), name), templateUse)
			return Node{}, place{}, false
		}
		var known []string
		node.Param = nil
		for _, f := range at.t.Fields {
			known = append(known, f.Name)
			if f.Name == name {
				node.Param = f
			}
		}
		if node.Param == nil {
			r.fail(fmt.Sprintf("the text uses %s, but %s has no field %s", construct, at.what, name), r.unknownFix(construct, name, known))
			return Node{}, place{}, false
		}
		t, defs := at.defs.Resolve(node.Param.Type)
		at = place{t: t, defs: defs, what: name}
	}
	node.Type = at.t
	return node, at, true
}

func (r *renderParser) unknownFix(construct, name string, known []string) string {
	if near, ok := diag.Nearest(name, known); ok {
		return fmt.Sprintf("did you mean {{%s}}?", strings.Replace(construct, "."+name, "."+near, 1))
	}
	if len(known) == 0 {
		return "declare the field: fields: " + name + `: {type: string, doc: "..."}`
	}
	return "the fields are " + strings.Join(known, ", ") + "; declare another one under fields"
}

// printable reports whether a value has one obvious form in a text.
func (r *renderParser) printable(construct string, v place) bool {
	if v.t != nil {
		switch v.t.Kind {
		case KindString, KindInt, KindNumber, KindBool:
			return true
		case KindArray:
			r.fail(fmt.Sprintf("%s prints %s, which is a list", construct, v.what),
				fmt.Sprintf("write {{range %s}}..{{end}}", strings.Trim(construct, "{}")))
			return false
		case KindObject:
			if len(v.t.Fields) > 0 {
				r.fail(fmt.Sprintf("%s prints %s, which is an object", construct, v.what), "print one of its fields, such as {{."+v.t.Fields[0].Name+"}}")
				return false
			}
		}
	}
	r.fail(fmt.Sprintf("%s prints %s, which is %s", construct, v.what, kindName(v.t)), "print strings, numbers, booleans and times only")
	return false
}

// head is the opening of a block, without its body.
func head(s string) string {
	if i := strings.Index(s, "}}"); i >= 0 {
		return s[:i+len("}}")]
	}
	return s
}

func kindName(t *Type) string {
	if t == nil {
		return "of no known type"
	}
	switch t.Kind {
	case KindAny:
		return "any value"
	case KindNull:
		return "null"
	case KindInt:
		return "an integer"
	case KindArray:
		return "a list"
	case KindObject:
		if len(t.Fields) == 0 && (t.Rest != nil || len(t.PatternRest) > 0) {
			return "a map"
		}
		return "an object"
	case KindTagged, KindUnion:
		return "a union"
	}
	return "a " + string(t.Kind)
}
