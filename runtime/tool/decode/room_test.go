package decode

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/toolgen-dev/toolgen/runtime/tool/schema"
)

// readList is a list as generated code reads it.
func readList[T any](d *Decoder, item func() T) []T {
	l := d.Array()
	list := []T{}
	for d.NextItem(&l) {
		if len(list) == cap(list) {
			list = append(make([]T, 0, d.Room(&l)), list...)
		}
		list = append(list, item())
	}
	return list
}

// readOnly reads the one field of an object.
func readOnly[T any](d *Decoder, value func() T) (v T) {
	o := d.Object()
	for d.NextField(&o) {
		v = value()
	}
	return v
}

func allocated(run func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	run()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// I10 holds for lists with Go types, where an item in memory is larger than the text it came from.
func TestListsStaySmall(t *testing.T) {
	rep := strings.Repeat
	type row [192]byte
	strs := func(d *Decoder) any { return readOnly(d, func() []string { return readList(d, d.String) }) }
	ints := func(d *Decoder) any { return readOnly(d, func() []int64 { return readList(d, d.Int) }) }
	rows := func(d *Decoder) any {
		return readOnly(d, func() []row { return readList(d, func() row { d.Skip(); return row{} }) })
	}
	nested := func(d *Decoder) any {
		return readOnly(d, func() [][]string { return readList(d, func() []string { return readList(d, d.String) }) })
	}
	required := object(schema.Field{Name: "a", Required: true, Type: str()})
	inner := "[" + rep(`"",`, 9_999) + `""]`
	for _, c := range []struct {
		name, list string
		elem       *schema.Type
		read       func(*Decoder) any
		ok         bool
	}{
		{"strings", rep(`"",`, 100_000) + `""`, str(), strs, true},
		{"strings, spaced", rep("\"\" ,\n", 100_000) + `""`, str(), strs, true},
		{"strings, cut off", rep(`"",`, 100_000) + `"`, str(), strs, false},
		{"commas", rep(`"",`, 64) + rep(",", 100_000) + `""`, str(), strs, false},
		{"zeros", rep(`"",`, 64) + rep("0,", 100_000) + `""`, str(), strs, false},
		{"zero at the end", rep(`"",`, 100_000) + "0", str(), strs, false},
		{"integers", rep(`0,`, 100_000) + `0`, integer(), ints, true},
		{"lists", rep(inner+",", 9) + inner, list(str()), nested, true},
		{"rows", rep(`{},`, 100_000) + `{}`, required, rows, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := engine(t, root(field("list", list(c.elem))))
			args := `{"list":[` + c.list + `]}`
			var r Report
			used := allocated(func() { _, r = Decode(e, args, c.read) })
			if limit := uint64(8*len(args) + 64<<10); used > limit || r.OK() != c.ok {
				t.Errorf("%d bytes allocated for %d, %.200s", used, len(args), r)
			}
			agree(t, e, args, r)
		})
	}
}

// I10 holds for bad texts whose values would be large: before many items are made, the text is known to fit. Good texts make
// what they say.
func TestItemsOfBadTexts(t *testing.T) {
	type row [512]byte
	rows := func(d *Decoder) []row {
		return readList(d, func() row { d.Skip(); return row{} })
	}
	var names strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&names, `"k%d":{},`, i)
	}
	anyRow := object(field("a", str()))
	byName := rest(object(), anyRow)
	s := root(field("list", list(anyRow)), field("lists", list(list(anyRow))), field("map", byName), field("last", integer()))
	short := "[" + strings.Repeat("{},", 3) + "{}],"
	for name, value := range map[string]string{
		"list": "[" + strings.Repeat("{},", 50_000) + "{}]", "lists": "[" + strings.Repeat(short, 10_000) + "[]]", "map": "{" + names.String() + `"last":{}}`,
	} {
		for last, ok := range map[string]bool{"1": true, `"1"`: false, "{}": false} {
			args := `{"` + name + `":` + value + `,"last":` + last + "}"
			e := engine(t, s)
			made := 0
			var r Report
			used := allocated(func() {
				_, r = Decode(e, args, func(d *Decoder) (out any) {
					o := d.Object()
					for d.NextField(&o) {
						switch o.Slot {
						case 0:
							list := rows(d)
							made, out = len(list), list
						case 1:
							lists := readList(d, func() []row { list := rows(d); made += len(list); return list })
							out = lists
						case 2:
							m := map[string]row{}
							in := d.Object()
							for d.NextField(&in) {
								d.Skip()
								m[in.Key] = row{}
							}
							made, out = len(m), m
						case 3:
							d.Int()
						}
					}
					return out
				})
			})
			if limit := uint64(8*len(args) + 64<<10 + maxItems*512); !ok && (used > limit || made > maxItems) || ok && made < 20_000 {
				t.Errorf("%s, %s: %d items, %d bytes allocated for %d", name, last, made, used, len(args))
			}
			if r.OK() != ok || !ok && codes(r) != "wrong-type@/last" {
				t.Errorf("%s, %s: %v", name, last, r)
			}
			agree(t, e, args, r)
		}
	}
}

// A list is what its text says, whatever its length, and has no more room than doubling gives a short one.
func TestRoom(t *testing.T) {
	bounded := &schema.Type{Kind: schema.Array, Elem: str(), Len: schema.Range{Max: 100, Bounded: true}}
	for _, typ := range []*schema.Type{list(str()), bounded} {
		e := engine(t, root(field("list", typ)))
		for _, n := range []int{0, 1, 3, 4, 5, 63, 64, 65, 99, 100, 129, 1000} {
			args := `{"list":[` + strings.TrimSuffix(strings.Repeat(`"x",`, n), ",") + `]}`
			got, r := Decode(e, args, func(d *Decoder) []string {
				return readOnly(d, func() []string { return readList(d, d.String) })
			})
			if typ == bounded && n > 100 {
				if len(r.Problems) != 1 || r.Problems[0].Code != TooLong {
					t.Errorf("%d: %v", n, r)
				}
				continue
			}
			want := make([]string, n)
			for i := range want {
				want[i] = "x"
			}
			most := max(4, 2*n)
			if n > countFrom {
				most = n
			}
			if typ == bounded {
				most = min(most, 100)
			}
			if !r.OK() || !reflect.DeepEqual(got, want) || cap(got) > most {
				t.Errorf("%d: %d items, room for %d, %v", n, len(got), cap(got), r)
			}
		}
	}
}

// BenchmarkLists compares lists that ask for room with those that append grows, from room for four on.
func BenchmarkLists(b *testing.B) {
	e := engine(b, root(field("list", list(str()))))
	grown := func(d *Decoder) []string {
		l := d.Array()
		list := []string{}
		for d.NextItem(&l) {
			if cap(list) == 0 {
				list = make([]string, 0, 4)
			}
			list = append(list, d.String())
		}
		return list
	}
	for _, n := range []string{"1", "3", "10", "100", "10000"} {
		size := map[string]int{"1": 1, "3": 3, "10": 10, "100": 100, "10000": 10000}[n]
		args := `{"list":["x"` + strings.Repeat(`,"x"`, size-1) + `]}`
		for name, read := range map[string]func(*Decoder) []string{"append": grown, "room": decodeStrings} {
			b.Run(n+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					Decode(e, args, func(d *Decoder) []string { return readOnly(d, func() []string { return read(d) }) })
				}
			})
		}
	}
}
