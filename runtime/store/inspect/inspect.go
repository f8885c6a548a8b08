// Package inspect writes what a store holds for people: a conversation, a tree of them, what is on its way.
//
// Texts in a store are written by models, and by whoever they have read. So characters that are not printable, and those
// that nobody sees, are escaped, and what is long is cut: a terminal shows what is there, and does nothing else. The form is
// for reading, and may change; programs use the store.
package inspect

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// Printer writes what a store holds.
type Printer struct {
	Store store.Store
	// Limit is how many characters of one text are written; 0 is all of them.
	Limit int
	// Location is where times are told for; nil is UTC.
	Location *time.Location
	// JSON writes objects for programs, one a line, in which nothing is cut. Their fields may become more.
	JSON bool
}

// Tree writes a conversation and its descendants, one a line, each below its parent; of the empty id, all. What is damaged is said
// in its place, hides no other, and is an error too.
func (p Printer) Tree(ctx context.Context, w io.Writer, root store.ID) error {
	out := &writer{w: w}
	depth := 0
	var found error
	if root != "" {
		c, err := p.Store.Get(ctx, root)
		if err != nil {
			return err
		}
		p.conversation(out, c, depth)
		depth, found = 1, problem(c)
	}
	err := p.below(ctx, root, depth, out, func(c store.Conversation, depth int) {
		p.conversation(out, c, depth)
		found = errors.Join(found, problem(c))
	})
	return errors.Join(found, err, out.err)
}

// below calls for the descendants of a conversation, as [store.Walk] does. What cannot be listed is written where it would stand, and
// hides no other. Depth is where one was found: an entry that is damaged may say another one.
func (p Printer) below(ctx context.Context, parent store.ID, depth int, out *writer, visit func(store.Conversation, int)) (found error) {
	for after := store.ID(""); out.err == nil; {
		children, err := p.Store.Children(ctx, parent, after, page)
		if err != nil {
			p.problem(out, strings.Repeat("  ", depth), parent, 0, err)
			return errors.Join(found, err)
		}
		for _, c := range children {
			visit(c, depth)
			found = errors.Join(found, p.below(ctx, c.ID, depth+1, out, visit))
			after = c.ID
		}
		if len(children) < page {
			break
		}
	}
	return found
}

// problem is what is wrong with a conversation, as an error.
func problem(c store.Conversation) error {
	switch c.Problem {
	case "":
		return nil
	case store.Unsupported:
		return fmt.Errorf("conversation %q: %w", c.ID, store.ErrUnsupported)
	}
	return fmt.Errorf("conversation %q: %w", c.ID, store.ErrDamaged)
}

// conversation writes one as a part of a tree.
func (p Printer) conversation(out *writer, c store.Conversation, depth int) {
	if p.JSON {
		out.object(lineOf(c, depth))
		return
	}
	out.line("%s%s", strings.Repeat("  ", depth), p.summary(c))
}

// problem writes what cannot be read where it would stand.
func (p Printer) problem(out *writer, before string, id store.ID, seq int64, err error) {
	if p.JSON {
		out.object(problemLine{"problem", id, seq, err.Error()})
		return
	}
	out.line("%s! %s", before, p.text(err.Error()))
}

// summary is a conversation in one line.
func (p Printer) summary(c store.Conversation) string {
	if c.Problem != "" {
		return fmt.Sprintf("%s  ! %s", name(c.ID), c.Problem)
	}
	s := fmt.Sprintf("%s  %s, %s, Activation %d", name(c.ID), c.Kind, activity(c), c.Activation)
	switch {
	case earlier(c):
		s += fmt.Sprintf("%s (Activation %d: %s)", closed(c), c.Ended, p.text(c.Outcome))
	case c.Outcome != "":
		s += ", " + p.text(c.Outcome)
	default:
		s += closed(c)
	}
	if c.Label != "" {
		s += "  " + p.text(c.Label)
	}
	return s
}

// earlier reports whether the outcome is of an Activation before the last one.
func earlier(c store.Conversation) bool { return c.Outcome != "" && c.Ended < c.Activation }

// closed says of an Activation that has ended without an outcome that it has: its lease was released, as a root's is whose process
// ends well.
func closed(c store.Conversation) string {
	if c.Resident || c.Activation == 0 {
		return ""
	}
	return ", closed"
}

// activity is whether a conversation is resident, and whether a turn of it runs.
func activity(c store.Conversation) string {
	switch {
	case c.Resident && c.Driving:
		return "running"
	case c.Resident:
		return "idle"
	}
	return "inactive"
}

// Conversation writes one conversation: what it was made with, its log, and what waits for it. What is damaged is said in
// its place, and is an error too.
func (p Printer) Conversation(ctx context.Context, w io.Writer, id store.ID) error {
	c, err := p.Store.Get(ctx, id)
	if err != nil {
		return err
	}
	out := &writer{w: w}
	if p.JSON {
		out.object(lineOf(c, c.Depth))
	} else {
		p.head(out, c)
	}
	damaged := errors.Join(problem(c), p.log(ctx, out, id))
	waiting, err := p.Store.Waiting(ctx, id)
	if err != nil {
		p.problem(out, "", id, 0, err)
	}
	p.waiting(out, "waiting:", waiting)
	return errors.Join(damaged, err, out.err)
}

// head writes what a conversation was made with, and how it stands.
func (p Printer) head(out *writer, c store.Conversation) {
	out.line("%s", p.summary(c))
	if c.Problem != "" {
		return
	}
	if c.Parent != "" {
		out.line("child of %s", name(c.Parent))
	}
	out.line("created %s", p.time(c.Created))
	if len(c.Composition) > 0 {
		out.line("composition %s", p.json(c.Composition))
	}
	switch {
	case c.Text != "" && earlier(c):
		out.line("last words of Activation %d: %s", c.Ended, p.text(c.Text))
	case c.Text != "":
		out.line("last words %s", p.text(c.Text))
	}
}

