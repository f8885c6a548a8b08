package wire_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/model"
	"github.com/toolgen-dev/toolgen/runtime/model/internal/wire"
)

// Whatever a server says of an error: one line of valid text, of a bounded length, without the key.
func FuzzFailure(f *testing.F) {
	for _, s := range []string{"", "null", "{}", `{"error":null}`, `{"error":"slow"}`, `{"error":{"message":"` + key + `","code":502}}`,
		`{"error":[1]}`, `{"message":{"a":1},"type":"error"}`, `{"detail":[{"msg":"x"}]}`, "<html>\n\x00" + key, "\xff\u2028"} {
		f.Add(s, "7")
	}
	f.Fuzz(func(t *testing.T, content, after string) {
		c, err := wire.New(wire.Settings{
			Provider: "p", Key: key, BaseURL: "http://server", Retry: model.Retry{Attempts: 1},
			HTTPClient: &http.Client{Transport: trip(func(*http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: 503, Header: http.Header{"Retry-After": {after}, "X-Request-Id": {content}},
					Body: io.NopCloser(strings.NewReader(content))}, nil
			})},
		})
		require.NoError(t, err)
		var e *model.Error
		require.ErrorAs(t, c.Do(t.Context(), get(c)), &e)
		text := e.Error()
		require.NotContains(t, text, key)
		require.NotContains(t, text, "\n")
		require.True(t, utf8.ValidString(text))
		require.Less(t, len(text), 2*model.MaxMessage)
		require.GreaterOrEqual(t, int64(e.RetryAfter), int64(0))
		require.Equal(t, 503, e.Status)
	})
}
