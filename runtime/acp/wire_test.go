package acp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/acp/acptest"
)

// TestWire plays the conversations in testdata: what the model does, what the client does, and all that is then sent.
// TOOLGEN_UPDATE writes down what is sent now.
func TestWire(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			require.NoError(t, err)
			require.Len(t, a.Files, 3)
			script, client, wire := string(a.Files[0].Data), string(a.Files[1].Data), &a.Files[2]
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, acptest.Script(script))
				w.start()
				w.play(client)
				w.finish()
				if os.Getenv("TOOLGEN_UPDATE") != "" {
					wire.Data = []byte(w.Transcript())
					require.NoError(t, os.WriteFile(file, txtar.Format(a), 0o644))
				}
				require.Empty(t, cmp.Diff(string(wire.Data), w.Transcript()))
			})
		})
	}
}
