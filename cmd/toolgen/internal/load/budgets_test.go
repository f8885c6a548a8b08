package load

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// Budgets are those of the package, stand where their numbers are, and are no part of the contract.
func TestBudgets(t *testing.T) {
	const tool = "tools: a: {description: \"A.\", params: {}}\n"
	none := mustLoad(t, spec(t, tool))
	require.Nil(t, none.Packages[0].Budgets)
	for body, want := range map[string]contract.Budgets{
		"budgets: toolspec.#Budgets & {description: 500, doc: 120, section: 2_000, tool: 4Ki}\n": {Description: 500, Doc: 120, Section: 2000, Tool: 4096, Pos: diag.Position{Line: 8, Column: 1}},
		"budgets: toolspec.#Budgets\n\nbudgets: doc: 7\n":                                        {Doc: 7, Pos: diag.Position{Line: 10, Column: 1}},
		"_most: 9\nbudgets: toolspec.#Budgets & {tool: _most}\n":                                 {Tool: 9, Pos: diag.Position{Line: 9, Column: 1}},
	} {
		want.Pos.File = "spec/shop/tools.cue"
		m := mustLoad(t, spec(t, body+tool))
		require.Equal(t, &want, m.Packages[0].Budgets, body)
		require.Equal(t, dump(t, none), dump(t, m), body)
	}
	require.Nil(t, mustLoad(t, spec(t, "budgets: toolspec.#Budgets\n"+tool)).Packages[0].Budgets)
}
