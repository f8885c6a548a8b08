package acp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/acp"
	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/store/memory"
	"github.com/toolgen-dev/toolgen/runtime/subagent"
	"github.com/toolgen-dev/toolgen/runtime/tool"
)

// FuzzWire sends anything: no line crashes the agent or keeps it from ending, and what it sends are messages.
func FuzzWire(f *testing.F) {
	for _, l := range recorded(f) {
		f.Add([]byte(l))
	}
	f.Add([]byte("\n\n{}\n[]\nnull\n\"\"\n{\"jsonrpc\":\"2.0\"}\n"))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{},null,{"type":"resource","resource":{"uri":"","text":""}}]}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{"outcome":{"outcome":"selected"}},"error":{"code":"x","message":1}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":-0.5e9,"method":"session/load","params":{"sessionId":"s","cwd":"/","mcpServers":[{"type":"acp"},null]}}`))
	f.Fuzz(func(t *testing.T, data []byte) { serveBytes(t, data) })
}

// TestMutatedWire does the same with lines that are nearly right, each time with a seed of its own.
func TestMutatedWire(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("ACP_SEED"); s != "" {
		var err error
		seed, err = strconv.ParseUint(s, 10, 64)
		require.NoError(t, err)
	}
	t.Logf("ACP_SEED=%d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	lines := recorded(t)
	for range 100 {
		var data []byte
		for range 1 + r.IntN(12) {
			l := []byte(lines[r.IntN(len(lines))])
			for range r.IntN(3) {
				switch i := r.IntN(len(l)); r.IntN(4) {
				case 0:
					l[i] ^= byte(1 << r.IntN(8))
				case 1:
					l = append(l[:i], l[min(len(l), i+1+r.IntN(8)):]...)
				case 2:
					other := lines[r.IntN(len(lines))]
					l = append(l[:i:i], other[r.IntN(len(other)):]...)
				case 3:
					l = append(l[:i:i], append([]byte(`null`), l[i:]...)...)
				}
				if len(l) == 0 {
					break
				}
			}
			data = append(append(data, l...), '\n')
		}
		serveBytes(t, data)
	}
}

// recorded are the lines of the clients in testdata, for the session s.
func recorded(t testing.TB) []string {
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	var out []string
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, l := range strings.Split(string(data), "\n") {
			if l, ok := strings.CutPrefix(l, "> {"); ok {
				out = append(out, strings.NewReplacer("$DIR", os.TempDir(), "agent-1", "s").Replace(`{"jsonrpc":"2.0",`+l))
			}
		}
	}
	require.NotEmpty(t, out)
	return out
}

// serveBytes serves a client that sends a greeting, opens the session s, sends some bytes and ends.
func serveBytes(t *testing.T, data []byte) {
	cfg := acp.Config{Store: memory.New(), Name: "fuzz", Limits: acp.Limits{Line: 1 << 16}}
	n := 0
	var mu sync.Mutex
	cfg.Agents = func(_ context.Context, s *acp.Session) (acp.Agents, error) {
		reg := tool.NewRegistry()
		if err := mountRun(reg, s); err != nil {
			return acp.Agents{}, err
		}
		svc, err := subagent.New(subagent.Config{
			Store: cfg.Store, Tools: reg, Observer: s.Observer(), Heartbeat: -1, Settings: agent.Settings{MaxSteps: 3},
			NewID: func(store.NewConversation) store.ID {
				mu.Lock()
				defer mu.Unlock()
				if n++; n == 1 {
					return "s"
				}
				return store.ID(fmt.Sprintf("s%d", n))
			},
			Models: func(string) (agent.Model, error) { return agent.ModelFunc(echo), nil },
		})
		return acp.Agents{Service: svc}, err
	}
	greeting := `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":1}}
{"jsonrpc":"2.0","id":"n","method":"session/new","params":{"cwd":"` + os.TempDir() + `","mcpServers":[]}}
`
	out := &opened{open: make(chan struct{})}
	in := io.MultiReader(strings.NewReader(greeting), out, bytes.NewReader(data))
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := acp.Serve(ctx, cfg, in, out); err != nil {
		t.Fatalf("%v\n%q", err, data)
	}
	for _, l := range bytes.Split(bytes.TrimSuffix(out.Bytes(), []byte("\n")), []byte("\n")) {
		var m struct {
			Version string `json:"jsonrpc"`
		}
		if json.Unmarshal(l, &m) != nil || m.Version != "2.0" {
			t.Fatalf("%q is no message; sent %q", l, data)
		}
	}
	residents, err := cfg.Store.Residents(ctx, "")
	if err != nil || len(residents) > 0 {
		t.Fatalf("resident: %v, %v; sent %q", residents, err, data)
	}
}

// opened is an output, and an input that ends when the output says that the session is open.
type opened struct {
	bytes.Buffer
	once sync.Once
	open chan struct{}
}

// Write keeps what is written.
func (o *opened) Write(p []byte) (int, error) {
	if bytes.HasPrefix(p, []byte(`{"jsonrpc":"2.0","id":"n",`)) {
		o.once.Do(func() { close(o.open) })
	}
	return o.Buffer.Write(p)
}

// Read waits, and has nothing.
func (o *opened) Read([]byte) (int, error) {
	<-o.open
	return 0, io.EOF
}

// echo asks for a call once, and then says what it was told.
func echo(_ context.Context, req *agent.Request, delta func(agent.Delta)) (*agent.Response, error) {
	last := req.Messages[len(req.Messages)-1]
	if last.Author == agent.User {
		return &agent.Response{Stop: agent.StopCalls, Calls: []agent.Call{{ID: last.Text, Name: "run", Arguments: `{"command":"make"}`}}}, nil
	}
	delta(agent.Delta{Text: last.Text})
	return &agent.Response{Stop: agent.StopEnd, Text: last.Text}, nil
}
