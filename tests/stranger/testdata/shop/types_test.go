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
			a.Filter = &shop.TypesFilter{Field: "f", Inner: &shop.TypesFilterInner{Deep: true}}
		},
		`{"text":"a","open":{"a":1,"b":[1, 2]}}`: func(a *shop.TypesArgs) {
			a.Open = &shop.TypesOpen{A: 1, Rest: map[string]json.RawMessage{"b": json.RawMessage("[1, 2]")}}
		},
		`{"text":"a","labels":{"k":"v"},"any":{"x":null}}`: func(a *shop.TypesArgs) {
			a.Labels, a.Any = tool.Some(map[string]string{"k": "v"}), tool.Some(json.RawMessage(`{"x":null}`))
		},
		`{"text":"a","points":[{"x":1},{"y":2,"x":3}]}`: func(a *shop.TypesArgs) {
			a.Points = []shop.TypesPointsItem{{X: 1, Y: 7}, {X: 3, Y: 2}}
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

// callKinds calls kinds under its options and returns what the handler saw.
func callKinds(t *testing.T, options shop.KindsOptions, result shop.KindsReport, args string) (shop.KindsArgs, tool.CallResult) {
	t.Helper()
	var seen shop.KindsArgs
	reg := tool.NewRegistry()
	err := shop.MountKinds(reg, options, func(_ context.Context, _ tool.Call, args shop.KindsArgs) (shop.KindsResult, error) {
		seen = args
		return result, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := reg.Scope()
	if err != nil {
		t.Fatal(err)
	}
	res := s.Call(context.Background(), tool.Call{Name: "kinds", Arguments: json.RawMessage(args)})
	return seen, res
}

func raw(s string) json.RawMessage { return json.RawMessage(s) }

func text(s string) *shop.Value { return &shop.Value{String: &s} }

func TestKinds(t *testing.T) {
	red, green := shop.ColorRed, shop.ColorDarkGreen
	for args, change := range map[string]func(*shop.KindsArgs){
		`{}`:                      func(*shop.KindsArgs) {},
		`{"pair":["a",3]}`:        func(a *shop.KindsArgs) { a.Pair = &shop.KindsPair{Item0: "a", Item1: 3} },
		`{"colour":"dark-green"}`: func(a *shop.KindsArgs) { a.Colour = &green },
		`{"pairs":[["a","red",null],["b","dark-green",{"label":"n"}]]}`: func(a *shop.KindsArgs) {
			a.Pairs = []shop.KindsPairsItem{{Item0: "a", Item1: red}, {Item0: "b", Item1: green, Item2: &shop.Node{Label: "n"}}}
		},
		`{"pairs":[]}`: func(a *shop.KindsArgs) { a.Pairs = []shop.KindsPairsItem{} },
		`{"shape":{"radius":2,"kind":"circle"}}`: func(a *shop.KindsArgs) {
			a.Shape = shop.Circle{Kind: shop.CircleKindCircle, Radius: 2}
		},
		`{"shape":{"kind":"square","side":1,"inner":{"length":4,"kind":"line"}}}`: func(a *shop.KindsArgs) {
			a.Shape = shop.KindsShapeSquare{Side: 1, Inner: shop.KindsShapeSquareInnerLine{Length: 4}}
		},
		`{"shapes":[{"kind":"point"},{"kind":"circle","radius":1}]}`: func(a *shop.KindsArgs) {
			a.Shapes = []shop.KindsShapesItem{shop.KindsShapesItemPoint{}, shop.Circle{Kind: shop.CircleKindCircle, Radius: 1}}
		},
		`{"maybe_shape":null}`: func(a *shop.KindsArgs) { a.MaybeShape = tool.Some[shop.KindsMaybeShape](nil) },
		`{"maybe_shape":{"kind":"point"}}`: func(a *shop.KindsArgs) {
			a.MaybeShape = tool.Some[shop.KindsMaybeShape](shop.KindsMaybeShapePoint{})
		},
		`{"where":"here"}`:        func(a *shop.KindsArgs) { a.Where = &shop.KindsWhere{String: ptr("here")} },
		`{"where":["a","b"]}`:     func(a *shop.KindsArgs) { a.Where = &shop.KindsWhere{Array: &[]string{"a", "b"}} },
		`{"where":[]}`:            func(a *shop.KindsArgs) { a.Where = &shop.KindsWhere{Array: &[]string{}} },
		`{"maybe_where":null}`:    func(*shop.KindsArgs) {},
		`{"maybe_where":7}`:       func(a *shop.KindsArgs) { a.MaybeWhere = &shop.KindsMaybeWhere{Integer: ptr[int64](7)} },
		`{"maybe_where":"x"}`:     func(a *shop.KindsArgs) { a.MaybeWhere = &shop.KindsMaybeWhere{String: ptr("x")} },
		`{"either":{"label":""}}`: func(a *shop.KindsArgs) { a.Either = &shop.KindsEither{Node: &shop.Node{}} },
		`{"either":"red"}`:        func(a *shop.KindsArgs) { a.Either = &shop.KindsEither{Color: &red} },
		`{"either":[]}`:           func(a *shop.KindsArgs) { a.Either = &shop.KindsEither{Array: &[]int64{}} },
		`{"either":["x"]}`:        func(a *shop.KindsArgs) { a.Either = &shop.KindsEither{Array2: &[]string{"x"}} },
		`{"either":{"x":true}}`:   func(a *shop.KindsArgs) { a.Either = &shop.KindsEither{Object: &map[string]bool{"x": true}} },
		`{"mixed":["a",{"id":1}]}`: func(a *shop.KindsArgs) {
			a.Mixed = []shop.KindsMixedItem{{String: ptr("a")}, {Object: &shop.KindsMixedItemObject{ID: 1}}}
		},
		`{"node":{"label":"a","next":{"label":"b","next":{"label":"c","kids":[{"label":"d"}]}}}}`: func(a *shop.KindsArgs) {
			a.Node = &shop.Node{Label: "a", Next: &shop.Node{Label: "b", Next: &shop.Node{Label: "c", Kids: []shop.Node{{Label: "d"}}}}}
		},
		`{"folder":{"name":"a","files":[{"name":"b","folder":{"name":"c","files":[]}}],"main":{"name":"d"}}}`: func(a *shop.KindsArgs) {
			a.Folder = &shop.Folder{Name: "a", Main: &shop.File{Name: "d"},
				Files: []shop.File{{Name: "b", Folder: &shop.Folder{Name: "c", Files: []shop.File{}}}}}
		},
		`{"when":{"op":"all","of":[{"op":"not","of":{"op":"is","field":"f","value":1}},{"op":"is","field":"g","value":"v"}]}}`: func(a *shop.KindsArgs) {
			a.When = shop.ConditionAll{Of: []shop.Condition{
				shop.ConditionNot{Of: shop.ConditionIs{Field: "f", Value: shop.ConditionIsValue{Integer: ptr[int64](1)}}},
				shop.ConditionIs{Field: "g", Value: shop.ConditionIsValue{String: ptr("v")}},
			}}
		},
		`{"colours":["red"],"rank":10,"ranks":{"a":2}}`: func(a *shop.KindsArgs) {
			a.Colours, a.Rank, a.Ranks = []shop.Color{red}, ptr(shop.Rank10), map[string]shop.Rank{"a": shop.Rank2}
		},
		`{"value":null}`: func(a *shop.KindsArgs) { a.Value = tool.Some[*shop.Value](nil) },
		`{"value":[1,null,{"a":["b",true]}]}`: func(a *shop.KindsArgs) {
			inner := &shop.Value{Array: &[]*shop.Value{text("b"), {Boolean: ptr(true)}}}
			a.Value = tool.Some(&shop.Value{Array: &[]*shop.Value{{Number: ptr(1.0)}, nil, {Object: &map[string]*shop.Value{"a": inner}}}})
		},
		`{"words":{"a":null,"b":{"c":{}}}}`: func(a *shop.KindsArgs) {
			a.Words = shop.Words{"a": nil, "b": &shop.Words{"c": &shop.Words{}}}
		},
		`{"extra":{"x-a":1}}`: func(a *shop.KindsArgs) { a.Extra = tool.Some(map[string]int64{"x-a": 1}) },
		`{"headers":{"x-b":"v","id":1}}`: func(a *shop.KindsArgs) {
			a.Headers = &shop.KindsHeaders{ID: 1, Rest: map[string]json.RawMessage{"x-b": raw(`"v"`)}}
		},
		`{"several":{"x-a":1,"y-b":"v"}}`: func(a *shop.KindsArgs) {
			a.Several = tool.Some(map[string]json.RawMessage{"x-a": raw("1"), "y-b": raw(`"v"`)})
		},
		`{"nothing":null,"holes":[null,"a"]}`: func(a *shop.KindsArgs) {
			a.Nothing, a.Holes = tool.Some(raw("null")), tool.Some([]*string{nil, ptr("a")})
		},
		`{"maybe_list":null}`: func(a *shop.KindsArgs) { a.MaybeList = tool.Some[*[]int64](nil) },
		`{"maybe_list":[1]}`:  func(a *shop.KindsArgs) { a.MaybeList = tool.Some(&[]int64{1}) },
		`{"by_name":{"a":[{"n":1}],"b":[]}}`: func(a *shop.KindsArgs) {
			a.ByName = map[string][]shop.KindsByNameItemItem{"a": {{N: 1}}, "b": {}}
		},
		`{"deep":{"inner":{}}}`: func(a *shop.KindsArgs) { a.Deep = &shop.KindsDeep{Size: 3, Inner: shop.KindsDeepInner{On: true}} },
		`{"deep":{"size":1,"color":"red","inner":{"on":false}}}`: func(a *shop.KindsArgs) {
			a.Deep = &shop.KindsDeep{Size: 1, Color: &red}
		},
	} {
		seen, res := callKinds(t, shop.KindsOptions{}, shop.KindsReport{}, args)
		if res.IsError {
			t.Errorf("%s: %s", args, res.Text)
			continue
		}
		want := shop.KindsArgs{Colour: &red}
		change(&want)
		if !reflect.DeepEqual(seen, want) {
			got, _ := json.Marshal(seen)
			t.Errorf("%s:\ngot  %+v\nwant %+v\n%s", args, seen, want, got)
		}
	}
	seen, res := callKinds(t, shop.KindsOptions{Colours: tool.Off}, shop.KindsReport{}, `{}`)
	if res.IsError || !reflect.DeepEqual(seen, shop.KindsArgs{}) {
		t.Errorf("without colours: %+v, %s", seen, res.Text)
	}
}

func TestKindsRefused(t *testing.T) {
	for args, want := range map[string]string{
		`{"pair":["a"]}`:                "too-short /pair",
		`{"pair":["a",1,2]}`:            "too-long /pair",
		`{"pair":["a",-1]}`:             "out-of-range /pair/1",
		`{"pair":{"a":1}}`:              "wrong-type /pair",
		`{"pairs":[["a","blue",null]]}`: "not-in-enum /pairs/0/1",
		`{"pairs":[["a","red",{"lable":"n","label":"x"}]]}`: "unknown-key /pairs/0/2/lable",
		`{"shape":null}`:                                               "wrong-type /shape",
		`{"shape":{"radius":1}}`:                                       "missing /shape/kind",
		`{"shape":{"kind":"oval"}}`:                                    "not-in-enum /shape/kind",
		`{"shape":{"kind":"circle","radius":0}}`:                       "out-of-range /shape/radius",
		`{"shape":{"kind":"square"}}`:                                  "missing /shape/side",
		`{"shape":{"kind":"square","side":1,"inner":{"kind":"line"}}}`: "missing /shape/inner/length",
		`{"shapes":[{"kind":"point"},{"kind":"point","x":1}]}`:         "unknown-key /shapes/1/x",
		`{"where":1}`:          "no-case /where",
		`{"where":[1]}`:        "wrong-type /where/0",
		`{"where":null}`:       "no-case /where",
		`{"maybe_where":true}`: "no-case /maybe_where",
		`{"either":[1,"x"]}`:   "no-case /either",
		`{"mixed":["a",{}]}`:   "missing /mixed/1/id",
		`{"node":{"label":"a","next":{"label":"b","next":{"labl":"c","label":"c"}}}}`: "unknown-key /node/next/next/labl",
		`{"folder":{"name":"a","files":[{"name":"b","folder":{}}]}}`:                  "missing /folder/files/0/folder/name",
		`{"when":{"op":"all","of":[{"op":"nor"}]}}`:                                   "not-in-enum /when/of/0/op",
		`{"when":{"op":"not","of":{"op":"is","field":"f","value":[]}}}`:               "no-case /when/of/value",
		`{"rank":3}`:                     "not-in-enum /rank",
		`{"ranks":{"a":0}}`:              "not-in-enum /ranks/a",
		`{"words":{"a":1}}`:              "wrong-type /words/a",
		`{"extra":{"y-a":1}}`:            "unknown-key /extra/y-a",
		`{"extra":{"x-a":"1"}}`:          "wrong-type /extra/x-a",
		`{"headers":{"id":1,"x-a":1}}`:   "wrong-type /headers/x-a",
		`{"headers":{"id":1,"z":1}}`:     "unknown-key /headers/z",
		`{"several":{"y-a":1}}`:          "wrong-type /several/y-a",
		`{"nothing":0}`:                  "wrong-type /nothing",
		`{"holes":[1]}`:                  "wrong-type /holes/0",
		`{"maybe_list":[null]}`:          "wrong-type /maybe_list/0",
		`{"by_name":{"a":[{}]}}`:         "missing /by_name/a/0/n",
		`{"deep":{}}`:                    "missing /deep/inner",
		`{"deep":{"inner":{"on":null}}}`: "wrong-type /deep/inner/on",
	} {
		seen, res := callKinds(t, shop.KindsOptions{}, shop.KindsReport{}, args)
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
	_, res := callKinds(t, shop.KindsOptions{Colours: tool.Off}, shop.KindsReport{}, `{"colour":"red"}`)
	if !res.IsError || !strings.Contains(res.Text, "colours") {
		t.Errorf("a parameter that the options remove: %s", res.Text)
	}
}

// TestKindsSchema looks for the definitions that a variant's parameters reach, and for no other.
func TestKindsSchema(t *testing.T) {
	for _, option := range []tool.Switch{tool.On, tool.Off} {
		reg := tool.NewRegistry()
		if err := shop.MountKinds(reg, shop.KindsOptions{Colours: option}, func(context.Context, tool.Call, shop.KindsArgs) (shop.KindsResult, error) {
			return shop.KindsReport{}, nil
		}); err != nil {
			t.Fatal(err)
		}
		s, err := reg.Scope()
		if err != nil {
			t.Fatal(err)
		}
		var schema struct {
			Defs map[string]json.RawMessage `json:"$defs"`
		}
		if err := json.Unmarshal(s.Tools()[0].Parameters, &schema); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"Node", "Folder", "File", "Condition", "Circle", "Value", "Words", "Rank", "Color"} {
			if schema.Defs[name] == nil {
				t.Errorf("colours %v: the schema has no definition %s", option, name)
			}
		}
		if schema.Defs["Lid"] != nil {
			t.Error("the schema defines what only results use")
		}
	}
}

func TestKindsResult(t *testing.T) {
	green := shop.ColorDarkGreen
	for want, report := range map[string]shop.KindsReport{
		"untitled; ; \nno rows\n >  > \nno tags": {},
		"untitled; 0; dark-green\nno rows\na >  > \nno tags": {
			Title: tool.Some(ptr("")), Count: tool.Some(ptr[int64](0)), Color: &green, Node: &shop.Node{Label: "a"}, Tags: tool.Some[*[]string](nil),
		},
		"t; ; \nbox  of 0, lid none\nno rows\na > b > c [d] [e+]\n#x#y": {
			Title: tool.Some(ptr("t")), Count: tool.Some[*int64](nil), Box: &shop.KindsReportBox{Lid: tool.Some[*shop.Lid](nil)},
			Node: &shop.Node{Label: "a", Next: &shop.Node{Label: "b", Next: &shop.Node{Label: "c"}},
				Kids: []shop.Node{{Label: "d"}, {Label: "e", Next: &shop.Node{}}}},
			Tags: tool.Some(&[]string{"x", "y"}),
		},
		"untitled; ; \nbox n of 5, lid dark-green\n- a b (m of 5)\n- empty\n >  > \nno tags": {
			Box: &shop.KindsReportBox{Name: tool.Some(ptr("n")), Size: 5, Lid: tool.Some(&shop.Lid{Color: &green}),
				Rows: []shop.KindsReportBoxRowsItem{
					{Cells: []shop.KindsReportBoxRowsItemCellsItem{{Text: "a"}, {Text: "b", Note: tool.Some("m")}}}, {},
				}},
		},
	} {
		if _, res := callKinds(t, shop.KindsOptions{}, report, `{}`); res.IsError || res.Text != want {
			t.Errorf("got  %q\nwant %q", res.Text, want)
		}
	}
	if got := shop.ColorValues(); len(got) != 2 || got[1] != green || len(shop.RankValues()) != 3 {
		t.Errorf("the values of the definitions: %v, %v", got, shop.RankValues())
	}
}
