package wire

import (
	"context"
	"io"
	"mime"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/model"
)

// maxAnswer is how many bytes an answer may have on its way.
const maxAnswer = 256 << 20

// maxErrorBody is how much is read of the body of an error.
const maxErrorBody = 64 << 10

// attempt is what is known of one attempt: when something last came of it, and what the provider calls it.
type attempt struct {
	cancel   context.CancelCauseFunc
	timeouts model.Timeouts

	mu        sync.Mutex
	timer     *time.Timer // nil where nothing bounds what is waited for
	ended     bool
	requestID string // written before the response is handed on
}

type attemptKey struct{}

func newAttempt(t model.Timeouts, cancel context.CancelCauseFunc) *attempt {
	a := &attempt{cancel: cancel, timeouts: t}
	a.bound(t.First, model.ErrFirst)
	return a
}

// bound replaces what is waited for.
func (a *attempt) bound(d time.Duration, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.timer != nil {
		a.timer.Stop()
		a.timer = nil
	}
	if !a.ended && d > 0 {
		a.timer = time.AfterFunc(d, func() { a.cancel(err) })
	}
}

func (a *attempt) end() {
	a.mu.Lock()
	a.ended = true
	a.mu.Unlock()
	a.bound(0, nil)
	a.cancel(nil)
}

// transport turns answers that are no streams of events into errors, and watches the others.
type transport struct {
	next   http.RoundTripper
	client *Client
}

func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	a, _ := req.Context().Value(attemptKey{}).(*attempt)
	if a != nil {
		a.requestID = requestID(res.Header)
	}
	if err := refusal(req, res); err != nil {
		return nil, err
	}
	if a != nil {
		res.Body = &body{rc: res.Body, attempt: a, left: maxAnswer}
	}
	return res, nil
}

func requestID(h http.Header) string {
	for _, name := range []string{"X-Request-Id", "Request-Id"} {
		if id := h.Get(name); id != "" {
			return id
		}
	}
	return ""
}

// refusal says why a response is no stream of events, and then reads what there is of its body.
func refusal(req *http.Request, res *http.Response) error {
	media, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	ok := res.StatusCode == http.StatusOK
	if ok && media != "text/html" && media != "application/json" {
		return nil
	}
	content, _ := io.ReadAll(io.LimitReader(res.Body, maxErrorBody)) // what came of it is better than nothing
	_ = res.Body.Close()
	f := parseFailure(content)
	switch {
	case ok && !f.isError:
		f = &failure{final: true, message: "the server answered with " + media + ", not with a stream of events"}
	case ok:
		// Gateways send errors so.
	case res.StatusCode < 400:
		f = &failure{final: true, message: "the server does not answer under this base URL"}
		if to, err := url.Parse(res.Header.Get("Location")); err == nil && to.Path != "" {
			to = req.URL.ResolveReference(to)
			f.message = "the server redirects to " + to.Scheme + "://" + to.Host + to.Path + "; redirects are not followed"
		}
	}
	if !ok {
		f.status = res.StatusCode
	}
	f.after = retryAfter(res.Header)
	switch res.Header.Get("X-Should-Retry") {
	case "true":
		f.asked = true
	case "false":
		f.final = true
	}
	return f
}

// body is that of a stream.
type body struct {
	rc      io.ReadCloser
	attempt *attempt
	left    int64
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.rc.Read(p)
	if n > 0 {
		b.attempt.bound(b.attempt.timeouts.Idle, model.ErrIdle)
		if b.left -= int64(n); b.left < 0 {
			return 0, model.ErrTooLarge
		}
	}
	return n, err
}

func (b *body) Close() error { return b.rc.Close() }
