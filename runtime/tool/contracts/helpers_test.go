package contracts

import (
	"context"
	"encoding/json"
	"regexp"
	"strconv"
	"testing"

	"github.com/toolgen-dev/toolgen/runtime/tool"
)

func itoa(n int) string { return strconv.Itoa(n) }

// recorder is a handler that keeps its arguments.
func recorder(seen *[]string, out tool.Output) Handler {
	return func(_ context.Context, _ tool.Call, args json.RawMessage) (tool.Output, error) {
		*seen = append(*seen, string(args))
		return out, nil
	}
}

func call(s *tool.Scope, name, args string) tool.CallResult {
	return s.Call(context.Background(), tool.Call{Name: name, Arguments: json.RawMessage(args)})
}

// legal is names that every provider accepts.
var legal = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// mountEach mounts a contract under every choice that its spec allows.
func mountEach(t *testing.T, c *tool.Contract) {
	t.Helper()
	for i, combo := range c.Combinations {
		options := Options{Choice: map[string]string{}}
		for k, rest := len(c.Options)-1, i; k >= 0; k-- {
			values := c.Options[k].Values
			options.Choice[c.Options[k].Name] = values[rest%len(values)]
			rest /= len(values)
		}
		var seen []string
		reg := tool.NewRegistry()
		err := Mount(reg, c, options, recorder(&seen, tool.Plain("")))
		if combo.Rejected != "" {
			if err == nil {
				t.Fatalf("%s: a rejected choice was mounted: %v", c.Name, options)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
	}
}
