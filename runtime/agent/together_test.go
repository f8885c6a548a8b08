package agent

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// Reports and notices that came at once fit together: the longest are cut to one length, short ones and what others say stay whole,
// and what was there before is not changed.
func TestTogether(t *testing.T) {
	text := func(n int) string { return "head " + strings.Repeat("ä", n) + " tail" }
	messages := []Message{
		{Author: User, Text: text(9000)},
		{Author: Assistant, Text: text(9000)},
		{Author: Report, Text: text(3000)}, {Author: Settlement, Text: "short"}, {Author: Coordinator, Text: text(9000)}, {Author: Settlement, Text: text(4000)},
		{Author: ToolResult, Text: text(9000)},
		{Author: Report, Text: text(1900)},
	}
	before := slices.Clone(messages)
	got := fitting(messages, 4005)
	require.Equal(t, before, messages)
	for i, m := range got {
		require.True(t, utf8.ValidString(m.Text))
		if i != 2 && i != 5 {
			require.Equal(t, before[i], m)
			continue
		}
		var cut int
		head, rest, found := strings.Cut(m.Text, "\n[")
		require.True(t, found)
		note, tail, _ := strings.Cut(rest, "]\n")
		_, err := fmt.Sscanf(note, "%d bytes were left out here, since much came at once; the author has them", &cut)
		require.NoError(t, err)
		require.Equal(t, len(before[i].Text), len(head)+cut+len(tail))
		require.InDelta(t, 2000, len(head)+len(tail), 2)
		require.True(t, strings.HasPrefix(before[i].Text, head) && strings.HasSuffix(before[i].Text, tail) && len(tail) > 400)
	}
	require.Equal(t, before, fitting(messages, -1))
	same := fitting(messages, 100_000)
	require.Same(t, &messages[0], &same[0], "nothing is copied for nothing")
	require.Empty(t, fitting(nil, 1))
}

// However many there are, the head of each stays.
func TestTogetherLeavesHeads(t *testing.T) {
	var messages []Message
	for range 1000 {
		messages = append(messages, Message{Author: Settlement, Text: strings.Repeat("x", 16<<10)})
	}
	for _, m := range fitting(messages, 1000) {
		require.True(t, strings.HasPrefix(m.Text, strings.Repeat("x", minTogether*3/4)+"\n["))
		require.Less(t, len(m.Text), minTogether+100)
	}
}
