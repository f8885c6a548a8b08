package openai_test

import (
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/model"
	"github.com/toolgen-dev/toolgen/runtime/model/internal/wiretest"
	"github.com/toolgen-dev/toolgen/runtime/model/openai"
)

// Whatever a server sends, here recorded answers with damage: no panic, the same each time, what was shown is what the answer says,
// nothing is sent again once something was shown, and no error has the key. The SDK decodes the events, so its own fuzzing is
// not repeated here.
func TestDamagedStreams(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	require.NoError(t, err)
	var contents []string
	for _, file := range files {
		c, err := wiretest.Load(file)
		require.NoError(t, err)
		_, content, _ := strings.Cut(c.Responses[0].Text, "\n\n")
		contents = append(contents, content)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	seeds := 3000
	if testing.Short() {
		seeds = 300
	}
	for range seeds {
		content := []byte(contents[rnd.IntN(len(contents))])
		for range rnd.IntN(4) {
			if len(content) == 0 {
				break
			}
			at := rnd.IntN(len(content))
			switch rnd.IntN(4) {
			case 0:
				content = content[:at]
			case 1:
				content[at] = "{}[]:,\"\\\n 0x"[rnd.IntN(12)]
			case 2: // a piece is lost
				content = slices.Delete(content, at, min(len(content), at+rnd.IntN(40)))
			case 3: // a piece comes twice
				content = slices.Insert(content, at, content[at:min(len(content), at+rnd.IntN(200))]...)
			}
		}
		status := []int{200, 200, 200, 500}[rnd.IntN(4)]
		damaged(t, status, string(content))
	}
}

func damaged(t *testing.T, status int, content string) {
	t.Helper()
	var first string
	for range 2 {
		attempts := 0
		m := newModel(t, "http://server", func(c *openai.Config) {
			c.Retry = model.Retry{Attempts: 2, MinDelay: 1, MaxDelay: 1}
			c.HTTPClient = &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
				attempts++
				return &http.Response{
					StatusCode: status, Header: http.Header{"Content-Type": {"text/event-stream"}},
					Body: io.NopCloser(strings.NewReader(content)),
				}, nil
			})}
		})
		shown := 0
		var text strings.Builder
		res, err := m.Generate(t.Context(), wiretest.Ask(), func(d agent.Delta) {
			shown++
			text.WriteString(d.Text)
		})
		said := ""
		switch {
		case err != nil:
			require.Nil(t, res)
			require.NotContains(t, err.Error(), string(key))
			said = err.Error()
		default:
			require.Len(t, text.String(), len(res.Text))
			if res.Stop == agent.StopTokenLimit || res.Stop == agent.StopRefused {
				require.Empty(t, res.Calls)
			}
		}
		if shown > 0 {
			require.Equal(t, 1, attempts)
		}
		if first == "" {
			first = said
		}
		require.Equal(t, first, said)
	}
}
