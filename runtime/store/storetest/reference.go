package storetest

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// reference is a store in the fewest words: it keeps lists and looks everything up in them. It knows no time, nobody may
// share it, and it does what is asked for only where the model test asks.
type reference struct {
	store.Store // for the methods that it has not
	all         []*known
}

type known struct {
	store.Conversation
	deleted bool
	process string
	ended   string // how the last residency ended: settled, lost or released
	log     []store.Entry
	sent    []store.Message // every message that was ever taken
	claimed map[int64]bool  // by their Seq
}

func (r *reference) find(id store.ID) (*known, error) {
	for _, c := range r.all {
		if c.ID == id && !c.deleted {
			return c, nil
		}
	}
	return nil, store.ErrUnknown
}

func (r *reference) held(l store.Lease) (*known, error) {
	c, err := r.find(l.Conversation)
	if err == nil && (!c.Resident || l.Activation != c.Activation) {
		err = store.ErrFenced
	}
	return c, err
}

func (c *known) last() int64 { return int64(len(c.log)) }

func (c *known) lease() store.Lease {
	return store.Lease{Conversation: c.ID, Process: c.process, Activation: c.Activation, Last: c.last()}
}

func (c *known) begin(process string) store.Lease {
	c.Activation++
	c.Resident, c.Driving, c.Interrupt, c.process = true, false, 0, process
	return c.lease()
}

func (c *known) write(e store.Entry) {
	e.Seq = c.last() + 1
	c.log = append(c.log, e)
}

// behind is what the log has behind an entry, or a conflict.
func (c *known) behind(after int64) ([]store.Entry, error) {
	if after < 0 || after > c.last() {
		return nil, store.ErrConflict
	}
	return c.log[after:], nil
}

func (c *known) waiting() []store.Message {
	var parked, step, turn []store.Message
	for _, m := range c.sent {
		switch {
		case c.claimed[m.Seq]:
		case m.Parked:
			parked = append(parked, m)
		case m.Lane == store.Step:
			step = append(step, m)
		default:
			turn = append(turn, m)
		}
	}
	return slices.Concat(parked, step, turn)
}

func (c *known) take(m store.Message) {
	for _, old := range c.sent {
		if old.ID == m.ID || m.Kind == store.FromSettlement && old.Kind == m.Kind && old.From == m.From && old.Activation == m.Activation {
			return
		}
	}
	m.Seq, m.Parked = int64(len(c.sent)+1), false
	c.sent = append(c.sent, m)
}

func (r *reference) add(n store.NewConversation) (*known, error) {
	for _, c := range r.all {
		if c.ID == n.ID {
			return nil, store.ErrExists
		}
	}
	c := &known{Conversation: store.Conversation{NewConversation: n}, claimed: map[int64]bool{}}
	if p, err := r.find(n.Parent); err == nil {
		c.Depth = p.Depth + 1
	}
	r.all = append(r.all, c)
	return c, nil
}

func (r *reference) Create(_ context.Context, process string, n store.NewConversation) (store.Lease, error) {
	c, err := r.add(n)
	if err != nil {
		return store.Lease{}, err
	}
	return c.begin(process), nil
}

func (r *reference) Start(_ context.Context, parent store.Lease, after int64, call string, n store.NewConversation, m store.Message) (store.Conversation, store.Lease, bool, error) {
	p, err := r.held(parent)
	if err != nil {
		return store.Conversation{}, store.Lease{}, false, err
	}
	for _, e := range p.log {
		var s store.Started
		if e.Kind == store.EntryStarted && json.Unmarshal(e.Data, &s) == nil && s.Call == call {
			c, err := r.find(s.Child)
			if err != nil {
				return store.Conversation{}, store.Lease{}, false, err
			}
			return c.Conversation, store.Lease{}, false, nil
		}
	}
	if after != p.last() {
		return store.Conversation{}, store.Lease{}, false, store.ErrConflict
	}
	c, err := r.add(n)
	if err != nil {
		return store.Conversation{}, store.Lease{}, false, err
	}
	data, _ := json.Marshal(store.Started{Call: call, Child: n.ID})
	p.write(store.Entry{Kind: store.EntryStarted, Data: data})
	c.take(m)
	l := c.begin(p.process)
	return c.Conversation, l, true, nil
}

