package wire_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/model"
	"github.com/toolgen-dev/toolgen/runtime/model/internal/wire"
)

const key = "sk-test-4f1c0ffee"

// trip is a connection without a network, so that time can be a test's own.
type trip func(*http.Request) (*http.Response, error)

func (f trip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func respond(status int, body io.Reader, headers ...string) *http.Response {
	h := http.Header{"Content-Type": {"text/event-stream"}}
	for i := 0; i < len(headers); i += 2 {
		h.Set(headers[i], headers[i+1])
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(body)}
}

func client(t *testing.T, change func(*wire.Settings), f trip) *wire.Client {
	t.Helper()
	s := wire.Settings{
		Provider: "p", Key: key, BaseURL: "http://server", HTTPClient: &http.Client{Transport: f},
	}
	if change != nil {
		change(&s)
	}
	c, err := wire.New(s)
	require.NoError(t, err)
	return c
}

// get is an attempt that reads all of an answer.
func get(c *wire.Client) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://server/", nil)
		if err != nil {
			return false, err
		}
		res, err := c.HTTP().Do(req)
		if err != nil {
			return false, err
		}
		defer func() { _ = res.Body.Close() }()
		b, err := io.ReadAll(res.Body)
		return len(b) > 0, err
	}
}

// The waits between attempts: doubled and less a quarter at most; or what the provider asks for, exactly.
func TestWaits(t *testing.T) {
	date := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(http.TimeFormat) }
	for _, c := range []struct {
		name     string
		header   func() []string
		low, max []time.Duration
	}{
		{"none", func() []string { return nil },
			[]time.Duration{375, 750, 1500, 3000}, []time.Duration{500, 1000, 2000, 4000}},
		{"milliseconds", func() []string { return []string{"Retry-After-Ms", "1500.5", "Retry-After", "60"} },
			[]time.Duration{1500, 1500, 1500, 1500}, []time.Duration{1501, 1501, 1501, 1501}},
		{"seconds", func() []string { return []string{"Retry-After", "7"} },
			[]time.Duration{7000, 7000, 7000, 7000}, []time.Duration{7000, 7000, 7000, 7000}},
		{"a date", func() []string { return []string{"Retry-After", date(9 * time.Second)} },
			[]time.Duration{8000, 8000, 8000, 8000}, []time.Duration{9000, 9000, 9000, 9000}},
		{"a date that was", func() []string { return []string{"Retry-After", date(-time.Hour)} },
			[]time.Duration{0, 0, 0, 0}, []time.Duration{0, 0, 0, 0}},
		{"nonsense", func() []string { return []string{"Retry-After", "-3", "Retry-After-Ms", "soon"} },
			[]time.Duration{375, 750, 1500, 3000}, []time.Duration{500, 1000, 2000, 4000}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var at []time.Time
				cl := client(t, nil, func(*http.Request) (*http.Response, error) {
					at = append(at, time.Now())
					return respond(429, strings.NewReader(`{"error":{"message":"slow down"}}`), c.header()...), nil
				})
				err := cl.Do(t.Context(), get(cl))
				require.EqualError(t, err, "p: 429 Too Many Requests: slow down (5 attempts)")
				require.Len(t, at, model.DefaultAttempts)
				for i := range c.low {
					waited := at[i+1].Sub(at[i])
					require.GreaterOrEqual(t, waited, c.low[i]*time.Millisecond, i)
					require.LessOrEqual(t, waited, c.max[i]*time.Millisecond, i)
				}
			})
		})
	}
}

// The wait does not grow beyond its bound; a wait that a provider asks for and nobody would wait for is a failure at once.
func TestBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		attempts := 0
		cl := client(t, func(s *wire.Settings) { s.Retry = model.Retry{Attempts: 40, MaxDelay: 2 * time.Second} },
			func(*http.Request) (*http.Response, error) {
				attempts++
				return nil, errors.New("refused")
			})
		begun := time.Now()
		require.EqualError(t, cl.Do(t.Context(), get(cl)), "p: refused (40 attempts)")
		require.Equal(t, 40, attempts)
		require.Less(t, time.Since(begun), 40*2*time.Second)

		cl = client(t, nil, func(*http.Request) (*http.Response, error) {
			return respond(503, strings.NewReader("busy"), "Retry-After", "1e99"), nil
		})
		begun = time.Now()
		err := cl.Do(t.Context(), get(cl))
		var e *model.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, 1, e.Attempts)
		require.Greater(t, e.RetryAfter, 24*time.Hour)
		require.Zero(t, time.Since(begun))
	})
}

