package main

import (
	"context"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"math"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// TestPeers: what is measured does what the tables say of it.
func TestPeers(t *testing.T) {
	for _, p := range peers {
		for _, s := range shapes {
			r, err := p.opened(s)
			if err != nil {
				t.Error(err)
				continue
			}
			if err = r([]byte(s.two)); s.name == six.name && p.faults != nil && p.faults(err) != p.told() {
				t.Errorf("%s tells of %d faults: %v", p.name, p.faults(err), err)
			}
		}
		r, err := p.open(six)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range oddNames {
			if err := r([]byte(odd[name])); (err == nil) != p.accepts[name] {
				t.Errorf("%s, %s: %v", p.name, name, err)
			}
		}
	}
}

// told is how many of two faults a peer tells of.
func (p peer) told() int {
	switch p.name {
	case "toolgen", "tolerant", "check", "loaded", "bare", "santhosh", "mcpgo":
		return 2
	}
	return 1
}

// TestCopied: the functions that are measured are those of the generated mount functions.
func TestCopied(t *testing.T) {
	ours, err := parser.ParseFile(token.NewFileSet(), "ours.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string]string{"decodeSix": "six", "decodeTiny": "tiny", "decodeSixFilter": "six"} {
		source, err := generated.ReadFile("gen/bench/" + file + "_tool_gen.go")
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := parser.ParseFile(token.NewFileSet(), "", source, 0)
		if err != nil {
			t.Fatal(err)
		}
		body := bodyOf(ours, name)
		if body == nil {
			t.Fatalf("there is no %s", name)
		}
		want := bodyOf(theirs, name)
		if want == nil {
			want = decodeOf(theirs)
		}
		if want == nil {
			t.Fatalf("the generated file of %s has no such function", name)
		}
		if got, want := strings.ReplaceAll(print(t, body), "bench.", ""), print(t, want); got != want {
			t.Errorf("%s is\n%s\nand the generated function\n%s", name, got, want)
		}
	}
}

func bodyOf(f *ast.File, name string) *ast.BlockStmt {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == name {
			return fn.Body
		}
	}
	return nil
}

// decodeOf is the function that a generated mount function puts into its binding's Decode.
func decodeOf(f *ast.File) (body *ast.BlockStmt) {
	ast.Inspect(f, func(n ast.Node) bool {
		if kv, ok := n.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.Ident); ok && key.Name == "Decode" {
				if fn, ok := kv.Value.(*ast.FuncLit); ok {
					body = fn.Body
				}
			}
		}
		return true
	})
	return body
}

