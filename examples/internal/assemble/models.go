package assemble

import (
	"errors"
	"fmt"
	"os"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/model/scripted"
)

// models gives the model that the options ask for, whatever its name: the programs have one.
func (a *Assembly) models(keys Keys) (func(string) (agent.Model, error), error) {
	m, err := a.model(keys)
	if err != nil {
		return nil, err
	}
	m = keys.Guard(m)
	if name := a.options.Transcript; name != "" {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, err
		}
		a.close = append(a.close, f.Close)
		m = Transcribe(m, keys.Writer(f))
	}
	return func(string) (agent.Model, error) { return m, nil }, nil
}

func (a *Assembly) model(keys Keys) (agent.Model, error) {
	o := a.options
	switch {
	case o.Script != "" && (o.Provider != "" || o.Model != "" || o.BaseURL != ""):
		return nil, errors.New("a script takes the place of a provider's model: give one of them")
	case o.Script != "":
		var err error
		a.Script, err = scripted.Load(o.Script)
		return a.Script, err
	case o.Provider == "":
		return nil, errors.New("where do the answers come from? Give -script FILE, or -provider with -model")
	case o.Model == "":
		return nil, errors.New("a provider needs -model NAME")
	case o.BaseURL != "":
		if err := checkBaseURL(o.BaseURL); err != nil {
			return nil, err
		}
	}
	return provider(o, keys)
}

// provider makes a provider's model.
func provider(o Options, keys Keys) (agent.Model, error) {
	switch o.Provider {
	case "openai":
		if o.BaseURL == "" && keys.of(openAIKey) == "" {
			return nil, fmt.Errorf("the key has to be in %s; a local server, by -base-url, needs none", openAIKey)
		}
		return newOpenAI(o, keys.of(openAIKey))
	case "anthropic":
		if o.BaseURL == "" && keys.of(anthropicKey) == "" {
			return nil, fmt.Errorf("the key has to be in %s", anthropicKey)
		}
		return newAnthropic(o, keys.of(anthropicKey))
	}
	return nil, fmt.Errorf("a provider is openai or anthropic, and not %q", o.Provider)
}
