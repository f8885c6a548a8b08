package main

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/tool"

	"example.com/shop/gen/shop"
)

func scope(t *testing.T, seen *shop.TypesArgs) *tool.Scope {
	t.Helper()
	reg := tool.NewRegistry()
	err := shop.MountTypes(reg, shop.TypesOptions{}, func(_ context.Context, _ tool.Call, args shop.TypesArgs) (tool.Plain, error) {
		*seen = args
		return "ok", nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := reg.Scope()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func ptr[T any](v T) *T { return &v }

func TestTypes(t *testing.T) {
	base := func() shop.TypesArgs {
		return shop.TypesArgs{Text: "a", Count: 9007199254740993, Ratio: 0.5, Yes: true, Level: shop.TypesLevel2, Size: shop.SizeSmall,
			Sizes: []shop.Size{shop.SizeLarge}}
	}
	for args, change := range map[string]func(*shop.TypesArgs){
		`{"text":"a"}`:                              func(*shop.TypesArgs) {},
		`{"text":"a","yes":false}`:                  func(a *shop.TypesArgs) { a.Yes = false },
		`{"text":"a","count":-9223372036854775808}`: func(a *shop.TypesArgs) { a.Count = -9223372036854775808 },
		`{"text":"a","count":10.0}`:                 func(a *shop.TypesArgs) { a.Count = 10 },
		`{"text":"a","when":"2026-11-30T10:00:00+01:00"}`: func(a *shop.TypesArgs) {
			when, err := time.Parse(time.RFC3339, "2026-11-30T10:00:00+01:00")
			if err != nil {
				t.Fatal(err)
			}
			a.When = tool.Some(when)
		},
		`{"text":"a","maybe":null}`: func(a *shop.TypesArgs) { a.Maybe = tool.Some[*string](nil) },
		`{"text":"a","maybe":""}`:   func(a *shop.TypesArgs) { a.Maybe = tool.Some(ptr("")) },
		`{"text":"a","nil_int":3}`:  func(a *shop.TypesArgs) { a.NilInt = ptr[int64](3) },
		`{"text":"a","level":3,"size":"large","sizes":[]}`: func(a *shop.TypesArgs) {
			a.Level, a.Size, a.Sizes = shop.TypesLevel3, shop.SizeLarge, []shop.Size{}
		},
		`{"text":"a","tags":["x","y"],"grid":[[1],[],[2,3]]}`: func(a *shop.TypesArgs) {
			a.Tags, a.Grid = tool.Some([]string{"x", "y"}), tool.Some([][]int64{{1}, {}, {2, 3}})
		},
		`{"text":"a","filter":{"field":"f","inner":{"deep":true}}}`: func(a *shop.TypesArgs) {
			a.Filter = tool.Some(shop.TypesFilter{Field: "f", Inner: tool.Some(shop.TypesFilterInner{Deep: true})})
		},
		`{"text":"a","open":{"a":1,"b":[1, 2]}}`: func(a *shop.TypesArgs) {
			a.Open = tool.Some(shop.TypesOpen{A: 1, Rest: map[string]json.RawMessage{"b": json.RawMessage("[1, 2]")}})
		},
		`{"text":"a","labels":{"k":"v"},"any":{"x":null}}`: func(a *shop.TypesArgs) {
			a.Labels, a.Any = tool.Some(map[string]string{"k": "v"}), tool.Some(json.RawMessage(`{"x":null}`))
		},
		`{"text":"a","points":[{"x":1},{"y":2,"x":3}]}`: func(a *shop.TypesArgs) {
			a.Points = tool.Some([]shop.TypesPointsItem{{X: 1, Y: 7}, {X: 3, Y: 2}})
		},
		`{"text":"a","page[size]":5,"type":"t","small":255}`: func(a *shop.TypesArgs) {
			a.PageSize, a.Type, a.Small = tool.Some[int64](5), tool.Some("t"), tool.Some[int64](255)
		},
	} {
		var seen shop.TypesArgs
		res := scope(t, &seen).Call(context.Background(), tool.Call{Name: "all-types", Arguments: json.RawMessage(args)})
		if res.IsError {
			t.Errorf("%s: %s", args, res.Text)
			continue
		}
		want := base()
		change(&want)
		if !reflect.DeepEqual(seen, want) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", args, seen, want)
		}
	}
}

func TestTypesRefused(t *testing.T) {
	for args, want := range map[string]string{
		`{}`:                               "missing /text",
		`{"text":""}`:                      "too-short /text",
		`{"text":"abcd"}`:                  "too-long /text",
		`{"text":"A"}`:                     "pattern /text",
		`{"text":"a","when":"2026-11-30"}`: "format /when",
		`{"text":"a","small":256}`:         "out-of-range /small",
		`{"text":"a","count":9223372036854775808}`:     "out-of-range /count",
		`{"text":"a","count":1.5}`:                     "wrong-type /count",
		`{"text":"a","ratio":1}`:                       "out-of-range /ratio",
		`{"text":"a","level":4}`:                       "not-in-enum /level",
		`{"text":"a","size":"medium"}`:                 "not-in-enum /size",
		`{"text":"a","tags":[]}`:                       "too-short /tags",
		`{"text":"a","tags":["x","x"]}`:                "not-unique /tags/1",
		`{"text":"a","filter":{"max":1}}`:              "missing /filter/field",
		`{"text":"a","filter":{"field":"f","fild":1}}`: "unknown-key /filter/fild",
		`{"text":"a","open":{}}`:                       "missing /open/a",
		`{"text":"a","points":[{"y":1}]}`:              "missing /points/0/x",
		`{"text":"a","text":"b"}`:                      "duplicate-key /text",
		`{"text":"a","yes":null}`:                      "wrong-type /yes",
		`{"text":"a"`:                                  "truncated ",
	} {
		var seen shop.TypesArgs
		res := scope(t, &seen).Call(context.Background(), tool.Call{Name: "all-types", Arguments: json.RawMessage(args)})
		if !res.IsError || len(res.Arguments.Problems) != 1 {
			t.Errorf("%s: accepted, or more than one problem: %+v", args, res)
			continue
		}
		p := res.Arguments.Problems[0]
		if got := string(p.Code) + " " + p.Pointer; got != want {
			t.Errorf("%s: got %q, want %q", args, got, want)
		}
		if !reflect.ValueOf(seen).IsZero() {
			t.Errorf("%s: the handler ran", args)
		}
	}
	if !strings.Contains(string(scopeTool(t).Parameters), "X of `all-types`.") {
		t.Error("a text does not show the mounted name")
	}
}

func scopeTool(t *testing.T) tool.Definition {
	var seen shop.TypesArgs
	return scope(t, &seen).Tools()[0]
}
