package wiretest

import (
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/model"
)

// Damage tries a model on whatever a server may send, here the recorded answers in testdata with damage: no panic, the same each
// time, what was shown is what the answer says, nothing is sent again once something was shown, and no error has the key. The
// SDK decodes the events, so its own fuzzing is not repeated here. An answer that has the text again goes on with another request.
func Damage(t *testing.T, key, again string, newModel func(model.Retry, *http.Client) agent.Model) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal("there are no recorded answers: ", err)
	}
	var contents []string
	for _, file := range files {
		c, err := Load(file)
		if err != nil {
			t.Fatal(err)
		}
		_, content, _ := strings.Cut(c.Responses[0].Text, "\n\n")
		contents = append(contents, content)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	seeds := 3000
	if testing.Short() {
		seeds = 300
	}
	for range seeds {
		content := damaged(rnd, contents[rnd.IntN(len(contents))])
		status := []int{200, 200, 200, 500}[rnd.IntN(4)]
		var first string
		for range 2 {
			said, attempts, shown := answer(t, status, content, newModel)
			if strings.Contains(said, key) {
				t.Fatalf("%q: the error has the key: %s", content, said)
			}
			if shown && attempts > 1 && (again == "" || !strings.Contains(content, again)) {
				t.Fatalf("%q: %d requests, though something was shown", content, attempts)
			}
			if first == "" {
				first = said
			}
			if said != first {
				t.Fatalf("%q: %q the first time, %q the second", content, first, said)
			}
		}
	}
}

// damaged cuts a text off, and changes, loses or doubles pieces of it.
func damaged(rnd *rand.Rand, text string) string {
	content := []byte(text)
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
	return string(content)
}

// answer plays a response, and returns the error's words.
func answer(t *testing.T, status int, content string, newModel func(model.Retry, *http.Client) agent.Model) (said string, attempts int, shown bool) {
	t.Helper()
	m := newModel(model.Retry{Attempts: 2, MinDelay: 1, MaxDelay: 1}, &http.Client{Transport: RoundTrip(func(*http.Request) (*http.Response, error) {
		attempts++
		return &http.Response{
			StatusCode: status, Header: http.Header{"Content-Type": {"text/event-stream"}},
			Body: io.NopCloser(strings.NewReader(content)),
		}, nil
	})})
	var text strings.Builder
	res, err := m.Generate(t.Context(), Ask(), func(d agent.Delta) {
		shown = true
		text.WriteString(d.Text)
	})
	switch {
	case err != nil && res != nil:
		t.Fatalf("%q: an answer beside the error %v", content, err)
	case err != nil:
		return err.Error(), attempts, shown
	case text.Len() != len(res.Text):
		t.Fatalf("%q: shown is %q, the answer %q", content, text.String(), res.Text)
	case (res.Stop == agent.StopTokenLimit || res.Stop == agent.StopRefused) && len(res.Calls) > 0:
		t.Fatalf("%q: calls of an answer that was cut off", content)
	}
	return "", attempts, shown
}

// RoundTrip is a function as an HTTP transport.
type RoundTrip func(*http.Request) (*http.Response, error)

// RoundTrip calls the function.
func (f RoundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
