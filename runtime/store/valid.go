package store

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// What follows is for those who write stores: what a store refuses before it begins a step, and how it writes what it
// writes by itself, so that every store refuses and writes the same.

// CheckProcess says what is wrong with the name of a process.
func CheckProcess(process string) error {
	if process == "" || !utf8.ValidString(process) {
		return invalid("%q is no name of a process", process)
	}
	return nil
}

// CheckRelease says whether a conversation may be released without a settlement.
func CheckRelease(id ID, kind Kind) error {
	if kind != Root {
		return invalid("%s: a child ends with a settlement", id)
	}
	return nil
}

// CheckRoot says what is wrong with a root conversation and its process.
func CheckRoot(process string, c NewConversation) error {
	if err := CheckProcess(process); err != nil {
		return err
	}
	if c.Kind != Root || c.Parent != "" {
		return invalid("%s: a root has the kind %q and no parent", c.ID, Root)
	}
	return checkTexts(c)
}

// CheckChild says what is wrong with the start of a child.
func CheckChild(parent Lease, call string, c NewConversation, first Message) error {
	switch {
	case call == "" || !utf8.ValidString(call):
		return invalid("%q is no id of a call", call)
	case c.Kind != Continuable && c.Kind != Foreground && c.Kind != Job:
		return invalid("%s: %q is no kind of child", c.ID, c.Kind)
	case c.Parent != parent.Conversation:
		return invalid("%s: its parent is %q and the lease is for %q", c.ID, c.Parent, parent.Conversation)
	case first.To != c.ID:
		return invalid("%s: its first message is for %q", c.ID, first.To)
	}
	if err := checkTexts(c); err != nil {
		return err
	}
	return CheckMessage(first)
}

// checkTexts says what is wrong with the texts of a conversation. All that a store keeps as text is Unicode, so that it can
// be written as JSON.
func checkTexts(c NewConversation) error {
	switch {
	case c.ID == "" || !utf8.ValidString(string(c.ID)):
		return invalid("%q is no id of a conversation", c.ID)
	case !utf8.ValidString(c.Label):
		return invalid("%s: its label is no UTF-8", c.ID)
	}
	return nil
}

// CheckMessage says what is wrong with a message.
func CheckMessage(m Message) error {
	switch {
	case m.ID == "" || !utf8.ValidString(m.ID):
		return invalid("%q is no id of a message", m.ID)
	case !utf8.ValidString(string(m.From)):
		return invalid("message %s: %q is no author", m.ID, m.From)
	case m.To == "":
		return invalid("message %s: it has a recipient", m.ID)
	case m.Kind != FromUser && m.Kind != FromParent && m.Kind != FromChild && m.Kind != FromSettlement:
		return invalid("message %s: %q is no kind of message", m.ID, m.Kind)
	case m.Lane != Step && m.Lane != Turn:
		return invalid("message %s: %q is no lane", m.ID, m.Lane)
	case m.Kind == FromSettlement && (m.From == "" || m.Activation == 0):
		return invalid("message %s: a settlement has an author and its Activation", m.ID)
	case m.Activation < 0 || m.Activation > 0 && m.From == "":
		return invalid("message %s: an Activation has an author", m.ID)
	case len(m.Data) > 0 && !json.Valid(m.Data):
		return invalid("message %s: its data is no JSON", m.ID)
	}
	return nil
}

// CheckInterrupt says what is wrong with a request to stop a turn.
func CheckInterrupt(id ID, activation, upTo int64) error {
	if activation < 1 || upTo < 1 {
		return invalid("%s: no turn of Activation %d was in progress at entry %d", id, activation, upTo)
	}
	return nil
}

// CheckEntries says what is wrong with entries that are to be appended.
func CheckEntries(entries []Entry) error {
	for i, e := range entries {
		switch e.Kind {
		case EntryMessage, EntryStarted, EntrySettled:
			return invalid("entry %d: entries of the kind %q are written by steps", i+1, e.Kind)
		}
		if e.Kind == "" || !utf8.ValidString(e.Kind) {
			return invalid("entry %d: %q is no kind of entry", i+1, e.Kind)
		}
	}
	return nil
}

// CheckSettlement says what is wrong with the end of a residency; parent is the conversation's.
func CheckSettlement(l Lease, parent ID, s Settlement) error {
	switch n := s.Notice; {
	case s.Outcome == "" || !utf8.ValidString(s.Outcome):
		return invalid("%s: %q is no outcome", l.Conversation, s.Outcome)
	case s.Activation != l.Activation:
		return invalid("%s: the settlement is of Activation %d and the lease of %d", l.Conversation, s.Activation, l.Activation)
	case n == nil:
		return nil
	case parent == "" || n.To != parent || n.From != l.Conversation || n.Activation != l.Activation || n.Kind != FromSettlement:
		return invalid("%s: a notice is a settlement of Activation %d to the parent %q", l.Conversation, l.Activation, parent)
	}
	return CheckMessage(*s.Notice)
}

// CheckBoundary says whether a boundary is one.
func CheckBoundary(at Boundary) error {
	if at != AtStep && at != AtTurn {
		return invalid("%q is no boundary", at)
	}
	return nil
}

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrInvalid}, args...)...)
}

// Limits bounds what a store takes, in bytes of data; 0 is no limit. What is larger is refused with ErrTooLarge.
type Limits struct {
	Entry        int // of one entry, settlements too
	Message      int // of one message
	Conversation int // of a log with its composition; the end of a residency is written all the same
}

// CheckSize compares a size with a limit.
func CheckSize(what string, size, limit int) error {
	if limit > 0 && size > limit {
		return fmt.Errorf("%w: %s of %d bytes, the limit is %d", ErrTooLarge, what, size, limit)
	}
	return nil
}
