package anthropic_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/model"
	"github.com/toolgen-dev/toolgen/runtime/model/anthropic"
	"github.com/toolgen-dev/toolgen/runtime/model/internal/wiretest"
)

// key is in no output of any test.
const key = model.Key("sk-test-4f1c0ffee")

func newModel(t *testing.T, url string, change func(*anthropic.Config)) *anthropic.Model {
	t.Helper()
	cfg := anthropic.Config{Model: "small", BaseURL: url, APIKey: key, Retry: wiretest.Quick}
	if change != nil {
		change(&cfg)
	}
	m, err := anthropic.New(cfg)
	require.NoError(t, err)
	return m
}

func serve(t *testing.T, responses ...wiretest.Response) *wiretest.Server {
	t.Helper()
	s, err := wiretest.Serve(responses...)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

// Each recorded answer, over a real connection.
func TestRecorded(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			c, err := wiretest.Load(file)
			require.NoError(t, err)
			s := serve(t, c.Responses...)
			have := wiretest.Play(t.Context(), newModel(t, s.URL, nil), wiretest.Ask())
			require.Zero(t, s.Left(), "a response was not asked for: %s", have)
			require.NotContains(t, have, string(key))
			if !strings.HasPrefix(c.About, "A paused") {
				for _, r := range s.Requests() {
					require.Equal(t, s.Requests()[0].Body, r.Body, "an attempt sent something else")
				}
			}
			if os.Getenv("TOOLGEN_UPDATE") != "" {
				c.Transcript = have
				require.NoError(t, os.WriteFile(file, c.Encode(), 0o644))
			}
			require.Equal(t, c.Transcript, have, c.About)
		})
	}
}
