package decode

import (
	"slices"
	"strings"
	"testing"

	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

func secretField(name string, t *schema.Type) schema.Field {
	return schema.Field{Name: name, Type: t, Secret: true}
}

// A secret value is left out wherever it stands, whatever its type; everything else is as Normalize has it.
func TestRedact(t *testing.T) {
	tagged := func(tag string, fields ...schema.Field) schema.Case {
		kind := schema.Field{Name: "kind", Required: true, Type: &schema.Type{Kind: schema.String, Enum: []string{tag}}}
		return schema.Case{Tag: tag, Type: object(append([]schema.Field{kind}, fields...)...)}
	}
	limit := field("limit", integer())
	limit.Default = "10"
	hidden := secretField("hidden", str())
	hidden.Default = `"of the schema"`
	e := engine(t, root(
		secretField("token", str()), secretField("pin", integer()), secretField("deep", object(field("a", list(str())), secretField("b", str()))),
		field("list", list(object(field("x", str()), secretField("y", str())))),
		field("one", &schema.Type{Kind: schema.Tagged, Tag: "kind", Cases: []schema.Case{tagged("a", secretField("key", str())), tagged("b", field("key", str()))}}),
		field("any", &schema.Type{Kind: schema.Union, Cases: []schema.Case{{Type: object(secretField("k", integer()))}, {Type: object(field("k", str()))}}}),
		secretField("maybe", nullable(str())), limit, hidden,
	))
	for in, want := range map[string]string{
		`{}`:                                `{"limit":10,"hidden":"of the schema"}|`, // a default is no secret
		`{ "token" : "t0" , "limit": 5.0 }`: `{"token":"[secret]","limit":5,"hidden":"of the schema"}|"t0"`,
		`{"pin":1234,"hidden":"h"}`:         `{"pin":"[secret]","hidden":"[secret]","limit":10}|1234 "h"`,
		`{"deep":{"a":["p","q"],"b":"r"},"limit":1,"hidden":"h"}`:         `{"deep":"[secret]","limit":1,"hidden":"[secret]"}|{"a":["p","q"],"b":"r"} "h"`,
		`{"list":[{"x":"x","y":"s1"},{"y":"s2"}],"limit":1,"hidden":"h"}`: `{"list":[{"x":"x","y":"[secret]"},{"y":"[secret]"}],"limit":1,"hidden":"[secret]"}|"s1" "s2" "h"`,
		`{"one":{"kind":"a","key":"k1"},"limit":1,"hidden":"h"}`:          `{"one":{"kind":"a","key":"[secret]"},"limit":1,"hidden":"[secret]"}|"k1" "h"`,
		`{"one":{"key":"k1","kind":"b"},"limit":1,"hidden":"h"}`:          `{"one":{"key":"k1","kind":"b"},"limit":1,"hidden":"[secret]"}|"h"`,
		`{"any":{"k":17},"limit":1,"hidden":"h"}`:                         `{"any":{"k":"[secret]"},"limit":1,"hidden":"[secret]"}|17 "h"`,
		`{"any":{"k":"17"},"limit":1,"hidden":"h"}`:                       `{"any":{"k":"17"},"limit":1,"hidden":"[secret]"}|"h"`,
		`{"maybe":null,"limit":1,"hidden":"h"}`:                           `{"maybe":"[secret]","limit":1,"hidden":"[secret]"}|null "h"`,
	} {
		text, secrets, r := e.Redact(in)
		if got := string(text) + "|" + strings.Join(secrets, " "); got != want || !r.OK() {
			t.Errorf("%s: %s, want %s; %s", in, got, want, r)
		}
		// The same engine keeps them where they belong.
		if full, _ := e.Normalize(in); slices.ContainsFunc(secrets, func(s string) bool { return !strings.Contains(string(full), s) }) {
			t.Errorf("%s: normalized %s", in, full)
		}
	}
	if text, secrets, r := e.Redact(`{"token":7,"nope":"x"}`); text != nil || secrets != nil || r.OK() || strings.Contains(r.String(), "7") {
		t.Errorf("refused: %s %s %s", text, secrets, r)
	}
}

// A text in the wrong place is shown only where it cannot hold the arguments, secret ones too, behind prose or not.
func TestPreviewHoldsNoMore(t *testing.T) {
	for _, secret := range []bool{true, false} {
		token := field("token", str())
		token.Secret = secret
		e := engine(t, root(token, field("limit", integer())), WithMode(Tolerant))
		for _, in := range []string{
			`{"limit":"with {\"token\":\"hunter2\"}"}`, `{"limit":" [\"hunter2\"]"}`, `{"limit":"<token>hunter2</token>"}`, `{"limit":{"token":"hunter2"}}`,
		} {
			if got := e.Validate(in).String(); strings.Contains(got, "hunter2") == secret || !strings.Contains(got, "/limit: wrong-type") {
				t.Errorf("secret %v: %s: %s", secret, in, got)
			}
		}
		if got := e.Validate(`{"limit":"many"}`).String(); !strings.Contains(got, `got string "many"`) {
			t.Errorf("secret %v: %s", secret, got)
		}
	}
}

// What a strict pass met before the arguments were repaired is not told twice.
func TestRedactRepaired(t *testing.T) {
	e := engine(t, root(secretField("token", str()), field("limit", integer())), WithMode(Tolerant))
	text, secrets, r := e.Redact(`{"token":"t0","limit":"5"}`)
	if want := `{"token":"[secret]","limit":5}`; string(text) != want || !slices.Equal(secrets, []string{`"t0"`}) || !r.OK() {
		t.Errorf("%s %s %v", text, secrets, r)
	}
}
