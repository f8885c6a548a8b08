//go:build unix

package kill

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
)

// faults are what a checker has found.
type faults []string

func (f *faults) add(format string, a ...any) { *f = append(*f, fmt.Sprintf(format, a...)) }

// always checks what holds at every moment.
func (im *image) always() (f faults) {
	for _, id := range im.order {
		r := im.all[id]
		im.inboxes(r, &f)
		im.results(r, &f)
		im.starts(r, &f)
		im.residencies(r, &f)
		im.promises(r, &f)
		im.told(r, &f)
	}
	im.carriedOut(&f)
	return f
}

// inboxes: what was sent is there once, waiting or claimed, and is claimed in the order of its lane.
func (im *image) inboxes(r *record, f *faults) {
	seqs, ids := map[int64]bool{}, map[string]bool{}
	lanes := map[store.Lane]int64{}
	for i, m := range append(r.claimed(), r.waiting...) {
		if seqs[m.Seq] || ids[m.ID] {
			f.add("%s has the message %s twice", r.ID, m.ID)
		}
		seqs[m.Seq], ids[m.ID] = true, true
		if m.To != r.ID {
			f.add("%s has a message for %s", r.ID, m.To)
		}
		if i < len(r.claimed()) {
			if m.Seq < lanes[m.Lane] {
				f.add("%s got the message %s behind one that was sent later", r.ID, m.ID)
			}
			lanes[m.Lane] = m.Seq
		}
	}
	for seq := range int64(len(seqs)) {
		if !seqs[seq+1] {
			f.add("message %d to %s is nowhere", seq+1, r.ID)
		}
	}
}

// results: each call has one result, in order, before anything else of the conversation goes on.
func (im *image) results(r *record, f *faults) {
	var open []string
	known := map[string]bool{}
	for _, e := range r.log {
		switch {
		case e.result != nil:
			if len(open) == 0 || open[0] != e.result.Call {
				f.add("%s, entry %d: a result for the call %s, where %v have none", r.ID, e.Seq, e.result.Call, open)
				continue
			}
			open = open[1:]
		case e.started != nil, e.settled != nil && e.settled.Outcome == string(agent.Lost):
		case len(open) > 0:
			f.add("%s, entry %d: a %s, where the calls %v have no result", r.ID, e.Seq, e.Kind, open)
			open = nil
		}
		for _, c := range e.calls {
			if known[c.ID] {
				f.add("%s has two calls with the id %s", r.ID, c.ID)
			}
			known[c.ID] = true
			open = append(open, c.ID)
		}
	}
}

// mended begins the result of a call that had none when its process died.
const mended = "The process ended before this call had a result."

// starts: each child was started by one call of its parent's log, and that call has the child as its result, whoever gave it.
func (im *image) starts(r *record, f *faults) {
	calls, children := r.calls(), map[store.ID]bool{}
	for _, e := range r.log {
		if e.started == nil {
			continue
		}
		c, child := calls[e.started.Call], im.all[e.started.Child]
		switch {
		case c == nil:
			f.add("%s started %s by no call", r.ID, e.started.Child)
			continue
		case child == nil || child.Parent != r.ID || children[child.ID]:
			f.add("%s started %s, which is no child of it, or was there", r.ID, e.started.Child)
			continue
		}
		children[child.ID] = true
		if c.result == nil {
			continue
		}
		text := c.result.Text
		switch want := ""; child.Kind {
		case store.Continuable:
			want = string(agents.SubagentContinuable{ID: string(child.ID), Label: child.Label}.AppendText(nil))
			if text != want && !cancelled(text) {
				f.add("%s started %s, and the call's result is %q", r.ID, child.ID, text)
			}
		case store.Job:
			want = string(agents.SubagentJob{ID: string(child.ID), Label: child.Label}.AppendText(nil))
			if text != want && !cancelled(text) {
				f.add("%s started %s, and the call's result is %q", r.ID, child.ID, text)
			}
		case store.Foreground:
			end, ended := child.ends()[1]
			ok := ended && end.settled.Outcome == string(agent.Completed)
			if !c.result.Error && (!ok || text != end.settled.Text) || c.result.Error && strings.HasPrefix(text, mended) {
				f.add("%s waited for %s, and the call's result is %q", r.ID, child.ID, text)
			}
		}
	}
	for _, id := range r.kids {
		if !children[id] {
			f.add("%s is a child of %s, which did not start it", id, r.ID)
		}
	}
	for key, c := range calls {
		if (c.Name == "subagent" || c.Name == "work") && c.result != nil && strings.HasPrefix(c.result.Text, "Started ") &&
			!slices.ContainsFunc(r.log, func(e entry) bool { return e.started != nil && e.started.Call == key }) {
			f.add("%s was told %q, and has started nothing", r.ID, c.result.Text)
		}
	}
}

