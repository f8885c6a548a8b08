package chat

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// Transcript is what went over the wire, conversation by conversation: the root's first, the others by label; for each
// request what is new in it, and its answer. Ids and marks that are made by chance have numbers in their place.
func (s *Server) Transcript() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := slices.Clone(s.conversations)
	slices.SortStableFunc(all, func(a, b *conversation) int { return strings.Compare(string(a.identity.ID), string(b.identity.ID)) })
	archive := txtar.Archive{}
	for _, c := range all {
		for i, x := range c.exchanges {
			name := fmt.Sprintf("%s %d", c.identity.ID, i+1)
			archive.Files = append(archive.Files,
				txtar.File{Name: name + " request", Data: x.request()}, txtar.File{Name: name + " answer", Data: x.response()})
		}
	}
	return Normal(txtar.Format(&archive))
}

func (x exchange) request() []byte {
	var b bytes.Buffer
	if x.tools != nil || x.system != "" {
		fmt.Fprintf(&b, "tools: %s\n", strings.Join(x.tools, " "))
	}
	for _, m := range x.messages {
		head := m.Role
		if m.ToolCallID != "" {
			head += " " + m.ToolCallID
		}
		block(&b, head, m.Content)
		for _, c := range m.ToolCalls {
			block(&b, "  call "+c.ID+" "+c.Function.Name, c.Function.Arguments)
		}
	}
	return b.Bytes()
}

func (x exchange) response() []byte {
	var b bytes.Buffer
	if x.err != nil {
		block(&b, "no answer", x.err.Error())
		return b.Bytes()
	}
	if x.answer.Text != "" {
		block(&b, "text", x.answer.Text)
	}
	for _, c := range x.answer.Calls {
		block(&b, "call "+c.Name, c.Arguments)
	}
	fmt.Fprintf(&b, "stop: %s\n", x.answer.Stop)
	return b.Bytes()
}

// block writes a text behind its head, indented, so that it can neither pass for a head nor end its file.
func block(b *bytes.Buffer, head, text string) {
	fmt.Fprintf(b, "%s:\n", head)
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		fmt.Fprintf(b, "%s\n", strings.TrimRight("  "+line, " "))
	}
}

var (
	ids   = regexp.MustCompile(`\b(agent|job)-[a-z0-9]{8,}\b`)
	marks = regexp.MustCompile(`mark="[0-9a-f]+"`)
)

// Normal puts numbers in the place of ids, in the order in which they come, and one mark in the place of all.
func Normal(text []byte) []byte {
	seen := map[string]string{}
	text = ids.ReplaceAllFunc(text, func(id []byte) []byte {
		if seen[string(id)] == "" {
			kind, _, _ := strings.Cut(string(id), "-")
			seen[string(id)] = fmt.Sprintf("%s-%d", kind, len(seen)+1)
		}
		return []byte(seen[string(id)])
	})
	return marks.ReplaceAll(text, []byte(`mark="0"`))
}