func (r *reference) Acquire(_ context.Context, process string, id store.ID) (store.Lease, error) {
	c, err := r.find(id)
	if err != nil {
		return store.Lease{}, err
	}
	if c.Resident {
		return store.Lease{}, &store.HeldError{Lease: c.lease()}
	}
	return c.begin(process), nil
}

func (r *reference) Release(_ context.Context, l store.Lease) error {
	c, err := r.find(l.Conversation)
	switch {
	case err != nil:
		return err
	case c.Kind != store.Root:
		return store.ErrInvalid
	case c.Activation != l.Activation || !c.Resident && c.ended == "lost":
		return store.ErrFenced
	case c.Resident:
		c.Resident, c.Driving, c.Interrupt, c.ended = false, false, 0, "released"
	}
	return nil
}

func (r *reference) Append(_ context.Context, l store.Lease, after int64, entries ...store.Entry) (int64, error) {
	c, err := r.held(l)
	if err != nil {
		return 0, err
	}
	behind, err := c.behind(after)
	if err != nil {
		return 0, err
	}
	same := len(behind) >= len(entries)
	for i := 0; same && i < len(entries); i++ {
		same = behind[i].Kind == entries[i].Kind && string(behind[i].Data) == string(entries[i].Data)
	}
	if !same && len(behind) > 0 {
		return 0, store.ErrConflict
	}
	for i := 0; !same && i < len(entries); i++ {
		c.write(entries[i])
	}
	return after + int64(len(entries)), nil
}

func (r *reference) Send(_ context.Context, m store.Message) error {
	c, err := r.find(m.To)
	if err != nil {
		return err
	}
	n := len(c.sent)
	c.take(m)
	if author, err := r.find(m.From); len(c.sent) > n && m.Activation != 0 && (err != nil || !author.Resident || author.Activation != m.Activation) {
		c.sent = c.sent[:n]
		return store.ErrFenced
	}
	return nil
}

func (r *reference) Claim(ctx context.Context, l store.Lease, after int64, at store.Boundary) ([]store.Message, int64, error) {
	c, err := r.held(l)
	if err != nil {
		return nil, 0, err
	}
	behind, err := c.behind(after)
	if err != nil {
		return nil, 0, err
	}
	var out []store.Message
	for _, e := range behind {
		var m store.Message
		if e.Kind != store.EntryMessage || json.Unmarshal(e.Data, &m) != nil {
			return nil, 0, store.ErrConflict
		}
		out = append(out, m)
	}
	if len(out) > 0 {
		return out, c.last(), nil
	}
	p, _ := r.Pending(ctx, l.Conversation)
	turns := 0
	for _, m := range c.waiting() {
		switch {
		case at == store.AtStep && (m.Parked || m.Lane != store.Step), at == store.AtTurn && p.Waiting == 0:
			continue
		case at == store.AtTurn && !m.Parked && m.Lane == store.Turn:
			if turns++; turns > 1 {
				continue
			}
		}
		data, _ := json.Marshal(m)
		c.write(store.Entry{Kind: store.EntryMessage, Data: data})
		out = append(out, m)
		c.claimed[m.Seq] = true
	}
	return out, c.last(), nil
}

func (r *reference) Park(_ context.Context, l store.Lease) (int, error) {
	c, err := r.held(l)
	if err != nil {
		return 0, err
	}
	for i := range c.sent {
		c.sent[i].Parked = c.sent[i].Parked || !c.claimed[c.sent[i].Seq]
	}
	return len(c.waiting()), nil
}

func (r *reference) Drive(_ context.Context, l store.Lease, driving bool) error {
	c, err := r.held(l)
	if err == nil {
		c.Driving = driving
	}
	return err
}

func (r *reference) Interrupt(_ context.Context, id store.ID, activation, upTo int64) error {
	if activation < 1 || upTo < 1 {
		return store.ErrInvalid
	}
	c, err := r.find(id)
	if err != nil || !c.Resident || c.Activation != activation {
		return err
	}
	if upTo > c.last() {
		return store.ErrConflict
	}
	c.Interrupt = max(c.Interrupt, upTo)
	return nil
}

