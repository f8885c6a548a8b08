package roundtrip

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

// theirs says of which types CUE's own exporter makes another schema, and why it is wrong there: TestRoundTrip shows that ours
// says what CUE itself says.
var theirs = []struct {
	why   string
	tools []string
}{
	{"it does not close a struct that it reaches by a name, and drops patterns and declared fields beside one another", []string{
		"joined_map_ref_field", "joined_map_field", "joined_patterns", "joined_shape", "embedded_two", "conditional",
		"open_pattern", "obj_plain", "obj_optional", "obj_nested", "obj_closed", "obj_const", "obj_and", "obj_open_all",
		"obj_closed_outer", "obj_names", "obj_required_null", "obj_any", "map_pattern", "map_two", "map_both",
		"map_overlap", "map_fields", "map_declared", "map_declared_all", "joined_place", "joined_fields", "embedded",
		"obj_many", "map_pattern_objects", "map_three", "union_maps", "union_optional", "ref_inside",
	}},
	{"it loses constraints behind a name for a name", []string{
		"alias_let", "alias_field", "alias_object_more",
	}},
	{"it writes great bounds as rounded floats", []string{
		"num_float32", "num_float64", "int_int128", "int_int64", "int_uint64",
	}},
	{"it has no format for a time", []string{
		"str_time", "null_time",
	}},
	{"it drops the type beside an excluded value", []string{
		"str_not",
	}},
	{"it does not require a constant field", []string{
		"tagged_regular", "obj_constant",
	}},
}

// TestExporter sets our schema beside the one that CUE's own exporter makes of the same arguments. Where that is right, both
// take the same values; where it is not is listed, and a listed type that has become right fails.
func TestExporter(t *testing.T) {
	dir := module(t)
	oracle := start(t, dir, "./oracle")
	wrong := map[string]string{}
	for _, group := range theirs {
		for _, name := range group.tools {
			wrong[name] = group.why
		}
	}
	same := 0
	for _, c := range catalog(t, dir) {
		var export struct {
			Schema json.RawMessage
			Err    string
		}
		require.True(t, oracle.ask(map[string]any{"Tool": c.Name, "Export": true}, &export), "the oracle ended")
		require.Empty(t, export.Err, c.Name)
		other, err := compileText(export.Schema)
		require.NoError(t, err, c.Name)
		differs := difference(t, c, other)
		switch why := wrong[c.Name]; {
		case differs != "" && why == "":
			t.Errorf("%s: one schema accepts and the other refuses %.200q; CUE's is %s", c.Name, differs, export.Schema)
		case differs == "" && why != "":
			t.Errorf("%s: both schemas agree now; take it out of the list (%s)", c.Name, why)
		case differs == "":
			same++
		}
		delete(wrong, c.Name)
	}
	require.Empty(t, wrong, "the list names types that are not there")
	t.Logf("%d types agree", same)
}

// difference finds a text that one schema accepts and the other refuses.
func difference(t *testing.T, c tool, other *jsonschema.Schema) string {
	ours := compile(t, c)
	for _, text := range candidates(t, c) {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err == nil && (ours.Validate(v) == nil) != (other.Validate(v) == nil) {
			return text
		}
	}
	return ""
}
