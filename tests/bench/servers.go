package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	google "github.com/google/jsonschema-go/jsonschema"
	mcpgo "github.com/mark3labs/mcp-go/mcp"
	mcpgoserver "github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// openGoSDK reads as a tool of AddTool does. The server's own method handler is taken by middleware at a first call, and
// is called with a request that was read: no transport and no JSON-RPC is measured.
func openGoSDK(s shape) (read, error) {
	if s.name == tiny.name {
		return serveGoSDK[tinyArgs](s)
	}
	return serveGoSDK[sixArgs](s)
}

func serveGoSDK[A any](s shape) (read, error) {
	var schema google.Schema
	if err := json.Unmarshal([]byte(s.schema), &schema); err != nil {
		return nil, err
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: s.name, InputSchema: &schema}, func(context.Context, *mcp.CallToolRequest, A) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{}, nil, nil
	})
	var next mcp.MethodHandler
	var req *mcp.CallToolRequest
	server.AddReceivingMiddleware(func(handler mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			if call, ok := r.(*mcp.CallToolRequest); ok {
				next, req = handler, call
			}
			return handler(ctx, method, r)
		}
	})
	ctx := context.Background()
	near, far := mcp.NewInMemoryTransports()
	if _, err := server.Connect(ctx, near, nil); err != nil {
		return nil, err
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil).Connect(ctx, far, nil)
	if err != nil {
		return nil, err
	}
	if _, err := client.CallTool(ctx, &mcp.CallToolParams{Name: s.name, Arguments: json.RawMessage(s.valid)}); err != nil {
		return nil, err
	}
	if next == nil {
		return nil, errors.New("the server's handler was not seen")
	}
	return func(args []byte) error {
		call := *req
		params := *req.Params
		params.Arguments = args
		call.Params = &params
		res, err := next(ctx, "tools/call", &call)
		if err != nil {
			return err
		}
		if out := res.(*mcp.CallToolResult); out.IsError {
			return fmt.Errorf("refused: %v", out.GetError())
		}
		return nil
	}, nil
}

// openMCPGo reads as a server does that was told to validate. Its validation is behind its JSON-RPC, which is measured too.
func openMCPGo(s shape) (read, error) {
	if s.name == tiny.name {
		return serveMCPGo[tinyArgs](s)
	}
	return serveMCPGo[sixArgs](s)
}

func serveMCPGo[A any](s shape) (read, error) {
	server := mcpgoserver.NewMCPServer("bench", "1", mcpgoserver.WithInputSchemaValidation())
	done := mcpgo.NewToolResultText("done")
	server.AddTool(mcpgo.NewToolWithRawSchema(s.name, "", json.RawMessage(s.schema)),
		func(_ context.Context, req mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error) {
			return done, req.BindArguments(new(A))
		})
	head := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + s.name + `","arguments":`
	ctx := context.Background()
	return func(args []byte) error {
		message := append(append(append(make([]byte, 0, len(head)+len(args)+2), head...), args...), "}}"...)
		switch res := server.HandleMessage(ctx, message).(type) {
		case mcpgo.JSONRPCError:
			return errors.New(res.Error.Message)
		case mcpgo.JSONRPCResponse:
			switch out := res.Result.(type) {
			case *mcpgo.CallToolResult:
				return failed(out)
			case mcpgo.CallToolResult:
				return failed(&out)
			}
			return fmt.Errorf("the result is a %T", res.Result)
		default:
			return fmt.Errorf("the answer is a %T", res)
		}
	}, nil
}

func failed(res *mcpgo.CallToolResult) error {
	if !res.IsError {
		return nil
	}
	if text, ok := res.Content[0].(mcpgo.TextContent); ok {
		return errors.New(text.Text)
	}
	return errors.New("refused")
}

// mcpGoFaults are the parts of its one message.
func mcpGoFaults(err error) int { return strings.Count(err.Error(), "; ") + 1 }
