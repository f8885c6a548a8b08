// Package anthropic is a model behind the messages of Anthropic, or of any server that speaks the same protocol. Requests go
// through the SDK github.com/anthropics/anthropic-sdk-go/v2.
//
// # Endings
//
// end_turn, stop_sequence and tool_use are the end of an answer; max_tokens and model_context_window_exceeded are the token
// limit, refusal is a refusal. At pause_turn the answer goes on with another request, at most [MaxPauses] times. A reason that is
// not known fails the request, and so does a stream that ends without one: neither says that the answer is complete. Calls of an
// answer that was cut off or refused are no calls.
//
// # Thoughts
//
// Blocks of thoughts, with their signatures, are kept in [agent.Response.Extra] and sent back unchanged and in their place, as the
// provider demands. So are blocks that this package does not know.
//
// # Roles
//
// What follows each other in the user's role is one message, results first. Ids that another provider gave are replaced where
// this one would refuse them.
//
// Package model says what is retried, and what errors hold.
package anthropic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/model"
	"github.com/toolgen-dev/toolgen/runtime/model/internal/wire"
	provider "github.com/toolgen-dev/toolgen/runtime/provider/anthropic"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

const (
	// DefaultBaseURL is Anthropic's.
	DefaultBaseURL = "https://api.anthropic.com"
	// DefaultMaxTokens is how long an answer may be where nothing else is said: the protocol wants a number.
	DefaultMaxTokens = 16_384
	// MaxPauses is how often an answer is continued that the provider pauses.
	MaxPauses = 10
)

// Config is what a model is made of. Only Model is needed, and a key for Anthropic itself.
type Config struct {
	// Model is the provider's name of the model. It counts; [agent.Request.Model] is the deployment's name of it.
	Model string
	// BaseURL is where v1/messages is found, such as http://localhost:8080; a /v1 at its end is left out. Without it, it is
	// [DefaultBaseURL].
	BaseURL string
	// APIKey is sent as a bearer token; without it, none is. Servers that want it elsewhere get it by Headers.
	APIKey model.Key
	// MaxTokens bounds an answer, thoughts included. Without it, it is [DefaultMaxTokens].
	MaxTokens int64
	// Temperature is the server's where it is nil. Newer models of Anthropic refuse it.
	Temperature *float64
	// Thinking is adaptive or disabled. Without it, it is the model's default.
	Thinking string
	// ThinkingTokens are how many tokens the model may think with, for models to which that is said by a number. They count
	// in MaxTokens.
	ThinkingTokens int64
	// Effort is low, medium, high or another word that the model knows. Without it, none is sent.
	Effort string
	// Cache marks what the prompt cache is to keep: the tools, the system prompt, and the conversation.
	Cache bool
	// Strict makes tools strict whose schemas fit.
	Strict bool
	// Headers are sent with each request. Their values are kept out of errors like the key.
	Headers map[string]string
	// Retry and Timeouts bound a request.
	Retry    model.Retry
	Timeouts model.Timeouts
	// MaxConcurrent is how many requests of the model may run at once; others wait. Without it, there is no limit.
	MaxConcurrent int
	// HTTPClient sends the requests: for proxies and certificates. Redirects are not followed. Its Timeout would end long answers.
	HTTPClient *http.Client
	// Options are the SDK's, applied last. What they set is the program's affair, a key too.
	Options []option.RequestOption
}

// Model is an [agent.Model]. It is safe for concurrent use.
type Model struct {
	cfg     Config
	client  *wire.Client
	service sdk.MessageService
}

var _ agent.Model = (*Model)(nil)

// New checks the configuration. It sends nothing.
func New(cfg Config) (*Model, error) {
	switch {
	case cfg.Model == "":
		return nil, errors.New("anthropic: the Model is missing")
	case cfg.BaseURL == "" && cfg.APIKey == "":
		return nil, errors.New("anthropic: the APIKey is missing; only servers with a BaseURL of their own may need none")
	case cfg.MaxTokens < 0 || cfg.ThinkingTokens < 0:
		return nil, errors.New("anthropic: MaxTokens and ThinkingTokens must not be negative")
	case cfg.Thinking != "" && cfg.Thinking != "adaptive" && cfg.Thinking != "disabled":
		return nil, fmt.Errorf("anthropic: Thinking is adaptive or disabled, not %q", cfg.Thinking)
	case cfg.Thinking != "" && cfg.ThinkingTokens > 0:
		return nil, errors.New("anthropic: Thinking and ThinkingTokens exclude each other")
	}
	cfg.MaxTokens = cmp.Or(cfg.MaxTokens, DefaultMaxTokens)
	if cfg.ThinkingTokens >= cfg.MaxTokens {
		return nil, errors.New("anthropic: ThinkingTokens must be less than MaxTokens")
	}
	cfg.BaseURL = cmp.Or(strings.TrimSuffix(strings.TrimSuffix(cfg.BaseURL, "/"), "/v1"), DefaultBaseURL)
	client, err := wire.New(wire.Settings{
		Provider: "anthropic", Key: cfg.APIKey, BaseURL: cfg.BaseURL, Headers: cfg.Headers,
		Retry: cfg.Retry, Timeouts: cfg.Timeouts, MaxConcurrent: cfg.MaxConcurrent, HTTPClient: cfg.HTTPClient,
	})
	if err != nil {
		return nil, err
	}
	opts := []option.RequestOption{
		option.WithBaseURL(cfg.BaseURL), option.WithHTTPClient(client.HTTP()), option.WithMaxRetries(0),
		option.WithoutOpenTelemetry(), // spans of calls are the program's affair, as is what they show
	}
	if cfg.APIKey != "" {
		opts = append(opts, option.WithAPIKey(string(cfg.APIKey)))
	}
	for name, value := range cfg.Headers {
		opts = append(opts, option.WithHeader(name, value))
	}
	// The SDK has no field for a temperature any more, and writes to the standard error stream where tokens to think with are set.
	if cfg.Temperature != nil {
		opts = append(opts, option.WithJSONSet("temperature", *cfg.Temperature))
	}
	if cfg.ThinkingTokens > 0 {
		opts = append(opts, option.WithJSONSet("thinking", map[string]any{"type": "enabled", "budget_tokens": cfg.ThinkingTokens}))
	} else if cfg.Thinking != "" {
		opts = append(opts, option.WithJSONSet("thinking", map[string]any{"type": cfg.Thinking}))
	}
	// The service and not the SDK's client, which would read the environment.
	service := sdk.NewMessageService(append(opts, cfg.Options...)...)
	cfg.APIKey, cfg.Headers, cfg.Options = "", nil, nil // a print of the model must not show them
	return &Model{cfg: cfg, client: client, service: service}, nil
}

