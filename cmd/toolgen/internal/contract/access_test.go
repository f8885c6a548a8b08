package contract

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRemovedBy: the fewest options whose other choice brings a parameter back, whatever combinations are rejected.
func TestRemovedBy(t *testing.T) {
	flag := func(name string) *Option {
		return &Option{Name: name, Kind: OptionBool, Values: []string{"false", "true"}}
	}
	with := func(names ...string) *Variant {
		v := &Variant{}
		for _, n := range names {
			v.Params = append(v.Params, &Param{Name: n})
		}
		return v
	}
	tool := &Tool{
		Options:      []*Option{flag("wide"), {Name: "depth", Kind: OptionOpen}, flag("deep")},
		Variants:     []*Variant{with("q"), with("q", "one"), with("q", "one", "two")},
		Combinations: []*Combination{{Variant: 0}, {Variant: 0}, {Variant: 1}, {Variant: 2}},
	}
	require.Equal(t, []string{"wide"}, tool.RemovedBy(0, "one"))
	require.Equal(t, []string{"wide"}, tool.RemovedBy(0, "two"), "from the nearest of the choices that have the variant")
	require.Equal(t, []string{"deep"}, tool.RemovedBy(1, "two"))
	require.Empty(t, tool.RemovedBy(0, "nowhere"))

	tool.Combinations = []*Combination{{Variant: 0}, {Variant: -1, Rejected: "no"}, {Variant: 1}, {Variant: 2}}
	require.Equal(t, []string{"wide", "deep"}, tool.RemovedBy(0, "two"), "no one alone does")
}