// A context that ends while something is waited for ends it, with its cause.
func TestCancelled(t *testing.T) {
	cause := errors.New("the turn was stopped")
	for name, f := range map[string]trip{
		"between attempts": func(*http.Request) (*http.Response, error) {
			return respond(429, strings.NewReader(""), "Retry-After", "100"), nil
		},
		"before the answer": func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		},
		"within the answer": func(r *http.Request) (*http.Response, error) { return respond(200, slow{r.Context(), time.Hour}), nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(5*time.Second, func() { cancel(cause) })
				cl := client(t, nil, f)
				begun := time.Now()
				require.Equal(t, cause, cl.Do(ctx, get(cl)))
				require.Equal(t, 5*time.Second, time.Since(begun))
			})
		})
	}
}

// slow is a body whose every byte takes a while.
type slow struct {
	ctx context.Context
	gap time.Duration
}

func (s slow) Read(p []byte) (int, error) {
	select {
	case <-time.After(s.gap):
		p[0] = ':'
		return 1, nil
	case <-s.ctx.Done():
		return 0, s.ctx.Err()
	}
}

// An answer that does not begin, and one that stops coming, end their attempts. What has begun is not tried again; what comes
// slowly but does come is waited for.
func TestTimeouts(t *testing.T) {
	set := func(s *wire.Settings) {
		s.Retry = model.Retry{Attempts: 2, MinDelay: time.Nanosecond, MaxDelay: time.Nanosecond}
		s.Timeouts = model.Timeouts{First: 10 * time.Second, Idle: 3 * time.Second}
	}
	synctest.Test(t, func(t *testing.T) {
		hang := client(t, set, func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		begun := time.Now()
		err := hang.Do(t.Context(), get(hang))
		require.ErrorIs(t, err, model.ErrFirst)
		require.EqualError(t, err, "p: nothing of the answer came in time (2 attempts)")
		require.Equal(t, 20*time.Second, time.Since(begun).Truncate(time.Second))
	})
	synctest.Test(t, func(t *testing.T) {
		attempts := 0
		idle := client(t, set, func(r *http.Request) (*http.Response, error) {
			attempts++
			return respond(200, io.MultiReader(strings.NewReader("data: x\n\n"), slow{r.Context(), time.Hour})), nil
		})
		begun := time.Now()
		err := idle.Do(t.Context(), get(idle))
		require.ErrorIs(t, err, model.ErrIdle)
		require.EqualError(t, err, "p: the answer stopped coming")
		require.Equal(t, 1, attempts)
		require.Equal(t, 3*time.Second, time.Since(begun))
	})
	synctest.Test(t, func(t *testing.T) {
		steady := client(t, set, func(r *http.Request) (*http.Response, error) {
			return respond(200, io.LimitReader(slow{r.Context(), 2 * time.Second}, 100)), nil
		})
		begun := time.Now()
		require.NoError(t, steady.Do(t.Context(), get(steady)))
		require.Equal(t, 200*time.Second, time.Since(begun))
	})
	synctest.Test(t, func(t *testing.T) {
		patient := client(t, func(s *wire.Settings) { s.Timeouts = model.Timeouts{First: -1, Idle: -1} },
			func(r *http.Request) (*http.Response, error) {
				return respond(200, io.LimitReader(slow{r.Context(), 24 * time.Hour}, 3)), nil
			})
		require.NoError(t, patient.Do(t.Context(), get(patient)))
	})
}

// A rate limit that one request meets holds the others back.
func TestRateLimitIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		var at []time.Duration
		cl := client(t, nil, func(*http.Request) (*http.Response, error) {
			at = append(at, time.Since(begun))
			if len(at) == 1 {
				return respond(429, strings.NewReader("slow"), "Retry-After", "30"), nil
			}
			return respond(200, strings.NewReader("data: x\n\n")), nil
		})
		done := make(chan error, 1)
		go func() { done <- cl.Do(t.Context(), get(cl)) }()
		time.Sleep(time.Second)
		require.NoError(t, cl.Do(t.Context(), get(cl)))
		require.NoError(t, <-done)
		require.Equal(t, []time.Duration{0, 30 * time.Second, 30 * time.Second}, at)
	})
}