func print(t *testing.T, n ast.Node) string {
	t.Helper()
	var b strings.Builder
	if err := printer.Fprint(&b, token.NewFileSet(), n); err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// TestSchemas: the generated schemas say what the peers are given.
func TestSchemas(t *testing.T) {
	docs := regexp.MustCompile(`,"description":"[^"]*"`)
	for _, s := range shapes {
		c, err := contract(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := docs.ReplaceAllString(c.Variants[0].Schema[0].Lit, ""); got != s.schema {
			t.Errorf("%s is generated as\n%s, not\n%s", s.name, got, s.schema)
		}
	}
}

// TestFresh: what is generated here is what would be generated now.
func TestFresh(t *testing.T) {
	out, err := exec.Command("go", "tool", "toolgen", "check", "--full").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestRun prints all tables, of one short round: their shape, not their figures.
func TestRun(t *testing.T) {
	var out, log strings.Builder
	if err := run(&out, &log, []string{"-rounds", "1", "-slice", "10us"}); err != nil {
		t.Fatalf("%v\n%s", err, &log)
	}
	if kept == nil || sink == nil || result.IsError || done([]tool.CallResult{result}, 1) != nil || done(results, 64) != nil || len(scoped.Tools()) != 999 {
		t.Error("what was measured last did not do its work")
	}
	tables := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n\n")
	want := []int{len(peers), len(peers) - 1, 1 + len(dispatchers)*len(messageSizes), len(scopeCases) * len(scopeSizes)}
	if len(tables) != len(want) {
		t.Fatalf("%d tables:\n%s", len(tables), &out)
	}
	for i, table := range tables {
		lines := strings.Split(table, "\n")
		if len(lines) != want[i]+2 {
			t.Errorf("%d lines, not %d:\n%s", len(lines), want[i]+2, table)
		}
		for _, line := range lines {
			if strings.Count(line, "|") != strings.Count(lines[0], "|") || strings.Contains(line, "NaN") {
				t.Errorf("%q does not fit under %q", line, lines[0])
			}
		}
	}
}

func TestFlags(t *testing.T) {
	for _, args := range [][]string{{"-rounds", "0"}, {"-slice", "0s"}, {"-peers", "nobody"}, {"more"}, {"-x"}} {
		if _, err := parse(&strings.Builder{}, args); err == nil {
			t.Errorf("accepted %q", args)
		}
	}
	set, err := parse(&strings.Builder{}, []string{"-peers", "loaded"})
	if err != nil || len(set.peers) != 2 || set.peers[0].name != "valid" || set.peers[1].name != "loaded" {
		t.Errorf("got %v, %v", set, err)
	}
}

func TestMeasure(t *testing.T) {
	var kept []byte
	figures := measure(3, time.Millisecond, []probe{
		{"nothing", func() {}}, {"some", func() { kept = make([]byte, 1000) }},
	})
	if figures[0].allocs > 0.5 || math.Abs(figures[1].allocs-1) > 0.5 || math.Abs(figures[1].bytes-1024) > 100 || len(kept) != 1000 {
		t.Errorf("got %+v", figures)
	}
	if figures[0].ratio != 1 || figures[0].ns <= 0 || figures[1].ns <= 0 {
		t.Errorf("got %+v", figures)
	}
	if got := median([]float64{4, 1, 3, 2}); got != 2.5 {
		t.Errorf("median %v", got)
	}
	if got := number(1234567.4); got != "1,234,567" {
		t.Errorf("number %s", got)
	}
	if got := number(12); got != "12" {
		t.Errorf("number %s", got)
	}
}

// TestAllocations pins what reading a valid call allocates: the copy of its text, and its struct.
func TestAllocations(t *testing.T) {
	for _, open := range []func(shape) (read, error){openGenerated, openTolerant} {
		r, err := open(six)
		if err != nil {
			t.Fatal(err)
		}
		args := []byte(six.valid)
		if got := testing.AllocsPerRun(1000, func() { kept = r(args) }); got > 2 || kept != nil {
			t.Errorf("%v allocations, at most 2: %v", got, kept)
		}
	}
}

func BenchmarkArguments(b *testing.B) {
	for _, c := range columns {
		text, kind := c.shape.valid, "valid"
		if c.invalid {
			text, kind = c.shape.invalid, "invalid"
		}
		for _, p := range peers {
			b.Run(c.shape.name+"/"+kind+"/"+p.name, func(b *testing.B) {
				r, err := p.opened(c.shape)
				if err != nil {
					b.Fatal(err)
				}
				args := []byte(text)
				b.ReportAllocs()
				for b.Loop() {
					kept = r(args)
				}
			})
		}
	}
}

func BenchmarkDispatch(b *testing.B) {
	for _, d := range dispatchers {
		for _, n := range messageSizes {
			b.Run(strings.ReplaceAll(d.name, ", ", "-")+"/"+number(float64(n)), func(b *testing.B) {
				scope, err := d.open()
				if err != nil {
					b.Fatal(err)
				}
				dispatcher, calls := scope.Dispatcher(), message(n)
				b.ReportAllocs()
				for b.Loop() {
					if err := done(dispatcher.Dispatch(context.Background(), calls), n); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkScope(b *testing.B) {
	for _, c := range scopeCases {
		for _, n := range scopeSizes {
			b.Run(c.name+"/"+number(float64(n)), func(b *testing.B) {
				build, err := c.open(n)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				for b.Loop() {
					if scoped, err = build(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
