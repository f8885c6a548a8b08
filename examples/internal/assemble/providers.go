package assemble

import (
	"errors"

	"github.com/toolgen-dev/toolgen/runtime/agent"
)

// errPlanned is for the providers until their models are there.
var errPlanned = errors.New("the models of providers are not there yet: use -script")

func newOpenAI(Options, string) (agent.Model, error)    { return nil, errPlanned }
func newAnthropic(Options, string) (agent.Model, error) { return nil, errPlanned }
