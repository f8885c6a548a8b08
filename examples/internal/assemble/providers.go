package assemble

import (
	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/model"
	"github.com/toolgen-dev/toolgen/runtime/model/anthropic"
	"github.com/toolgen-dev/toolgen/runtime/model/openai"
)

func newOpenAI(o Options, key string) (agent.Model, error) {
	return openai.New(openai.Config{Model: o.Model, BaseURL: o.BaseURL, APIKey: model.Key(key)})
}

func newAnthropic(o Options, key string) (agent.Model, error) {
	return anthropic.New(anthropic.Config{Model: o.Model, BaseURL: o.BaseURL, APIKey: model.Key(key), Cache: true})
}
