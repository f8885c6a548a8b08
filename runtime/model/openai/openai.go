// Package openai is a model behind the chat completions of OpenAI, or of any server that speaks the same protocol: vLLM,
// Ollama, llama.cpp, gateways. Requests go through the SDK github.com/openai/openai-go/v3.
//
// # Endings
//
// A finish reason stop or tool_calls is the end of an answer, length is the token limit, and content_filter a refusal; so is a
// message in the field refusal. The words that other servers have for the same are known too; a word that is not known fails the
// request, and so does a stream that ends without one: neither says that the answer is complete. Calls of an answer that was cut
// off or refused are no calls.
//
// # Calls
//
// Arguments are the text that the model wrote, whatever it is: the tool's decoder judges it. Ids are kept as they came. A call
// without an id gets one from the agent. Pieces of calls belong together by their index; where servers give several calls the
// same index, or none, ids and names tell them apart.
//
// Package model says what is retried, and what errors hold.
package openai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/model"
	"github.com/toolgen-dev/toolgen/runtime/model/internal/wire"
	provider "github.com/toolgen-dev/toolgen/runtime/provider/openai"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// DefaultBaseURL is OpenAI's.
const DefaultBaseURL = "https://api.openai.com/v1"

// Config is what a model is made of. Only Model is needed, and a key for OpenAI itself.
type Config struct {
	// Model is the provider's name of the model. It counts; [agent.Request.Model] is the deployment's name of it.
	Model string
	// BaseURL is where chat/completions is found, such as http://localhost:11434/v1. Without it, it is [DefaultBaseURL].
	BaseURL string
	// APIKey is sent as a bearer token; without it, none is.
	APIKey model.Key
	// MaxTokens bounds an answer. Without it, the server does.
	MaxTokens int64
	// MaxTokensField is the field that says so: max_completion_tokens or max_tokens. Without it, it is the first one for
	// OpenAI itself, and the second, which more servers know, where there is a BaseURL.
	MaxTokensField string
	// Temperature is the server's where it is nil.
	Temperature *float64
	// ReasoningEffort is low, medium, high or another word that the model knows. Without it, none is sent.
	ReasoningEffort string
	// ReturnReasoning sends back what the model thought in a message that called tools, in the field in which it came. Some
	// servers demand that, others refuse it.
	ReturnReasoning bool
	// Strict makes tools strict whose schemas fit.
	Strict bool
	// NoUsage does not ask for the numbers of tokens: for servers that refuse stream_options.
	NoUsage bool
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
	service sdk.ChatCompletionService
}

var _ agent.Model = (*Model)(nil)

// New checks the configuration. It sends nothing.
func New(cfg Config) (*Model, error) {
	hosted := cfg.BaseURL == ""
	switch {
	case cfg.Model == "":
		return nil, errors.New("openai: the Model is missing")
	case hosted && cfg.APIKey == "":
		return nil, errors.New("openai: the APIKey is missing; only servers with a BaseURL of their own may need none")
	case cfg.MaxTokens < 0:
		return nil, errors.New("openai: MaxTokens must not be negative")
	}
	if hosted {
		cfg.BaseURL = DefaultBaseURL
	}
	switch cfg.MaxTokensField {
	case "max_tokens", "max_completion_tokens":
	case "":
		cfg.MaxTokensField = "max_tokens"
		if hosted {
			cfg.MaxTokensField = "max_completion_tokens"
		}
	default:
		return nil, fmt.Errorf("openai: the MaxTokensField is max_tokens or max_completion_tokens, not %q", cfg.MaxTokensField)
	}
	client, err := wire.New(wire.Settings{
		Provider: "openai", Key: cfg.APIKey, BaseURL: cfg.BaseURL, Headers: cfg.Headers,
		Retry: cfg.Retry, Timeouts: cfg.Timeouts, MaxConcurrent: cfg.MaxConcurrent, HTTPClient: cfg.HTTPClient,
	})
	if err != nil {
		return nil, err
	}
	opts := []option.RequestOption{
		option.WithBaseURL(cfg.BaseURL), option.WithHTTPClient(client.HTTP()), option.WithMaxRetries(0),
	}
	if cfg.APIKey != "" {
		opts = append(opts, option.WithAPIKey(string(cfg.APIKey)))
	}
	for name, value := range cfg.Headers {
		opts = append(opts, option.WithHeader(name, value))
	}
	// The service and not the SDK's client, which would read the environment.
	service := sdk.NewChatCompletionService(append(opts, cfg.Options...)...)
	cfg.APIKey, cfg.Headers, cfg.Options = "", nil, nil // a print of the model must not show them
	return &Model{cfg: cfg, client: client, service: service}, nil
}

