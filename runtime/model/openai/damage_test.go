package openai_test

import (
	"net/http"
	"testing"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/model"
	"github.com/toolgen-dev/toolgen/runtime/model/internal/wiretest"
	"github.com/toolgen-dev/toolgen/runtime/model/openai"
)

func TestDamagedStreams(t *testing.T) {
	wiretest.Damage(t, string(key), "", func(retry model.Retry, client *http.Client) agent.Model {
		return newModel(t, "http://server", func(c *openai.Config) { c.Retry, c.HTTPClient = retry, client })
	})
}