func (r *reference) Settle(ctx context.Context, l store.Lease, after int64, s store.Settlement) error {
	c, err := r.find(l.Conversation)
	if err != nil {
		return err
	}
	data, _ := json.Marshal(s)
	if behind, err := c.behind(after); err == nil && len(behind) > 0 && behind[0].Kind == store.EntrySettled && string(behind[0].Data) == string(data) {
		return nil
	}
	if _, err := r.held(l); err != nil {
		return err
	}
	if after != c.last() {
		return store.ErrConflict
	}
	if p, _ := r.Pending(ctx, l.Conversation); p != (store.Pending{}) {
		return &store.BusyError{Pending: p}
	}
	r.end(c, s, "settled")
	return nil
}

func (r *reference) Lose(_ context.Context, l store.Lease, s store.Settlement) error {
	c, err := r.held(l)
	if err == nil {
		r.end(c, s, "lost")
	}
	return err
}

func (r *reference) end(c *known, s store.Settlement, how string) {
	data, _ := json.Marshal(s)
	c.write(store.Entry{Kind: store.EntrySettled, Data: data})
	c.Resident, c.Driving, c.Interrupt, c.Outcome, c.Text, c.Ended, c.ended = false, false, 0, s.Outcome, s.Text, s.Activation, how
	if p, err := r.find(c.Parent); err == nil && s.Notice != nil {
		p.take(*s.Notice)
	}
}

func (r *reference) Pending(_ context.Context, id store.ID) (store.Pending, error) {
	c, err := r.find(id)
	if err != nil {
		return store.Pending{}, err
	}
	var p store.Pending
	for _, m := range c.waiting() {
		if !m.Parked && !m.Quiet {
			p.Waiting++
		}
	}
	for _, child := range r.all {
		if child.Parent == id && !child.deleted && child.Resident {
			p.Children++
		}
	}
	return p, nil
}

func (r *reference) Get(_ context.Context, id store.ID) (store.Conversation, error) {
	c, err := r.find(id)
	if err != nil {
		return store.Conversation{}, err
	}
	return c.Conversation, nil
}

func (r *reference) Children(_ context.Context, parent, after store.ID, limit int) ([]store.Conversation, error) {
	if _, err := r.find(parent); parent != "" && err != nil {
		return nil, err
	}
	var out []store.Conversation
	behind := after == ""
	for _, c := range r.all {
		if behind && c.Parent == parent && !c.deleted && (limit <= 0 || len(out) < limit) {
			out = append(out, c.Conversation)
		}
		behind = behind || c.ID == after
	}
	if !behind {
		return nil, store.ErrUnknown
	}
	return out, nil
}

func (r *reference) Residents(_ context.Context, below store.ID) ([]store.Conversation, error) {
	if _, err := r.find(below); below != "" && err != nil {
		return nil, err
	}
	var out []store.Conversation
	for _, c := range r.all {
		if c.Resident && (below == "" || r.below(c, below)) {
			out = append(out, c.Conversation)
		}
	}
	return out, nil
}

func (r *reference) below(c *known, id store.ID) bool {
	p, err := r.find(c.Parent)
	return err == nil && (p.ID == id || r.below(p, id))
}

func (r *reference) Log(_ context.Context, id store.ID, after int64, limit int) ([]store.Entry, error) {
	c, err := r.find(id)
	if err != nil {
		return nil, err
	}
	var out []store.Entry
	for _, e := range c.log {
		if e.Seq > after && (limit <= 0 || len(out) < limit) {
			out = append(out, e)
		}
	}
	return out, nil
}

func (r *reference) Waiting(_ context.Context, id store.ID) ([]store.Message, error) {
	c, err := r.find(id)
	if err != nil {
		return nil, err
	}
	return c.waiting(), nil
}

func (r *reference) Delete(ctx context.Context, id store.ID) error {
	c, err := r.find(id)
	if err != nil {
		for _, c := range r.all {
			if c.ID == id {
				return nil
			}
		}
		return err
	}
	resident := &store.ResidentError{Conversation: id, Itself: c.Resident}
	for _, d := range r.all {
		if d.Resident && r.below(d, id) {
			resident.Below++
		}
	}
	if resident.Itself || resident.Below > 0 {
		return resident
	}
	for _, d := range slices.Backward(r.all) {
		if d == c || r.below(d, id) {
			d.deleted = true
		}
	}
	return nil
}
