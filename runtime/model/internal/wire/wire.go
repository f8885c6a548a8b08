// Package wire sends the requests of the models over HTTP: attempts, waits, timeouts and errors without keys. The SDKs encode
// requests and decode events over the client that it gives them.
package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolgen-dev/toolgen/runtime/model"
)

// Settings are what the models' configurations have in common.
type Settings struct {
	Provider      string
	Key           model.Key
	BaseURL       string
	Headers       map[string]string
	Retry         model.Retry
	Timeouts      model.Timeouts
	MaxConcurrent int
	HTTPClient    *http.Client
}

// Client sends the requests of one model.
type Client struct {
	provider string
	retry    model.Retry
	timeouts model.Timeouts
	http     *http.Client
	scrub    func(string) string // takes secrets out of a text; a function, since it does not print them
	slots    chan struct{}       // nil where any number may run at once

	mu    sync.Mutex
	until time.Time // the provider asked for no request before
}

// New checks the settings. Its errors hold no key.
func New(s Settings) (*Client, error) {
	c := &Client{provider: s.Provider, retry: s.Retry.Resolved(), timeouts: s.Timeouts.Resolved()}
	if err := checkURL(s.BaseURL); err != nil {
		return nil, fmt.Errorf("%s: the BaseURL %w", s.Provider, err)
	}
	if c.retry.Attempts < 0 || c.retry.MinDelay < 0 || c.retry.MaxDelay < 0 || c.retry.MaxRetryAfter < 0 {
		return nil, fmt.Errorf("%s: the settings of Retry must not be negative", s.Provider)
	}
	if s.MaxConcurrent < 0 {
		return nil, fmt.Errorf("%s: MaxConcurrent must not be negative", s.Provider)
	}
	if s.MaxConcurrent > 0 {
		c.slots = make(chan struct{}, s.MaxConcurrent)
	}
	if !printable(string(s.Key)) || strings.ContainsAny(string(s.Key), " \t") {
		return nil, fmt.Errorf("%s: the APIKey has white space or control characters, which no header can carry", s.Provider)
	}
	var secrets secrets
	secrets.add(string(s.Key))
	for name, value := range s.Headers {
		if name == "" || strings.ContainsFunc(name, notToken) {
			return nil, fmt.Errorf("%s: %q is no name of a header", s.Provider, name)
		}
		if !printable(value) {
			return nil, fmt.Errorf("%s: the value of the header %s has control characters", s.Provider, name)
		}
		secrets.add(value)
		if _, token, ok := strings.Cut(value, " "); ok {
			secrets.add(token)
		}
	}
	c.scrub = secrets.scrubber()
	user := http.Client{}
	if s.HTTPClient != nil {
		user = *s.HTTPClient
	}
	c.http = &user
	c.http.Transport = &transport{next: cmp.Or[http.RoundTripper](user.Transport, http.DefaultTransport), client: c}
	return c, nil
}

// secrets are what no error says.
type secrets []string

// add takes a value. Short ones are words of headers, and would be taken out of everything.
func (s *secrets) add(value string) {
	if len(value) >= 6 {
		*s = append(*s, value)
	}
}

func (s secrets) scrubber() func(string) string {
	// The longest first: one may be part of another.
	slices.SortFunc(s, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	var pairs []string
	for _, value := range s {
		pairs = append(pairs, value, "[key]")
	}
	return strings.NewReplacer(pairs...).Replace
}

func checkURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return errors.New("is no URL") // the error repeats what it could not read
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return errors.New("is no URL of http or https")
	case u.User != nil:
		return errors.New("has a user or password; set the APIKey, or a header")
	case u.RawQuery != "" || u.Fragment != "":
		return errors.New("has more than a path")
	}
	return nil
}

func printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
}

func notToken(r rune) bool {
	return r <= ' ' || r >= 0x7f || strings.ContainsRune("\"(),/:;<=>?@[\\]{}", r)
}

// HTTP is the client for the SDK. It never follows a redirect.
func (c *Client) HTTP() *http.Client { return c.http }

// Do makes attempts until one succeeds, or has begun to show its answer, or no more may be made. An attempt reports whether it
// has begun. What it returns is a *[model.Error], or the context's error with its cause.
func (c *Client) Do(ctx context.Context, attempt func(ctx context.Context) (begun bool, err error)) error {
	if c.slots != nil {
		select {
		case c.slots <- struct{}{}:
			defer func() { <-c.slots }()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	for n := 1; ; n++ {
		if err := c.hold(ctx); err != nil {
			return err
		}
		begun, id, err := c.once(ctx, attempt)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		f := failureOf(err)
		if begun || n >= c.retry.Attempts || !f.retry() || f.after > c.retry.MaxRetryAfter {
			return c.err(f, id, n)
		}
		wait := c.delay(n)
		if f.after >= 0 {
			wait = f.after
			if f.status == http.StatusTooManyRequests {
				c.holdAll(wait)
			}
		}
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// once is one attempt, under its timeouts.
func (c *Client) once(ctx context.Context, f func(ctx context.Context) (bool, error)) (begun bool, requestID string, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	a := newAttempt(c.timeouts, cancel)
	defer a.end()
	begun, err = f(context.WithValue(ctx, attemptKey{}, a))
	if err != nil {
		if cause := context.Cause(ctx); errors.Is(cause, model.ErrFirst) || errors.Is(cause, model.ErrIdle) {
			err = cause
		}
	}
	return begun, a.requestID, err
}

// delay is the wait after the n-th attempt where the provider names none.
func (c *Client) delay(n int) time.Duration {
	d := c.retry.MaxDelay
	if shift := n - 1; shift < 32 && c.retry.MinDelay <= d>>shift {
		d = c.retry.MinDelay << shift
	}
	if quarter := int64(d / 4); quarter > 0 {
		d -= time.Duration(rand.Int64N(quarter))
	}
	return d
}

// holdAll keeps the model's other requests from being sent before a rate limit allows it.
func (c *Client) holdAll(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if until := time.Now().Add(d); until.After(c.until) {
		c.until = until
	}
}

// hold waits until the provider lets requests be sent.
func (c *Client) hold(ctx context.Context) error {
	for {
		c.mu.Lock()
		d := time.Until(c.until)
		c.mu.Unlock()
		if d <= 0 {
			return nil
		}
		if err := sleep(ctx, d); err != nil {
			return err
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
