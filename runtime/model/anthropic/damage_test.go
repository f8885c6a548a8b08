package anthropic_test

import (
	"net/http"
	"testing"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/model"
	"github.com/toolgen-dev/toolgen/runtime/model/anthropic"
	"github.com/toolgen-dev/toolgen/runtime/model/internal/wiretest"
)

func TestDamagedStreams(t *testing.T) {
	wiretest.Damage(t, string(key), "pause_turn", func(retry model.Retry, client *http.Client) agent.Model {
		return newModel(t, "http://server", func(c *anthropic.Config) { c.Retry, c.HTTPClient = retry, client })
	})
}
