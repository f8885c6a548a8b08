package agent

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf8"
)

// minTogether is what is left at least of each report and notice, in bytes: the line that says whose it is, and how it ended.
const minTogether = 512

// fitting is messages as a model is shown them: of reports and notices that came at once, no more than a number of bytes. The log,
// and the conversations that they are from, keep all of them. It is the messages themselves where nothing is too much.
func fitting(messages []Message, most int) []Message {
	if most < 0 {
		return messages
	}
	fit := messages
	for from := 0; from < len(messages); {
		to, size := from, 0
		for ; to < len(messages) && messages[to].received(); to++ {
			if messages[to].told() {
				size += len(messages[to].Text)
			}
		}
		if size > most {
			if &fit[0] == &messages[0] {
				fit = slices.Clone(messages)
			}
			shorten(fit[from:to], most)
		}
		from = to + 1
	}
	return fit
}

// received reports whether the message was on its way to the conversation.
func (m Message) received() bool { return m.Author != Assistant && m.Author != ToolResult }

// told reports whether the message is a report or a notice.
func (m Message) told() bool { return m.Author == Report || m.Author == Settlement }

// shorten cuts the longest reports and notices to one length, so that all of them together fit.
func shorten(messages []Message, most int) {
	var sizes []int
	for _, m := range messages {
		if m.told() {
			sizes = append(sizes, len(m.Text))
		}
	}
	limit := max(share(sizes, most), minTogether)
	for i := range messages {
		if m := &messages[i]; m.told() {
			m.Text = cutTo(m.Text, limit)
		}
	}
}

// share is the largest limit with which all sizes fit, each cut to it.
func share(sizes []int, most int) int {
	slices.Sort(sizes)
	for i, n := range sizes {
		left := len(sizes) - i
		if n > most/left {
			return most / left
		}
		most -= n
	}
	return math.MaxInt
}

// cutTo shortens a text to limit bytes and a note: its head and its tail stay, cut between characters.
func cutTo(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	head := limit * 3 / 4
	tail := len(s) - (limit - head)
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return fmt.Sprintf("%s\n[%d bytes were left out here, since much came at once; the author has them]\n%s", s[:head], tail-head, s[tail:])
}
