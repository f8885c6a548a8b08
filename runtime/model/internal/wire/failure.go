package wire

import (
	"bufio"
	"cmp"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/toolgen-dev/toolgen/runtime/model"
)

// failure is why an attempt failed, as it came.
type failure struct {
	status        int
	kind, code    string
	message       string
	cause         error
	after         time.Duration // what the provider asks to wait; negative where it does not
	asked         bool          // the provider asks for another attempt
	final         bool          // another attempt would fail as well
	isError       bool          // what was parsed says that it is an error
	requestID     string
	eventsOwnCode int // a status within an event
}

func (f *failure) Error() string { return f.message }

// Final is an error that another attempt would meet as well.
func Final(text string) error { return &failure{final: true, message: text, after: -1} }

// Event is an error that came as an event of the stream, or in place of one.
func Event(data []byte) error {
	f := parseFailure(data)
	f.after = -1
	return f
}

// MaxCalls is how many calls an answer may have. A provider that sends more is out of order, and each costs a result.
const MaxCalls = 1000

// TooManyCalls is the error of an answer that has more.
func TooManyCalls(n int) error {
	return Final(fmt.Sprintf("the answer has %d calls; at most %d are taken", n, MaxCalls))
}

// Broken says of an event that could not be decoded that it was one, and of one that the SDK has no room for that it is too
// large; other errors stay as they are.
func Broken(err error) error {
	if errors.Is(err, bufio.ErrTooLong) {
		return model.ErrTooLarge
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	if errors.As(err, &syntax) || errors.As(err, &kind) {
		return fmt.Errorf("an event of the stream could not be read: %w", err)
	}
	return err
}

// failureOf reads an attempt's error.
func failureOf(err error) *failure {
	var f *failure
	if errors.As(err, &f) {
		return f
	}
	f = &failure{cause: err, after: -1}
	var address *url.Error
	if errors.As(err, &address) {
		f.cause = address.Err // the address is the program's own, and the method is no news
	}
	var certificate *tls.CertificateVerificationError
	f.final = errors.As(err, &certificate) || errors.Is(err, model.ErrTooLarge)
	return f
}

// passing are the providers' words for what may be over soon, where an event has no status.
var passing = [...]string{
	"overloaded_error", "rate_limit_error", "api_error", "timeout_error", "server_error", "internal_server_error",
	"internal_error", "service_unavailable", "server_overloaded", "rate_limit_exceeded", "overloaded",
}

// lasting are the words for rate limits that no wait ends.
var lasting = [...]string{"insufficient_quota", "billing_hard_limit_reached", "billing_error"}

// retry reports whether another attempt may succeed.
func (f *failure) retry() bool {
	has := func(words []string) bool { return slices.Contains(words, f.kind) || slices.Contains(words, f.code) }
	switch status := max(f.status, f.eventsOwnCode); {
	case f.final || has(lasting[:]):
		return false
	case f.asked:
		return true
	case status != 0:
		return status == http.StatusRequestTimeout || status == http.StatusConflict ||
			status == http.StatusTooManyRequests || status >= 500
	case f.cause == nil:
		return has(passing[:])
	}
	return true // the connection, or what came over it
}

// parseFailure reads what servers send of errors: an object under "error", a text there, or the object itself.
func parseFailure(data []byte) *failure {
	f := &failure{after: -1}
	var outer struct {
		Error     json.RawMessage `json:"error"`
		Message   any             `json:"message"`
		Detail    any             `json:"detail"`
		Type      any             `json:"type"`
		Code      any             `json:"code"`
		RequestID any             `json:"request_id"`
		Object    any             `json:"object"`
	}
	if json.Unmarshal(data, &outer) != nil {
		f.message = string(data)
		return f
	}
	f.isError = text(outer.Type) == "error" || text(outer.Object) == "error"
	var inner struct {
		Message any `json:"message"`
		Type    any `json:"type"`
		Code    any `json:"code"`
	}
	f.requestID = text(outer.RequestID)
	if e := strings.TrimSpace(string(outer.Error)); e != "" && e != "null" {
		f.isError = true
		if json.Unmarshal(outer.Error, &inner) != nil {
			inner.Message = strings.Trim(e, `"`)
		}
	} else {
		inner.Message, inner.Type, inner.Code = outer.Message, outer.Type, outer.Code
		if inner.Message == nil {
			inner.Message = outer.Detail
		}
	}
	f.message, f.kind, f.code = text(inner.Message), text(inner.Type), text(inner.Code)
	if f.message == "" {
		f.message = string(data)
	}
	if n, err := strconv.Atoi(f.code); err == nil && n >= 400 && n < 600 {
		f.eventsOwnCode = n
	}
	return f
}

// text shows a field that should be a text.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}

// retryAfter is what a provider asks to wait, or negative.
func retryAfter(h http.Header) time.Duration {
	for _, u := range []struct {
		name string
		unit time.Duration
	}{{"Retry-After-Ms", time.Millisecond}, {"Retry-After", time.Second}} {
		value := strings.TrimSpace(h.Get(u.name))
		if n, err := strconv.ParseFloat(value, 64); err == nil && n >= 0 {
			if n > float64(math.MaxInt64/u.unit) {
				return math.MaxInt64
			}
			return time.Duration(n * float64(u.unit))
		}
	}
	if at, err := http.ParseTime(h.Get("Retry-After")); err == nil {
		return max(0, time.Until(at))
	}
	return -1
}

// err makes what the program gets of a failure.
func (c *Client) err(f *failure, requestID string, attempts int) *model.Error {
	e := &model.Error{
		Provider: c.provider, Status: f.status, Type: c.clean(f.kind, 100), Code: c.clean(f.code, 100),
		Message: c.clean(f.message, model.MaxMessage), RequestID: c.clean(cmp.Or(requestID, f.requestID), 200),
		Attempts: attempts, RetryAfter: max(0, f.after), Err: f.cause,
	}
	if errors.Is(f.cause, io.EOF) || errors.Is(f.cause, io.ErrUnexpectedEOF) {
		e.Err = model.ErrTruncated
	}
	if f.cause != nil {
		// An error is kept only where nothing that it says has to be taken out.
		if said := f.cause.Error(); c.clean(said, model.MaxMessage) != said {
			e.Err = errors.New(c.clean(said, model.MaxMessage))
		}
	}
	return e
}

// clean takes secrets and control characters out of a text, and cuts it.
func (c *Client) clean(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == utf8.RuneError || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, c.scrub(s))
	s = strings.TrimSpace(s)
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}

// Fail is an error that is no attempt's.
func (c *Client) Fail(text string) error {
	return c.err(&failure{message: text, after: -1}, "", 1)
}
