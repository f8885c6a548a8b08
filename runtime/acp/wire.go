package acp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"strconv"
	"sync"

	sdk "github.com/coder/acp-go-sdk"
)

// call is what a request asks for. The method that made it was called in the order of the requests; run goes on beside others.
type call struct {
	run      func(context.Context) (any, error)
	answered func() // when the answer is on its way; may be nil
}

// wire is one JSON-RPC connection: an object a line.
type wire struct {
	in      *bufio.Reader
	most    int // the longest line
	out     *outbox
	log     *slog.Logger
	ctx     context.Context // of requests; it ends with the connection
	methods map[string]func(params json.RawMessage) (call, error)
	notes   map[string]func(params json.RawMessage) error
	slots   chan struct{} // one for each request that is worked on
	work    sync.WaitGroup

	mu       sync.Mutex
	last     int64
	asked    map[string]chan<- *message // our requests, by their ids
	finished bool
}

// message is a line.
type message struct {
	Version string            `json:"jsonrpc"`
	ID      json.RawMessage   `json:"id,omitempty"`
	Method  *string           `json:"method,omitempty"`
	Params  json.RawMessage   `json:"params,omitempty"`
	Result  json.RawMessage   `json:"result,omitempty"`
	Error   *sdk.RequestError `json:"error,omitempty"`
}

const rpcVersion = "2.0"

var null = json.RawMessage("null")

