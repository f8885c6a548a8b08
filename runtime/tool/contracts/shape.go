package contracts

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/toolgen-dev/toolgen/runtime/tool/decode"
	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// validate checks a text by tables of the very kind that the text is about.
func validate(shape *schema.Schema, text string) error {
	program, err := schema.Compile(shape)
	if err != nil {
		return err
	}
	engine, err := decode.New(program)
	if err != nil {
		return err
	}
	return joined(engine.Validate(text))
}

// checkFormat checks the revision before anything else is looked at: a file of a later one may have any other shape.
func checkFormat(text string) error {
	object := &schema.Type{Kind: schema.Object, Rest: &schema.Type{}, Fields: []schema.Field{
		{Name: "format", Required: true, Type: &schema.Type{Kind: schema.Int, Min: "1"}},
	}}
	program, err := schema.Compile(&schema.Schema{Root: object})
	if err != nil {
		return err
	}
	engine, err := decode.New(program)
	if err != nil {
		return err
	}
	format, report := decode.Decode(engine, text, func(d *decode.Decoder) (format int64) {
		o := d.Object()
		for d.NextField(&o) {
			if o.Slot == 0 {
				format = d.Int()
			}
		}
		return format
	})
	switch err := joined(report); {
	case err != nil:
		return err
	case format > Format:
		return &Error{"/format", fmt.Sprintf("revision %d is newer than this program, which reads %d: update github.com/toolgen-dev/toolgen in it", format, Format)}
	case format < Format:
		return &Error{"/format", fmt.Sprintf("revision %d is older than what this program reads, %d: run `toolgen generate` again", format, Format)}
	}
	return nil
}

// joined makes one error of a report, which joins an *Error for each problem.
func joined(r decode.Report) error {
	var list []error
	for _, p := range r.Problems {
		message := string(p.Code)
		sep := ": "
		for _, part := range []struct{ label, text string }{{"expected ", p.Expected}, {"got ", p.Got}, {"", p.Hint}} {
			if part.text != "" {
				message += sep + part.label + part.text
				sep = "; "
			}
		}
		list = append(list, &Error{p.Pointer, message})
	}
	if r.More > 0 {
		list = append(list, &Error{"", "and " + strconv.Itoa(r.More) + " more"})
	}
	return errors.Join(list...)
}

// modelShape is the tables of contracts.json. Objects are open: a later generator of the same revision may say more.
func modelShape() *schema.Schema {
	str, flag, any := &schema.Type{Kind: schema.String}, &schema.Type{Kind: schema.Bool}, &schema.Type{}
	name := &schema.Type{Kind: schema.String, Len: schema.Range{Min: 1}}
	count := &schema.Type{Kind: schema.Int, Min: "0", Max: strconv.Itoa(math.MaxInt)}
	positive := &schema.Type{Kind: schema.Int, Min: "0"}
	list := func(t *schema.Type) *schema.Type { return &schema.Type{Kind: schema.Array, Nullable: true, Elem: t} } // null is how Go writes an empty one
	word := func(words ...string) *schema.Type { return &schema.Type{Kind: schema.String, Enum: words} }
	ref := func(name string) *schema.Type { return &schema.Type{Kind: schema.Ref, Ref: name} }
	need := func(name string, t *schema.Type) schema.Field {
		return schema.Field{Name: name, Type: t, Required: true}
	}
	may := func(name string, t *schema.Type) schema.Field { return schema.Field{Name: name, Type: t} }
	object := func(fields ...schema.Field) *schema.Type {
		for i := range fields {
			fields[i].Slot = i
		}
		return &schema.Type{Kind: schema.Object, Fields: fields, Rest: any}
	}
	enumRef := object(need("package", name), need("name", name))
	text := list(&schema.Type{Kind: schema.Union, Cases: []schema.Case{
		{Type: str}, {Type: object(may("tool", str), may("param", str), may("enum", str), may("word", str))},
	}})
	retired := object(need("word", name), may("use", str), may("why", str))
	param := object(need("name", str), need("type", ref("type")), may("default", any), may("optional", flag),
		may("secret", flag), may("wrap", flag), may("unwrap", flag), may("aliases", list(name)))
	typ := object(need("kind", word("any", "null", "boolean", "integer", "number", "string", "array", "tuple", "object", "tagged", "union", "ref")),
		may("nullable", flag), may("enum", list(str)), may("enumRef", enumRef), may("min", str), may("max", str),
		may("exclusiveMin", flag), may("exclusiveMax", flag), may("multipleOf", str), may("not", list(str)),
		may("minLen", count), may("maxLen", count), may("patterns", list(str)), may("format", str),
		may("elem", ref("type")), may("items", list(ref("type"))), may("unique", flag), may("fields", list(ref("param"))),
		may("rest", ref("type")), may("patternRest", list(object(need("pattern", str), need("type", ref("type"))))),
		may("tag", str), may("cases", list(object(may("tag", str), need("type", ref("type"))))), may("ref", str), may("refPackage", str))
	option := object(need("name", name), need("kind", word("bool", "enum", "open")), may("values", list(name)),
		need("default", any), may("type", ref("type")))
	variant := object(
		need("clauses", list(object(may("id", str), need("text", text)))), need("params", list(ref("param"))), need("schema", text),
		may("fixed", list(object(need("name", str), need("value", any)))), may("needs", list(name)), may("results", list(name)),
		may("sections", list(object(need("label", name), need("order", &schema.Type{Kind: schema.Number}), need("text", text)))),
		need("concurrency", word("exclusive", "safe")),
		may("hints", object(may("readOnly", flag), may("destructive", flag), may("idempotent", flag), may("openWorld", flag))),
		may("limits", object(may("argumentBytes", positive), may("resultBytes", positive), may("timeout", str))))
	tool := object(need("name", name), may("wire", str), may("title", str), may("options", list(option)),
		need("args", list(object(need("name", str), need("type", ref("type"))))),
		may("results", list(object(need("name", name), may("fields", list(ref("param")))))),
		need("variants", list(variant)),
		need("combinations", list(object(need("variant", &schema.Type{Kind: schema.Int, Min: "-1", Max: "255"}), may("rejected", str)))),
		may("retired", object(may("names", list(name)), may("params", list(retired)))))
	pkg := object(need("path", name), may("tools", list(tool)),
		may("enums", list(object(need("name", name), may("retired", list(retired))))), may("defs", list(object(need("name", name), need("type", ref("type"))))))
	return &schema.Schema{
		Root: object(need("format", positive), need("packages", list(pkg))),
		Defs: []schema.Def{{Name: "type", Type: typ}, {Name: "param", Type: param}},
	}
}
