package decode

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// FuzzKept compares what is read with what encoding/json reads: of arguments that fit, everything is there as it was
// sent, and what is there besides is defaults. Of arguments that were repaired, the same holds for the repaired text.
func FuzzKept(f *testing.F) {
	for _, s := range append(append([]string{}, seeds...), tolerant...) {
		f.Add(s)
	}
	for _, s := range []string{`{"any":9007199254740993}`, `{"any":{"a":"\ud83d\ude00\u0000","b":[1e400,-0,"&lt;"]}}`, `{"big":9223372036854775807,"n":1.50}`} {
		f.Add(s)
	}
	e := engine(f, mendable(), WithMode(Tolerant))
	f.Fuzz(func(t *testing.T, args string) {
		text, r := e.Repair(args)
		out, _ := e.Normalize(args)
		if !r.OK() {
			if out != nil {
				t.Fatalf("%q is refused and normalized: %s", args, out)
			}
			return
		}
		if len(r.Repairs) == 0 && text != args {
			t.Fatalf("%q became %q", args, text)
		}
		sent, kept := value(t, text), value(t, string(out))
		for name, v := range sent {
			if !alike(v, kept[name]) {
				t.Fatalf("%q: %s was %v, and is %v", args, name, v, kept[name])
			}
		}
	})
}

func value(t *testing.T, text string) (v map[string]any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return v
}

// alike compares values; numbers by what they are, and of objects kept may have more: defaults of nested properties.
func alike(sent, kept any) bool {
	switch sent := sent.(type) {
	case map[string]any:
		m, ok := kept.(map[string]any)
		for name, v := range sent {
			w, there := m[name]
			ok = ok && there && alike(v, w)
		}
		return ok
	case []any:
		l, ok := kept.([]any)
		if !ok || len(l) != len(sent) {
			return false
		}
		for i := range sent {
			if !alike(sent[i], l[i]) {
				return false
			}
		}
		return true
	case json.Number:
		n, ok := kept.(json.Number)
		a, ok1 := schema.ParseDecimal(string(sent))
		b, ok2 := schema.ParseDecimal(string(n))
		return ok && ok1 && ok2 && a.Cmp(b) == 0
	}
	return reflect.DeepEqual(sent, kept)
}