// cancelled: the turn was interrupted while the call started the child.
func cancelled(text string) bool { return strings.HasPrefix(text, "the call was cancelled after") }

// residencies: each Activation ends once, in order, and begins with a message of the parent's; the index says what the log says.
func (im *image) residencies(r *record, f *faults) {
	last := store.Settlement{}
	begun := true // a message has begun the Activation
	for _, e := range r.log {
		switch {
		case e.settled != nil:
			s := *e.settled
			if s.Activation <= last.Activation || r.Kind != store.Root && s.Activation != last.Activation+1 {
				f.add("%s: Activation %d ended after %d", r.ID, s.Activation, last.Activation)
			}
			last, begun = s, false
		case e.message != nil && e.message.Kind == store.FromParent:
			begun = true
		case len(e.calls) > 0 && !begun && r.Kind != store.Root:
			f.add("%s went on after Activation %d without a message that resumed it", r.ID, last.Activation)
			begun = true
		}
	}
	if r.Kind == store.Root {
		return // it is released without an end
	}
	now := last.Activation
	if r.Resident {
		now++
		if !begun && !slices.ContainsFunc(r.waiting, func(m store.Message) bool { return m.Kind == store.FromParent }) {
			f.add("%s was revived after Activation %d, and nobody has sent it anything", r.ID, last.Activation)
		}
	}
	if r.Activation != now {
		f.add("%s has had %d Activations, and its log ends with %d", r.ID, r.Activation, last.Activation)
	}
	if r.Outcome != last.Outcome || r.Text != last.Text {
		f.add("%s is listed as %q, %q and its log says %q, %q", r.ID, r.Outcome, r.Text, last.Outcome, last.Text)
	}
	if now > 1 && r.Kind != store.Continuable {
		f.add("%s is a %s, and ran %d times", r.ID, r.Kind, now)
	}
}

// told: a parent gets exactly one notice of each Activation of a continuable child that has ended, in order, with its outcome, and
// behind the reports of that Activation; and it ends after its children.
func (im *image) told(r *record, f *faults) {
	told := map[store.ID]int64{}
	for _, m := range r.inbox() {
		if m.Kind != store.FromSettlement && m.Kind != store.FromChild {
			continue
		}
		child := im.all[m.From]
		if child == nil || child.Parent != r.ID || child.Kind != store.Continuable {
			f.add("%s was told something by %s, which is no child of it", r.ID, m.From)
			continue
		}
		if m.Activation != told[m.From]+1 {
			f.add("%s got %s of Activation %d of %s behind the notice of %d", r.ID, m.Kind, m.Activation, m.From, told[m.From])
		}
		if m.Kind == store.FromSettlement {
			told[m.From] = m.Activation
			if end, ok := child.ends()[m.Activation]; !ok || string(content(m).Outcome) != end.settled.Outcome {
				f.add("%s was told that Activation %d of %s is %s, and its log says otherwise", r.ID, m.Activation, m.From, content(m).Outcome)
			}
		}
	}
	for _, id := range r.kids {
		child := im.all[id]
		if n := int64(len(child.ends())); child.Kind == store.Continuable && told[id] != n {
			f.add("%s had %d notices of %s, which has ended %d times", r.ID, told[id], id, n)
		}
		im.endsBehind(r, child, f)
	}
}