// No more requests run at once than may.
func TestMaxConcurrent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		running, most := 0, 0
		cl := client(t, func(s *wire.Settings) { s.MaxConcurrent = 1 }, func(*http.Request) (*http.Response, error) {
			running++
			most = max(most, running)
			time.Sleep(time.Second)
			running--
			return respond(200, strings.NewReader("data: x\n\n")), nil
		})
		done := make(chan error)
		begun := time.Now()
		for range 5 {
			go func() { done <- cl.Do(t.Context(), get(cl)) }()
		}
		for range 5 {
			require.NoError(t, <-done)
		}
		require.Equal(t, 1, most)
		require.Equal(t, 5*time.Second, time.Since(begun))

		// Who waits for a place can leave.
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		go func() { done <- cl.Do(t.Context(), get(cl)) }()
		synctest.Wait()
		require.ErrorIs(t, cl.Do(ctx, get(cl)), context.DeadlineExceeded)
		require.NoError(t, <-done)
	})
}

// What another attempt would meet as well is not tried again.
func TestFinal(t *testing.T) {
	attempts := 0
	cl := client(t, nil, func(*http.Request) (*http.Response, error) {
		attempts++
		return nil, &tls.CertificateVerificationError{Err: errors.New("signed by nobody")}
	})
	require.EqualError(t, cl.Do(t.Context(), get(cl)), "p: tls: failed to verify certificate: signed by nobody")
	require.Equal(t, 1, attempts)
}

// Errors say nothing that they should not, and no more than they may; what they wrap can be asked for where it says nothing either.
func TestErrors(t *testing.T) {
	once := func(s *wire.Settings) { s.Retry.Attempts = 1 }
	var e *model.Error
	long := strings.Repeat("é", model.MaxMessage)
	cl := client(t, once, func(*http.Request) (*http.Response, error) {
		return respond(500, strings.NewReader(`{"error":{"message":"`+key+` \u001b[31m`+long+`","type":7,"code":{"a":1}}}`)), nil
	})
	require.ErrorAs(t, cl.Do(t.Context(), get(cl)), &e)
	require.True(t, strings.HasPrefix(e.Message, "[key]  [31mé"), e.Message)
	require.LessOrEqual(t, len(e.Message), model.MaxMessage+len("…"))
	require.Equal(t, "7", e.Type)
	require.Equal(t, `{"a":1}`, e.Code)

	// A body that does not end is not read to its end.
	cl = client(t, once, func(*http.Request) (*http.Response, error) { return respond(500, endless{}), nil })
	require.ErrorAs(t, cl.Do(t.Context(), get(cl)), &e)
	require.LessOrEqual(t, len(e.Message), model.MaxMessage+len("…"))

	said := errors.New("proxy refused " + key)
	cl = client(t, once, func(*http.Request) (*http.Response, error) { return nil, fmt.Errorf("dial: %w", said) })
	err := cl.Do(t.Context(), get(cl))
	require.EqualError(t, err, "p: dial: proxy refused [key]")
	require.NotErrorIs(t, err, said)
	cl = client(t, once, func(*http.Request) (*http.Response, error) { return nil, fmt.Errorf("dial: %w", io.ErrClosedPipe) })
	require.ErrorIs(t, cl.Do(t.Context(), get(cl)), io.ErrClosedPipe)
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// A key prints nowhere.
func TestKey(t *testing.T) {
	k := model.Key(key)
	require.Equal(t, "[key] [key] [key] [key] [key]", fmt.Sprintf("%s %v %q %x %#v", k, k, k, k, k))
	require.Equal(t, "[key]", k.LogValue().String())
	text, err := k.MarshalText()
	require.NoError(t, err)
	require.Equal(t, "[key]", string(text))
	require.Empty(t, fmt.Sprint(model.Key("")))
}

// An answer without an end ends, and is not asked for again.
func TestTooLarge(t *testing.T) {
	attempts := 0
	cl := client(t, nil, func(*http.Request) (*http.Response, error) {
		attempts++
		return respond(200, endless{}), nil
	})
	err := cl.Do(t.Context(), func(ctx context.Context) (bool, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://server/", nil)
		if err != nil {
			return false, err
		}
		res, err := cl.HTTP().Do(req)
		if err != nil {
			return false, err
		}
		defer func() { _ = res.Body.Close() }()
		n, err := io.Copy(io.Discard, io.LimitReader(res.Body, 1<<30))
		require.LessOrEqual(t, n, int64(256<<20))
		return false, err
	})
	require.ErrorIs(t, err, model.ErrTooLarge)
	require.Equal(t, 1, attempts)
}
