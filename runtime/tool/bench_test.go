package tool_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// BenchmarkScope makes scopes of tools that speak of each other: of a registry, and of a scope that hides nothing, or one.
func BenchmarkScope(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		reg := speakers(b, n)
		full, err := reg.Scope()
		if err != nil {
			b.Fatal(err)
		}
		for name, f := range map[string]func() (*tool.Scope, error){
			"registry": func() (*tool.Scope, error) { return reg.Scope() },
			"nested":   func() (*tool.Scope, error) { return full.Scope() },
			"but one":  func() (*tool.Scope, error) { return full.Scope(tool.Deny("tool_7")) },
		} {
			b.Run(fmt.Sprintf("tools=%d/%s", n, name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := f(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkDispatch runs messages of calls whose handlers return at once.
func BenchmarkDispatch(b *testing.B) {
	pass := tool.Middleware(func(next tool.Invoke) tool.Invoke {
		return func(ctx context.Context, inv *tool.Invocation) (tool.Output, error) { return next(ctx, inv) }
	})
	for _, safe := range []bool{true, false} {
		scope := scopeWith(b, fixture{name: "s", safe: safe, run: echo})
		for _, n := range []int{1, 8, 64} {
			list := make([]string, n)
			for i := range list {
				list[i] = "s x"
			}
			message := calls(list...)
			for name, d := range map[string]*tool.Dispatcher{"plain": scope.Dispatcher(), "middleware": scope.Dispatcher(tool.WithMiddleware(pass))} {
				b.Run(fmt.Sprintf("calls=%d/safe=%v/%s", n, safe, name), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						d.Dispatch(b.Context(), message)
					}
				})
			}
		}
	}
	b.Run("one call of a scope", func(b *testing.B) {
		scope := scopeWith(b, fixture{name: "s", run: echo})
		call := calls("s x")[0]
		b.ReportAllocs()
		for b.Loop() {
			scope.Call(b.Context(), call)
		}
	})
}
