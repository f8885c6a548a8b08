package workspace_test

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/tool"

	"github.com/toolgen-dev/toolgen/examples/workspace"
)

// Even where the folder is all of the system, what shows processes is not read: it would show the program's environment.
func TestProcesses(t *testing.T) {
	root, err := os.OpenRoot("/")
	require.NoError(t, err)
	defer func() { require.NoError(t, root.Close()) }()
	reg := tool.NewRegistry()
	require.NoError(t, (&workspace.Tools{Folder: workspace.Within(root)}).Mount(reg))
	scope, err := reg.Scope()
	require.NoError(t, err)
	for name, arguments := range map[string]string{
		"read_file": `{"path": "proc/self/environ"}`, "search_files": `{"path": "/proc/self/environ", "query": "="}`, "list_files": `{"path": "proc/self"}`,
	} {
		res := scope.Call(context.Background(), tool.Call{ID: "1", Name: name, Arguments: json.RawMessage(arguments)})
		require.True(t, res.IsError, res.Text)
		require.Contains(t, res.Text, "it is neither a file nor a folder")
	}
}