// read handles what the client sends until the input ends.
func (w *wire) read() error {
	for {
		line, long, err := w.line()
		switch {
		case long:
			w.refuse(null, sdk.NewInvalidRequest(because(fmt.Sprintf("a line may have %d bytes", w.most))))
		case len(bytes.TrimSpace(line)) > 0:
			w.handle(line)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// line reads a line. What is beyond the limit is read and not kept.
func (w *wire) line() (line []byte, long bool, err error) {
	for {
		piece, err := w.in.ReadSlice('\n')
		if len(line)+len(piece) > w.most {
			line, long = nil, true
		}
		if !long {
			line = append(line, piece...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, long, err
		}
	}
}

func (w *wire) handle(line []byte) {
	if !json.Valid(line) {
		w.refuse(null, sdk.NewParseError(because("the line is no JSON")))
		return
	}
	if bytes.TrimSpace(line)[0] == '[' {
		w.refuse(null, sdk.NewInvalidRequest(because("the protocol has no batches")))
		return
	}
	var m message
	if err := json.Unmarshal(line, &m); err != nil || m.Version != rpcVersion || !legalID(m.ID) {
		w.refuse(null, sdk.NewInvalidRequest(because("the line is no message of JSON-RPC 2.0")))
		return
	}
	switch {
	case m.Method != nil && m.ID != nil:
		w.request(m.ID, *m.Method, m.Params)
	case m.Method != nil:
		w.notification(*m.Method, m.Params)
	case m.ID != nil && (m.Result == nil) != (m.Error == nil):
		w.response(&m)
	default:
		w.refuse(null, sdk.NewInvalidRequest(because("the line is neither a request nor a response")))
	}
}

// legalID reports whether an id is absent, a string or a number.
func legalID(id json.RawMessage) bool {
	return len(id) == 0 || id[0] == '"' || id[0] == '-' || '0' <= id[0] && id[0] <= '9'
}

func (w *wire) request(id json.RawMessage, method string, params json.RawMessage) {
	m, ok := w.methods[method]
	if !ok {
		w.refuse(id, sdk.NewMethodNotFound(method))
		return
	}
	select {
	case w.slots <- struct{}{}:
	default:
		w.refuse(id, sdk.NewInternalError(because(fmt.Sprintf("%d requests are being worked on", cap(w.slots)))))
		return
	}
	var c call
	err := w.caught(func() (err error) { c, err = m(params); return err })
	if err != nil {
		w.refuse(id, err)
		<-w.slots
		return
	}
	w.goOn(func() {
		defer func() { <-w.slots }()
		if c.answered != nil {
			defer c.answered()
		}
		var result any
		if err := w.caught(func() (err error) { result, err = c.run(w.ctx); return err }); err != nil {
			w.refuse(id, err)
			return
		}
		data, err := json.Marshal(result)
		if err != nil {
			w.refuse(id, err)
			return
		}
		w.send(&message{ID: id, Result: data})
	})
}

// goOn does something beside reading, which the connection waits for when it ends.
func (w *wire) goOn(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.finished {
		w.work.Go(f)
	}
}

// finish waits for what goes on. Nothing more begins.
func (w *wire) finish(ctx context.Context) error {
	w.mu.Lock()
	w.finished = true
	w.mu.Unlock()
	done := make(chan struct{})
	go func() { w.work.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return errors.New("acp: not all requests have ended")
	}
}

func (w *wire) notification(method string, params json.RawMessage) {
	n, ok := w.notes[method]
	if !ok {
		w.log.Debug("a notification is not known", "method", method)
		return
	}
	if err := w.caught(func() error { return n(params) }); err != nil {
		w.log.Warn("a notification was not understood", "method", method, "error", err)
	}
}

func (w *wire) response(m *message) {
	w.mu.Lock()
	ch := w.asked[string(m.ID)]
	delete(w.asked, string(m.ID))
	w.mu.Unlock()
	if ch == nil {
		w.log.Warn("a response is to no request, or to one that nobody waits for any more", "id", string(m.ID))
		return
	}
	ch <- m
}

// ask sends a request and waits for its response.
func (w *wire) ask(ctx context.Context, method string, params, result any) error {
	data, err := json.Marshal(params)
	if err != nil {
		return err
	}
	ch := make(chan *message, 1)
	w.mu.Lock()
	w.last++
	id := strconv.FormatInt(w.last, 10)
	w.asked[id] = ch
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		delete(w.asked, id)
		w.mu.Unlock()
	}()
	if err := w.send(&message{ID: json.RawMessage(id), Method: &method, Params: data}); err != nil {
		return err
	}
	select {
	case m := <-ch:
		if m.Error != nil {
			return m.Error
		}
		return json.Unmarshal(m.Result, result)
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-w.ctx.Done():
		return context.Cause(w.ctx)
	}
}

// notify sends a notification. Where nothing can be sent any more, nobody has to be told.
func (w *wire) notify(method string, params any) {
	data, err := json.Marshal(params)
	if err != nil {
		w.log.Error("a notification could not be written", "method", method, "error", err)
		return
	}
	_ = w.send(&message{Method: &method, Params: data})
}

// refuse answers with an error. What is no error of the protocol's is the agent's own affair, and logged.
func (w *wire) refuse(id json.RawMessage, err error) {
	var e *sdk.RequestError
	if !errors.As(err, &e) {
		w.log.Error("a request failed", "error", err)
		e = sdk.NewInternalError(nil)
	}
	_ = w.send(&message{ID: id, Error: e})
}

func (w *wire) send(m *message) error {
	m.Version = rpcVersion
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return w.out.send(append(line, '\n'))
}

// caught makes a panic an error.
func (w *wire) caught(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("acp: panic: %v\n%s", v, debug.Stack())
		}
	}()
	return f()
}

// because is the data of an error.
func because(why string) any { return map[string]any{"error": why} }

// decode reads parameters as the SDK's type, and has it check them.
func decode[T any, P interface {
	*T
	Validate() error
}](params json.RawMessage) (p T, err error) {
	if len(params) == 0 || params[0] != '{' {
		return p, sdk.NewInvalidParams(because("the parameters are no object"))
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return p, sdk.NewInvalidParams(because(err.Error()))
	}
	if err := P(&p).Validate(); err != nil {
		return p, sdk.NewInvalidParams(because(err.Error()))
	}
	return p, nil
}
