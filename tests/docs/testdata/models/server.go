package main

import (
	"net/http"
	"strings"
	"sync"
)

// playing is a server that gives these answers, one after the other.
func playing(answers ...http.HandlerFunc) http.Handler {
	var mu sync.Mutex
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if len(answers) == 0 {
			http.Error(w, "nothing is left to be said", http.StatusNotFound)
			return
		}
		answers[0](w, r)
		answers = answers[1:]
	})
}

func stream(w http.ResponseWriter, events ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		if kind, ok := strings.CutPrefix(e, `{"type":"`); ok {
			kind, _, _ = strings.Cut(kind, `"`)
			_, _ = w.Write([]byte("event: " + kind + "\n"))
		}
		_, _ = w.Write([]byte("data: " + e + "\n\n"))
	}
}

func chatCalls(w http.ResponseWriter, _ *http.Request) {
	stream(w,
		`{"choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"count_lines","arguments":"{\"name\":"}}]}}]}`,
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"app.log\"}"}}]},"finish_reason":"tool_calls"}]}`,
		`{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":10,"total_tokens":110}}`, `[DONE]`)
}

func chatAnswer(w http.ResponseWriter, _ *http.Request) {
	stream(w,
		`{"choices":[{"index":0,"delta":{"content":"It has "}}]}`,
		`{"choices":[{"index":0,"delta":{"content":"312 lines."},"finish_reason":"stop"}]}`,
		`{"choices":[],"usage":{"prompt_tokens":120,"completion_tokens":5,"total_tokens":125}}`, `[DONE]`)
}

func busy(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Retry-After-Ms", "1")
	w.WriteHeader(http.StatusTooManyRequests)
	_, _ = w.Write([]byte(`{"error":{"message":"one request at a time","type":"requests","code":"rate_limit_exceeded"}}`))
}

func messagesCall(w http.ResponseWriter, _ *http.Request) {
	stream(w,
		`{"type":"message_start","message":{"content":[],"usage":{"input_tokens":20,"cache_read_input_tokens":80,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"A log.","signature":"c2lnbmVk"}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"count_lines","input":{}}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"name\":\"app.log\"}"}}`,
		`{"type":"content_block_stop","index":1}`,
		`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":10}}`,
		`{"type":"message_stop"}`)
}

func messagesAnswer(w http.ResponseWriter, _ *http.Request) {
	stream(w,
		`{"type":"message_start","message":{"content":[],"usage":{"input_tokens":120,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"It has 312 lines."}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}}`,
		`{"type":"message_stop"}`)
}
