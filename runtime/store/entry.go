package store

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// MessageEntry is what a claim writes into the log.
func MessageEntry(m Message) Entry { return Entry{Kind: EntryMessage, Data: encode(m)} }

// StartedEntry is what the start of a child writes into the parent's log.
func StartedEntry(s Started) Entry { return Entry{Kind: EntryStarted, Data: encode(s)} }

// SettledEntry is what the end of a residency writes into the log.
func SettledEntry(s Settlement) Entry { return Entry{Kind: EntrySettled, Data: encode(s)} }

// encode writes JSON as it is read: no escapes for the sake of HTML. The types above cannot fail, since a message's data
// was checked before it was taken.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return nil
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// Same says whether two entries are the same but for their place and time.
func (e Entry) Same(o Entry) bool { return e.Kind == o.Kind && bytes.Equal(e.Data, o.Data) }

// Order sorts what waits into the order in which it is claimed, and counts what a claim at a boundary takes of it: that
// many of the first returned messages.
func Order(waiting []Message, at Boundary) (ordered []Message, taken int) {
	var parked, step, turn []Message
	wakes := false
	for _, m := range waiting {
		wakes = wakes || !m.Parked && !m.Quiet
		switch {
		case m.Parked:
			parked = append(parked, m)
		case m.Lane == Step:
			step = append(step, m)
		default:
			turn = append(turn, m)
		}
	}
	switch {
	case at == AtStep:
		return append(append(step, parked...), turn...), len(step)
	case !wakes:
		taken = 0
	default:
		taken = len(parked) + len(step) + min(len(turn), 1)
	}
	return append(append(parked, step...), turn...), taken
}

// Claimed reads the messages that an earlier claim has moved into the log, from the entries that now follow: all of them
// are claimed messages, or the log has gone on otherwise.
func Claimed(entries []Entry) ([]Message, error) {
	out := make([]Message, len(entries))
	for i, e := range entries {
		if e.Kind != EntryMessage {
			return nil, ErrConflict
		}
		if err := json.Unmarshal(e.Data, &out[i]); err != nil {
			return nil, fmt.Errorf("%w: entry %d: %w", ErrDamaged, e.Seq, err)
		}
	}
	return out, nil
}

// Settled reads what the end of a residency wrote.
func Settled(e Entry) (Settlement, error) {
	var s Settlement
	if err := json.Unmarshal(e.Data, &s); err != nil {
		return Settlement{}, fmt.Errorf("%w: entry %d: %w", ErrDamaged, e.Seq, err)
	}
	return s, nil
}
