// Package model holds what models over HTTP share: how often a request is tried, how long an answer may take, how they fail,
// and a type for keys that does not print them. Packages openai and anthropic below it implement [agent.Model] over the
// providers' SDKs; a program links the one that it imports. None of them reads the environment.
//
// # Retries
//
// The SDKs' own retries are off, since they end where a stream begins. A request is sent again after the statuses 408, 409, 429
// and 5xx, after an event that says the same, and after a connection that was refused, dropped or silent for too long, as long as
// nothing of the answer has been given to the observer: no text is ever shown twice. A provider's Retry-After is waited for,
// and by the model's other requests too. The whole is bounded by [Retry], and ends when the context does.
package model

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"
)

// Key is what a provider knows a program by. It prints as [key], whatever the verb, in logs and in JSON.
type Key string

const shownKey = "[key]"

// Format writes [key], or nothing where there is no key.
func (k Key) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, k.shown()) }

// LogValue is what logs get.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.shown()) }

// MarshalText is what encoders get.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.shown()), nil }

func (k Key) shown() string {
	if k == "" {
		return ""
	}
	return shownKey
}

// Retry says how often a request is tried. The zero value of each is its default.
type Retry struct {
	// Attempts is how often a request is sent at most. Without it, it is [DefaultAttempts]; 1 is no retry.
	Attempts int
	// MinDelay is the first wait where the provider names none; each further one is twice as long, up to MaxDelay, less up to
	// a quarter by chance.
	MinDelay, MaxDelay time.Duration
	// MaxRetryAfter is the longest wait that a provider may ask for. Where it asks for more, the request fails.
	MaxRetryAfter time.Duration
}

// The defaults of [Retry].
const (
	DefaultAttempts      = 5
	DefaultMinDelay      = 500 * time.Millisecond
	DefaultMaxDelay      = 30 * time.Second
	DefaultMaxRetryAfter = 2 * time.Minute
)

// Resolved returns the settings with the defaults filled in.
func (r Retry) Resolved() Retry {
	r.Attempts = cmp.Or(r.Attempts, DefaultAttempts)
	r.MinDelay = cmp.Or(r.MinDelay, DefaultMinDelay)
	r.MaxDelay = max(cmp.Or(r.MaxDelay, DefaultMaxDelay), r.MinDelay)
	r.MaxRetryAfter = cmp.Or(r.MaxRetryAfter, DefaultMaxRetryAfter)
	return r
}

// Timeouts bound a single attempt. The zero value of each is its default; negative is no limit.
type Timeouts struct {
	// First is how long it may take from sending a request to the first byte of its answer. Without it, it is [DefaultFirst].
	First time.Duration
	// Idle is how long nothing may come after that. Whatever comes counts, a keep-alive too. Without it, it is [DefaultIdle].
	Idle time.Duration
}

// The defaults of [Timeouts].
const (
	DefaultFirst = 5 * time.Minute
	DefaultIdle  = 2 * time.Minute
)

// Resolved returns the settings with the defaults filled in.
func (t Timeouts) Resolved() Timeouts {
	return Timeouts{First: cmp.Or(t.First, DefaultFirst), Idle: cmp.Or(t.Idle, DefaultIdle)}
}

// The errors that an [Error] may wrap.
var (
	ErrFirst     = errors.New("nothing of the answer came in time")
	ErrIdle      = errors.New("the answer stopped coming")
	ErrTruncated = errors.New("the stream ended before the answer was complete")
	ErrTooLarge  = errors.New("the answer is too large")
)

// Error is why a request failed, after whatever retries were made. Its texts hold no key and no value of a header that the
// program set, and no control characters; what a provider said is cut at [MaxMessage] bytes.
type Error struct {
	Provider   string // openai or anthropic
	Status     int    // of HTTP; 0 where the request had no answer, or its answer broke
	Type, Code string // the provider's words for what went wrong
	Message    string // the provider's text
	RequestID  string // to ask the provider about
	Attempts   int    // how often the request was sent
	RetryAfter time.Duration
	Err        error // what went wrong on the way, or nil
}

// MaxMessage is how much is kept of what a provider says of an error, in bytes.
const MaxMessage = 2 << 10

// Error says what happened, in one line.
func (e *Error) Error() string {
	var parts []string
	if e.Status != 0 {
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%d %s", e.Status, http.StatusText(e.Status))))
	}
	if e.Message != "" {
		parts = append(parts, e.Message)
	}
	if e.Err != nil {
		parts = append(parts, e.Err.Error())
	}
	var notes []string
	if e.Type != "" {
		notes = append(notes, e.Type)
	}
	if e.Code != "" && e.Code != e.Type {
		notes = append(notes, e.Code)
	}
	if e.RequestID != "" {
		notes = append(notes, "request "+e.RequestID)
	}
	if e.Attempts > 1 {
		notes = append(notes, fmt.Sprintf("%d attempts", e.Attempts))
	}
	text := e.Provider + ": " + strings.Join(parts, ": ")
	if len(notes) > 0 {
		text += " (" + strings.Join(notes, ", ") + ")"
	}
	return text
}

// Unwrap returns what went wrong on the way.
func (e *Error) Unwrap() error { return e.Err }