// Format writes the name of the model.
func (m *Model) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, "anthropic model "+m.cfg.Model) }

// Generate sends a request and streams its answer.
func (m *Model) Generate(ctx context.Context, req *agent.Request, delta func(agent.Delta)) (*agent.Response, error) {
	params, err := m.params(req)
	if err != nil {
		return nil, err
	}
	asked := params.Messages
	var came answer
	for pauses := 0; ; pauses++ {
		var next answer
		err := m.client.Do(ctx, func(ctx context.Context) (bool, error) {
			r := newReader(came, delta)
			stream := m.service.NewStreaming(ctx, params)
			defer func() { _ = stream.Close() }()
			for stream.Next() {
				r.event(stream.Current())
			}
			var err error
			next, err = r.end(stream.Err())
			return r.begun, err
		})
		if err != nil {
			return nil, err
		}
		came = next
		if came.stop != pauseTurn {
			return came.response(), nil
		}
		if pauses == MaxPauses {
			return nil, m.client.Fail(fmt.Sprintf("the answer was paused more than %d times", MaxPauses))
		}
		if blocks := came.blockParams(); len(blocks) > 0 {
			params.Messages = append(slices.Clone(asked), sdk.NewAssistantMessage(blocks...))
		}
	}
}

// params is the body of a request.
func (m *Model) params(req *agent.Request) (sdk.MessageNewParams, error) {
	p := sdk.MessageNewParams{Model: m.cfg.Model, MaxTokens: m.cfg.MaxTokens}
	var opts []provider.Option
	if m.cfg.Strict {
		opts = append(opts, provider.Strict())
	}
	if m.cfg.Cache {
		opts = append(opts, provider.Cache())
		p.CacheControl = sdk.NewCacheControlEphemeralParam()
	}
	tools, err := provider.Tools(req.Tools, opts...)
	if err != nil {
		return p, err
	}
	p.Tools = tools
	if strings.TrimSpace(req.System) != "" {
		block := sdk.TextBlockParam{Text: req.System}
		if m.cfg.Cache {
			block.CacheControl = sdk.NewCacheControlEphemeralParam()
		}
		p.System = []sdk.TextBlockParam{block}
	}
	if p.Messages = messages(req.Messages); len(p.Messages) == 0 {
		return p, errors.New("anthropic: there is no message to answer")
	}
	p.OutputConfig.Effort = sdk.OutputConfigEffort(m.cfg.Effort)
	return p, nil
}

// messages is the conversation.
func messages(history []agent.Message) []sdk.MessageParam {
	var out []sdk.MessageParam
	for _, t := range wire.Turns(history) {
		if a := t.Assistant; a != nil {
			out = append(out, sdk.NewAssistantMessage(assistant(a)...))
			continue
		}
		blocks := provider.Results(t.Results)
		for _, text := range t.Texts {
			blocks = append(blocks, sdk.NewTextBlock(text))
		}
		out = append(out, sdk.NewUserMessage(blocks...))
	}
	return out
}

// assistant is a message of the assistant: as it came where that was kept, else its text and then its calls.
func assistant(m *agent.Message) []sdk.ContentBlockParamUnion {
	calls := make([]tool.Call, len(m.Calls))
	for i, c := range m.Calls {
		calls[i] = tool.Call{ID: c.ID, Name: c.Name, Arguments: []byte(c.Arguments)}
	}
	if blocks := restore(m.Extra, calls); len(blocks) > 0 {
		return blocks
	}
	var blocks []sdk.ContentBlockParamUnion
	if strings.TrimSpace(m.Text) != "" {
		blocks = append(blocks, sdk.NewTextBlock(m.Text))
	}
	for _, c := range calls {
		blocks = append(blocks, provider.Call(c))
	}
	return blocks
}