// endsBehind: a parent ends after its children. One that is not lost has read a notice of each Activation of theirs that it knows
// of, or has it parked; of those who are lost the times say it, since one process loses them one after the other.
func (im *image) endsBehind(r, child *record, f *faults) {
	begun, read := 0, 0
	for _, e := range r.log {
		switch {
		case e.started != nil && e.started.Child == child.ID,
			e.result != nil && strings.HasPrefix(e.result.Text, "Resumed: "+string(child.ID)+" "):
			begun++
		case e.message != nil && e.message.Kind == store.FromSettlement && e.message.From == child.ID:
			read++
		case e.settled == nil:
		case e.settled.Outcome == string(agent.Lost) && child.during(e),
			e.settled.Outcome != string(agent.Lost) && child.Kind == store.Continuable && read+e.settled.Parked < begun:
			f.add("%s ended Activation %d before its child %s", r.ID, e.settled.Activation, child.ID)
		}
	}
}

// during says whether a residency of the conversation began before the entry and ended after it.
func (r *record) during(at entry) bool {
	begun := false
	for _, e := range r.log {
		switch {
		case e.settled != nil:
			if begun && e.Time.After(at.Time) {
				return true
			}
			begun = false
		case e.message != nil && e.Time.Before(at.Time):
			begun = true
		}
	}
	return begun && r.Resident
}

// promises: what a call was told to have sent is there, and what is there was sent by a call.
func (im *image) promises(r *record, f *faults) {
	calls := r.calls()
	sent := func(to store.ID, id string) (m store.Message, ok bool) {
		if im.all[to] == nil {
			return m, false
		}
		inbox := im.all[to].inbox()
		i := slices.IndexFunc(inbox, func(m store.Message) bool { return m.ID == id })
		if i < 0 {
			return m, false
		}
		return inbox[i], true
	}
	for key, c := range calls {
		to, id, text := store.ID(c.argument("subagent_id")), fmt.Sprintf("sent/%s/%s", r.ID, key), c.argument("message")
		switch c.Name {
		case "report":
			to, id, text = r.Parent, fmt.Sprintf("report/%s/%s", r.ID, key), c.argument("output")
		case "send_message":
		default:
			continue
		}
		m, ok := sent(to, id)
		if !ok && c.result != nil && !c.result.Error {
			f.add("%s was told %q, and the message %s is nowhere", r.ID, c.result.Text, id)
		}
		if ok && (m.From != r.ID || !strings.Contains(content(m).Text, text)) {
			f.add("%s sent %q, and what has arrived is %s of %s", r.ID, text, m.Data, m.From)
		}
	}
	// What came of nobody's call.
	for _, m := range r.inbox() {
		prefix := fmt.Sprintf("sent/%s/", r.Parent)
		from := im.all[r.Parent]
		switch m.Kind {
		case store.FromUser:
			if r.Kind != store.Root {
				f.add("%s got a user's message", r.ID)
			}
			continue
		case store.FromChild:
			prefix, from = fmt.Sprintf("report/%s/", m.From), im.all[m.From]
		case store.FromSettlement:
			continue
		}
		if m.ID == "prompt/"+string(r.ID) {
			continue
		}
		key, ours := strings.CutPrefix(m.ID, prefix)
		if !ours || from == nil || from.calls()[key] == nil {
			f.add("%s got the message %s, which nobody has sent", r.ID, m.ID)
		}
	}
}

// carriedOut: no call is carried out twice, none that is not in the log, and of one conversation's Activation by one process.
func (im *image) carriedOut(f *faults) {
	done, by := map[string]bool{}, map[string]string{}
	for _, e := range im.effects {
		key := string(e.agent) + " " + e.key
		if done[key] {
			f.add("the call %s was carried out twice", key)
		}
		done[key] = true
		r := im.all[e.agent]
		if r == nil || r.calls()[e.key] == nil {
			f.add("the call %s was carried out, and is in no log", key)
		}
		residency := fmt.Sprintf("Activation %d of %s", e.activation, e.agent)
		if p := by[residency]; p != "" && p != e.process {
			f.add("%s ran in the processes %s and %s", residency, p, e.process)
		}
		by[residency] = e.process
	}
	for id, r := range im.all {
		for key, c := range r.calls() {
			if (c.Name == "effect" || c.Name == "probe") && c.result != nil && !c.result.Error && !done[string(id)+" "+key] {
				f.add("the call %s %s has a result, and was not carried out", id, key)
			}
		}
	}
}

