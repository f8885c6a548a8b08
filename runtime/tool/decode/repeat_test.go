package decode

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// What is wrong a hundred thousand times in one place is told once and counted in More, and never hides another problem.
func TestRepeats(t *testing.T) {
	rep := strings.Repeat
	const n = 500_000
	s := shape()
	s.Root.Fields = append(s.Root.Fields, schema.Field{Name: "keys", Slot: 200, Secret: true, Type: list(object(
		schema.Field{Name: "a", Required: true, Type: str()}, schema.Field{Name: "b", Required: true, Type: str()}))})
	e := engine(t, s)
	tail := `,"nope":1,"opt":{}}`
	for name, c := range map[string]struct {
		args, want string
		more       int
	}{
		"declared":         {`{"i":5` + rep(`,"i":5`, n) + tail, "unknown-key@/nope duplicate-key@/i missing@/opt/req", n - 1},
		"spelled":          {`{"i":5` + rep(`,"\u0069":5,"i":5`, n) + tail, "unknown-key@/nope duplicate-key@/i missing@/opt/req", 2*n - 1},
		"by turns":         {`{"i":5,"b":true` + rep(`,"i":5,"b":true`, n) + tail, "unknown-key@/nope duplicate-key@/i duplicate-key@/b missing@/opt/req", 2*n - 2},
		"unknown":          {`{"k":0` + rep(`,"k":0`, n) + tail, "unknown-key@/k unknown-key@/nope duplicate-key@/k missing@/opt/req", n - 1},
		"with duplicates":  {`{"any":0` + rep(`,"any":{"a":0,"a":0}`, n) + tail, "unknown-key@/nope duplicate-key@/any missing@/opt/req", n - 1},
		"inside of any":    {`{"any":{"k":0` + rep(`,"k":0`, n) + `,"l":0,"l":{"k":0,"k":1}}` + tail, "unknown-key@/nope duplicate-key@/any/k duplicate-key@/any/l duplicate-key@/any/l/k missing@/opt/req", 0},
		"secret values":    {`{"cfg":{"key":1` + rep(`,"x":1,"y":1`, n) + `}` + tail, "unknown-key@/cfg unknown-key@/nope wrong-type@/cfg duplicate-key@/cfg missing@/opt/req", 2*n - 2},
		"secret items":     {`{"keys":[0` + rep(`,0,"x"`, n) + `]` + tail, "unknown-key@/nope wrong-type@/keys missing@/opt/req", 2 * n},
		"secret absences":  {`{"keys":[{}` + rep(`,{}`, n) + `]` + tail, "unknown-key@/nope missing@/keys missing@/opt/req", 2*n + 1},
		"plain absences":   {`{"tree":{},"tag":{}` + tail, "unknown-key@/nope missing@/tree/v missing@/tag/kind missing@/opt/req", 0},
		"different places": {`{"uniq":[0,0,{"k":1,"k":2},{"k":1,"k":2}]` + tail, "unknown-key@/nope not-unique@/uniq/1 duplicate-key@/uniq/2/k duplicate-key@/uniq/3/k not-unique@/uniq/3 missing@/opt/req", 0},
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			r := e.Validate(c.args)
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("it took %v", took)
			}
			var got []string
			for _, p := range r.Problems {
				got = append(got, string(p.Code)+"@"+p.Pointer)
			}
			if s := strings.Join(got, " "); s != c.want || r.More != c.more {
				t.Errorf("got %s and %d more,\nwant %s and %d", s, r.More, c.want, c.more)
			}
		})
	}
}

// Long pointers are cut, so that many places may share one. They are told once, and cost little.
func TestRepeatsOfCutPointers(t *testing.T) {
	s := shape()
	s.Root.Fields = append(s.Root.Fields, schema.Field{Name: "map2", Slot: 200, Type: rest(object(), rest(object(), rest(object(), rest(object(), rest(object(), list(integer()))))))})
	e := engine(t, s)
	key := `{"` + strings.Repeat("k", 256) + `":`
	args := `{"map2":` + strings.Repeat(key, 5) + `["x"` + strings.Repeat(`,"x"`, 100_000) + "]" + strings.Repeat("}", 6)
	start := time.Now()
	var r Report
	used := allocated(func() { r = e.Validate(args) })
	if len(r.Problems) != 1 || r.More != 100_000 || !strings.HasSuffix(r.Problems[0].Pointer, "/…") {
		t.Errorf("%d problems and %d more: %.300s", len(r.Problems), r.More, r)
	}
	if limit := uint64(8*len(args) + 64<<10); used > limit || time.Since(start) > 3*time.Second {
		t.Errorf("%d bytes allocated for %d, in %v", used, len(args), time.Since(start))
	}
}

// A problem reads as it is written, whatever characters a model puts into keys and values.
func TestUnseenCharacters(t *testing.T) {
	e := engine(t, shape())
	for _, r := range "\x01\x7f\u0085\u00ad\u061c\u180e\u200b\u200d\u200e\u200f\u202a\u202e\u2028\u2029\u2066\u2069\ufeff\U000E0001\U000E0041\U000110BD" {
		escape := fmt.Sprintf(`\u%04x`, r)
		switch r {
		case 0xE0001:
			escape = `\udb40\udc01`
		case 0xE0041:
			escape = `\udb40\udc41`
		case 0x110BD:
			escape = `\ud804\udcbd`
		}
		key := string(r)
		if r < ' ' {
			key = escape // JSON has no other way to write it
		}
		got := e.Validate(`{"x` + key + `y":0,"mode":"` + key + `"}`).String()
		want := "/x" + escape + "y: unknown-key: "
		if !strings.HasPrefix(got, want) || !strings.HasSuffix(got, `; got string "`+escape+`"`) || strings.ContainsRune(got, r) {
			t.Errorf("%U: %q", r, got)
		}
	}
	if got := e.Validate(`{"héé日本😀":0}`).String(); !strings.HasPrefix(got, "/héé日本😀: ") {
		t.Errorf("%q", got)
	}
}
