package agent_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/store/memory"
)

// unclaiming is a store whose claims within a turn fail for a while, before they happen or after.
type unclaiming struct {
	store.Store
	after bool
	until time.Time
}

func (s *unclaiming) Claim(ctx context.Context, l store.Lease, after int64, at store.Boundary) ([]store.Message, int64, error) {
	down := at == store.AtStep && time.Now().Before(s.until)
	if down && !s.after {
		return nil, 0, errDown
	}
	m, last, err := s.Store.Claim(ctx, l, after, at)
	if down {
		return nil, 0, errDown
	}
	return m, last, err
}

// A claim within a turn that fails for longer than the agent has patience fails the turn, whose end is in the log; whether or not
// the claim had happened, the message is processed once.
func TestClaimFails(t *testing.T) {
	for after, want := range map[bool]string{
		false: "message assistant result turn message assistant turn message assistant turn",
		true:  "message assistant result message turn message assistant turn",
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &unclaiming{Store: memory.New(), after: after, until: time.Now().Add(time.Minute)}
			asked := 0
			b := newBench(t, func(context.Context, *agent.Request, func(agent.Delta)) (*agent.Response, error) {
				if asked++; asked == 1 {
					return &agent.Response{Calls: []agent.Call{echo("1", "echo")}}, nil
				}
				return &agent.Response{Text: "ok"}, nil
			}, func(cfg *agent.Config) { cfg.Store = s })
			b.send("go", store.Turn)
			synctest.Wait()
			b.send("aside", store.Step)
			time.Sleep(time.Hour)
			b.send("again", store.Turn)
			require.NoError(t, b.agent.Quiet(t.Context()))
			require.Equal(t, agent.Completed, b.agent.Last().Outcome)
			require.Contains(t, b.seen, "ended failed")
			require.Equal(t, 1, strings.Count(strings.Join(b.messages(), "\n"), "user:aside"))
			entries, err := s.Log(t.Context(), "r", 0, 0)
			require.NoError(t, err)
			var kinds []string
			for _, e := range entries {
				kinds = append(kinds, e.Kind)
			}
			require.Equal(t, want, strings.Join(kinds, " "))
			b.close()
		})
	}
}