// waiting writes messages that wait, below a line that says so.
func (p Printer) waiting(out *writer, head string, waiting []store.Message) {
	if len(waiting) > 0 && !p.JSON {
		out.line("%s", head)
	}
	for _, m := range waiting {
		if p.JSON {
			m.Data = raw(m.Data)
			out.object(messageLine{"message", m})
		} else {
			out.line("  %s", p.message(m))
		}
	}
}

const (
	page    = 500 // entries, or children, that are read at once
	patches = 20  // damaged entries after which the rest is left
)

// log writes a log. It goes on behind a damaged entry.
func (p Printer) log(ctx context.Context, out *writer, id store.ID) (found error) {
	after := int64(0)
	for patched := 0; patched < patches && out.err == nil; {
		entries, err := p.Store.Log(ctx, id, after, page)
		for _, e := range entries {
			if p.JSON {
				out.object(entryLine{"entry", id, e.Seq, e.Kind, e.Time, raw(e.Data)})
			} else {
				out.line("%6d  %s  %s", e.Seq, p.time(e.Time), p.entry(e))
			}
			after = e.Seq
		}
		switch {
		case errors.Is(err, store.ErrDamaged):
			after++
			patched++
			p.problem(out, fmt.Sprintf("%6d  ", after), id, after, err)
			found = errors.Join(found, err)
		case err != nil:
			return errors.Join(found, err)
		case len(entries) < page:
			return found
		}
	}
	return found
}

// entry is an entry in one line. Those that steps write are said in words.
func (p Printer) entry(e store.Entry) string {
	switch e.Kind {
	case store.EntryMessage:
		var m store.Message
		if json.Unmarshal(e.Data, &m) == nil {
			return "message " + p.message(m)
		}
	case store.EntryStarted:
		var s store.Started
		if json.Unmarshal(e.Data, &s) == nil {
			return fmt.Sprintf("started %s for the call %s", name(s.Child), name(s.Call))
		}
	case store.EntrySettled:
		if s, err := store.Settled(e); err == nil {
			words := fmt.Sprintf("settled Activation %d, %s", s.Activation, p.text(s.Outcome))
			if s.FailedTurns > 0 {
				words += fmt.Sprintf(", %d turns failed", s.FailedTurns)
			}
			if s.Parked > 0 {
				words += fmt.Sprintf(", %d messages parked", s.Parked)
			}
			return words + "  " + p.text(s.Text)
		}
	}
	return p.text(e.Kind) + "  " + p.json(e.Data)
}

// message is a message in one line.
func (p Printer) message(m store.Message) string {
	from := string(m.Kind)
	if m.From != "" {
		from += " from " + name(m.From)
	}
	if m.Activation > 0 {
		from += fmt.Sprintf(", Activation %d", m.Activation)
	}
	how := string(m.Lane)
	if m.Quiet {
		how += ", quiet"
	}
	if m.Parked {
		how += ", parked"
	}
	return fmt.Sprintf("#%d %s (%s) %s  %s", m.Seq, name(m.ID), p.text(how), p.text(from), p.json(m.Data))
}

// Outbox writes what is on its way to a conversation and its descendants, by recipient; of the empty id, to all. A recipient
// whose messages cannot be read is said, and hides no other.
func (p Printer) Outbox(ctx context.Context, w io.Writer, root store.ID) error {
	out := &writer{w: w}
	var found error
	one := func(id store.ID) {
		waiting, err := p.Store.Waiting(ctx, id)
		if err != nil {
			p.problem(out, "to "+name(id)+": ", id, 0, err)
			found = errors.Join(found, err)
		}
		p.waiting(out, "to "+name(id)+":", waiting)
	}
	if root != "" {
		if _, err := p.Store.Get(ctx, root); err != nil {
			return err
		}
		one(root)
	}
	err := p.below(ctx, root, 0, out, func(c store.Conversation, _ int) { one(c.ID) })
	return errors.Join(found, err, out.err)
}

// writer writes lines until one fails.
type writer struct {
	w   io.Writer
	err error
}

func (w *writer) line(format string, args ...any) {
	if w.err == nil {
		_, w.err = fmt.Fprintln(w.w, strings.TrimRight(fmt.Sprintf(format, args...), " "))
	}
}

func (p Printer) time(t time.Time) string {
	if p.Location != nil {
		t = t.In(p.Location)
	} else {
		t = t.UTC()
	}
	return t.Format("2006-01-02 15:04:05.000")
}

// json is data in one line; what is no JSON is quoted.
func (p Printer) json(data []byte) string {
	var b bytes.Buffer
	if len(data) > 0 && json.Compact(&b, data) != nil {
		return p.text(strconv.Quote(string(data)))
	}
	return p.text(b.String())
}

// text is a text in one line, cut, and without what a terminal would act on or nobody would see.
func (p Printer) text(s string) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n++; p.Limit > 0 && n > p.Limit {
			fmt.Fprintf(&b, "… (%d bytes)", len(s))
			break
		}
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == ' ' || unicode.IsGraphic(r) && !unicode.Is(unicode.Zs, r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}

// Text is a text of unknown origin in one line, without what a terminal would act on or nobody would see.
func Text(s string) string { return Printer{}.text(s) }

// name is an id: as it is where nothing of it could be taken for something else, and quoted otherwise.
func name[T ~string](id T) string {
	plain := id != ""
	for _, r := range id {
		plain = plain && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_.:/#", r))
	}
	if plain {
		return string(id)
	}
	return strconv.Quote(string(id))
}