// since checks what holds between two moments: the first is the death of every process, the second is later.
func (im *image) since(before *image, opened bool) (f faults) {
	for _, id := range before.order {
		was, is := before.all[id], im.all[id]
		if is == nil {
			f.add("%s is gone", id)
			continue
		}
		for i, e := range was.log {
			if i >= len(is.log) || !bytes.Equal(is.log[i].Data, e.Data) || is.log[i].Kind != e.Kind {
				f.add("%s has lost its entry %d", id, e.Seq)
				break
			}
		}
		if was.Resident {
			end, ended := is.ends()[was.Activation]
			if !ended && opened {
				f.add("%s has not ended, and its process is dead", id)
			}
			if ended && end.settled.Outcome != string(agent.Lost) {
				f.add("%s ended as %s, and its process was dead", id, end.settled.Outcome)
			}
		}
		f = append(f, is.pendingCame(was)...)
	}
	return f
}

// pendingCame: what waited when the process died came once and together, in the first turn that somebody started: all of it to a
// root, and to a child what needs no turn of its own.
func (r *record) pendingCame(was *record) (f faults) {
	var first []string
	for _, e := range r.log[min(len(was.log), len(r.log)):] {
		if e.message != nil {
			first = append(first, e.message.ID)
		} else if len(first) > 0 {
			break
		}
	}
	if len(first) == 0 {
		return nil // nobody has started one
	}
	at := 0
	waiting := slices.Clone(was.waiting)
	slices.SortFunc(waiting, func(a, b store.Message) int { return int(a.Seq - b.Seq) })
	for _, m := range waiting {
		if r.Kind != store.Root && m.Lane != store.Step {
			continue
		}
		i := slices.Index(first, m.ID)
		if i < 0 {
			f.add("%s waited for %s, and the first turn began with %v", m.ID, r.ID, first)
		} else if i < at {
			f.add("%s came to %s out of order", m.ID, r.ID)
		}
		at = max(at, i)
	}
	return f
}

// users: each text that was accepted reached the root once, in order; one whose sender died may have.
func (im *image) users(root store.ID, tried, accepted []string) (f faults) {
	r := im.all[root]
	var got []string
	if r != nil {
		for _, m := range r.inbox() {
			if m.Kind == store.FromUser {
				got = append(got, content(m).Text)
			}
		}
	}
	for i, text := range got {
		if slices.Index(got, text) != i || !slices.Contains(tried, text) {
			f.add("%s got the user's message %q, which was not sent, or was there", root, text)
		}
	}
	at := 0
	for _, text := range accepted {
		i := slices.Index(got, text)
		if i < 0 {
			f.add("the user's message %q was accepted, and is nowhere", text)
		} else if i < at {
			f.add("the user's message %q came out of order", text)
		}
		at = max(at, i)
	}
	return f
}

// quiet checks what holds when all is over.
func (im *image) quiet() (f faults) {
	for id, r := range im.all {
		if r.Resident {
			f.add("%s is resident", id)
		}
		calls := map[string]*asked{}
		if p := im.all[r.Parent]; p != nil {
			calls = p.calls()
		}
		for _, m := range r.waiting {
			if m.Parked || m.Quiet || r.Outcome == string(agent.Lost) && r.Kind != store.Root {
				continue
			}
			// It was sent by a call whose process died before it could resume the child.
			c := calls[strings.TrimPrefix(m.ID, fmt.Sprintf("sent/%s/", r.Parent))]
			if c == nil || c.result != nil && !c.result.Error {
				f.add("%s waits for %s for ever", m.ID, id)
			}
		}
		if r.Kind == store.Root && slices.ContainsFunc(r.log, func(e entry) bool { return e.calls != nil }) && len(r.calls()) > 0 {
			for key, c := range r.calls() {
				if c.result == nil {
					f.add("the call %s %s never got a result", id, key)
				}
			}
		}
	}
	return f
}