// Format writes the name of the model.
func (m *Model) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, "openai model "+m.cfg.Model) }

// Generate sends a request and streams its answer.
func (m *Model) Generate(ctx context.Context, req *agent.Request, delta func(agent.Delta)) (*agent.Response, error) {
	params, err := m.params(req)
	if err != nil {
		return nil, err
	}
	var res *agent.Response
	err = m.client.Do(ctx, func(ctx context.Context) (bool, error) {
		r := newReader(delta, m.cfg.ReturnReasoning)
		stream := m.service.NewStreaming(ctx, params)
		defer func() { _ = stream.Close() }()
		for stream.Next() {
			r.chunk(stream.Current())
		}
		var err error
		res, err = r.end(stream.Err())
		return r.begun, err
	})
	if err != nil {
		return nil, err
	}
	return res, nil
}

// params is the body of a request.
func (m *Model) params(req *agent.Request) (sdk.ChatCompletionNewParams, error) {
	p := sdk.ChatCompletionNewParams{Model: m.cfg.Model}
	var opts []provider.Option
	if m.cfg.Strict {
		opts = append(opts, provider.Strict())
	}
	tools, err := provider.Tools(req.Tools, opts...)
	if err != nil {
		return p, err
	}
	p.Tools = tools
	if p.Messages = m.messages(req); len(p.Messages) == 0 {
		return p, errors.New("openai: there is no message to answer")
	}
	if m.cfg.MaxTokens > 0 {
		if m.cfg.MaxTokensField == "max_tokens" {
			p.MaxTokens = param.NewOpt(m.cfg.MaxTokens)
		} else {
			p.MaxCompletionTokens = param.NewOpt(m.cfg.MaxTokens)
		}
	}
	if m.cfg.Temperature != nil {
		p.Temperature = param.NewOpt(*m.cfg.Temperature)
	}
	p.ReasoningEffort = shared.ReasoningEffort(m.cfg.ReasoningEffort)
	if !m.cfg.NoUsage {
		p.StreamOptions.IncludeUsage = param.NewOpt(true)
	}
	return p, nil
}

// messages is the conversation. Texts in the user's role that follow each other are one message: the templates of many local
// models want the roles to take turns.
func (m *Model) messages(req *agent.Request) []sdk.ChatCompletionMessageParamUnion {
	turns := wire.Turns(req.Messages)
	if len(turns) == 0 {
		return nil
	}
	var out []sdk.ChatCompletionMessageParamUnion
	if req.System != "" {
		out = append(out, sdk.SystemMessage(req.System))
	}
	for _, t := range turns {
		if a := t.Assistant; a != nil {
			calls := make([]tool.Call, len(a.Calls))
			for i, c := range a.Calls {
				calls[i] = tool.Call{ID: c.ID, Name: c.Name, Arguments: []byte(c.Arguments)}
			}
			msg := provider.Assistant(a.Text, calls)
			if m.cfg.ReturnReasoning {
				msg.OfAssistant.SetExtraFields(reasoningOf(a.Extra))
			}
			out = append(out, msg)
			continue
		}
		out = append(out, provider.Results(t.Results)...)
		if text := t.Text(); text != "" {
			out = append(out, sdk.UserMessage(text))
		}
	}
	return out
}
