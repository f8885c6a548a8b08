package subagent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/gen/agents"
	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/subagent"
)

func list(scope string) agent.Call { return call("list_agents", args{"scope": scope}) }

// family is a world in which `one` is running, `two` is idle while its own child runs, and `three` has settled.
func family(t *testing.T, edit ...func(*world)) *world {
	var w *world
	held := func(r turnOf) (*agent.Response, error) { return &agent.Response{Text: "done"}, w.at(r, "end") }
	w = newWorld(t, map[string]brain{
		"": obeying(map[string]agent.Call{"start one": start("one"), "start two": start("two"), "start three": start("three"),
			"list": list("children"), "list all": list("descendants"), "start a job": start("job", args{"run_in_background": false})}),
		"one": held,
		"two": func(r turnOf) (*agent.Response, error) {
			if r.n == 0 {
				return do(start("leaf"))
			}
			return say("two")
		},
		"leaf": held, "three": saying("three"), "*": saying("ok"),
	}, edit...)
	w.create()
	for _, label := range []string{"one", "two", "three"} {
		prompt(t, w, "start "+label)
		synctest.Wait()
	}
	return w
}

// The three mappings: list_agents takes the status from the spec's. The lines are those of the note.
func TestListAgents(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := family(t)
		defer w.close()
		require.Equal(t, "a2 [running] — one\na3 [idle] — two\na5 [ready] — three\n", prompt(t, w, "list"))
		require.Equal(t, "a2 [running] — one (started by a1, depth 1)\na3 [idle] — two (started by a1, depth 1)\n"+
			"a4 [running] — leaf (started by a3, depth 2)\na5 [ready] — three (started by a1, depth 1)\n", prompt(t, w, "list all"))
		prompt(t, w, "start a job")
		require.NotContains(t, prompt(t, w, "list all"), "job", "a foreground child cannot be continued")
		w.open("end")
		require.NoError(t, w.root.Wait(t.Context()))
		require.Equal(t, "a2 [ready] — one\na3 [ready] — two\na5 [ready] — three\n", prompt(t, w, "list"))
	})
}

// The service's own listing keeps `running` and `inactive`, with the driving flag beside it, in both modes; a process that has
// the store open sees the agents of others.
func TestServiceListing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := family(t)
		defer w.close()
		elsewhere := newWorld(t, nil, func(v *world) { v.store, v.cfg.Process = w.store, "q" })
		defer elsewhere.close()
		for _, svc := range []*subagent.Service{w.svc, elsewhere.svc} {
			children, err := svc.Children(t.Context(), "a1")
			require.NoError(t, err)
			all, err := svc.Descendants(t.Context(), "a1")
			require.NoError(t, err)
			show := func(entries []subagent.Entry) (out []string) {
				for _, e := range entries {
					out = append(out, fmt.Sprintf("%s %s %v %d %s", e.ID, e.Activity, e.Driving, e.Depth, e.Outcome))
				}
				return out
			}
			require.Equal(t, []string{"a2 running true 1 ", "a3 running false 1 ", "a5 inactive false 1 completed"}, show(children))
			require.Equal(t, []string{"a2 running true 1 ", "a3 running false 1 ", "a4 running true 2 ", "a5 inactive false 1 completed"}, show(all))
		}
		w.open("end")
	})
}

// One child that cannot be read is a diagnostic, and hides nobody: not its siblings, and not what it has started.
func TestDamagedChild(t *testing.T) {
	damage := map[store.ID]func(c *store.Conversation){
		"a2": func(c *store.Conversation) { c.Problem = store.Corrupt },
		"a3": func(c *store.Conversation) { c.Composition = json.RawMessage(`{"v":99}`) },
		"a4": func(c *store.Conversation) { c.Composition = json.RawMessage(`{`) },
	}
	bubble(t, func(t *testing.T) {
		broken := false
		w := family(t, func(w *world) { w.store = &damaged{w.store, damage, &broken} })
		defer w.close()
		w.open("end")
		require.NoError(t, w.root.Wait(t.Context()))
		broken = true
		require.Equal(t, "a5 [ready] — three\na2 could not be read: corrupt\na3 could not be read: unsupported\n", prompt(t, w, "list"))
		require.Equal(t, "a5 [ready] — three (started by a1, depth 1)\na2 could not be read: corrupt\na3 could not be read: unsupported\n"+
			"a4 could not be read: corrupt\na5 could not be read: unavailable\n", prompt(t, w, "list all"), "what a5 has started could not be listed")
		all, err := w.svc.Descendants(t.Context(), "a1")
		require.NoError(t, err)
		require.Len(t, all, 4)
		require.Empty(t, all[3].Problem)
		require.Equal(t, agents.AgentProblemUnavailable, all[3].Below)
	})
}

// Of agents in this process it is known exactly whether they drive, also where the store could not be told; one that is deleted while
// its tree is listed is no problem.
func TestListingIsExact(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := family(t, func(w *world) {
			w.store = &hooked{Store: w.store, before: func(step string, of store.ID, _ string) error {
				switch {
				case step == "drive":
					return errDisk
				case step == "children" && of == "a5":
					return store.ErrUnknown
				}
				return nil
			}}
		})
		defer w.close()
		require.Equal(t, "a2 [running] — one (started by a1, depth 1)\na3 [idle] — two (started by a1, depth 1)\n"+
			"a4 [running] — leaf (started by a3, depth 2)\na5 [ready] — three (started by a1, depth 1)\n", prompt(t, w, "list all"))
		w.open("end")
	})
}

// damaged is a store that shows some conversations otherwise than they are.
type damaged struct {
	store.Store
	how    map[store.ID]func(*store.Conversation)
	broken *bool
}

func (d *damaged) Children(ctx context.Context, parent, after store.ID, limit int) ([]store.Conversation, error) {
	if *d.broken && parent == "a5" {
		return nil, errors.New("a bad page")
	}
	list, err := d.Store.Children(ctx, parent, after, limit)
	for i := range list {
		if f := d.how[list[i].ID]; f != nil && *d.broken {
			f(&list[i])
		}
	}
	return list, err
}

// A damaged or newer conversation cannot be resumed, and says so; nothing is sent to it, and it begins no Activation.
func TestDamagedIsNotResumed(t *testing.T) {
	entry := func(kind, data string) store.Entry { return store.Entry{Kind: kind, Data: json.RawMessage(data)} }
	for want, e := range map[string]store.Entry{
		"has the version 7, which is not known here": entry("turn", `{"v":7,"outcome":"completed"}`),
		"has the version 2, which is not known here": entry("dream", `{}`),
		"is damaged": entry("assistant", `{"v":"one"}`),
	} {
		t.Run(want, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				w := newWorld(t, map[string]brain{"": obeying(map[string]agent.Call{"start": start("c"), "send": send("a2", "again")}), "*": saying("c")})
				defer w.close()
				w.create()
				prompt(t, w, "start")
				require.NoError(t, w.root.Wait(t.Context()))
				lease, err := w.store.Acquire(t.Context(), "vandal", "a2")
				require.NoError(t, err)
				last, err := w.store.Append(t.Context(), lease, lease.Last, e)
				require.NoError(t, err)
				require.NoError(t, w.store.Settle(t.Context(), lease, last, store.Settlement{Outcome: "lost", Activation: 2}))
				text := prompt(t, w, "send")
				require.True(t, strings.HasPrefix(text, "a2 cannot be resumed: agent: entry "), text)
				require.Contains(t, text, want)
				require.EqualValues(t, 2, w.conv("a2").Activation)
				require.Empty(t, unclaimed(w, "a2"))
			})
		})
	}
}

// A listing that is longer than the tool's limit keeps its oldest and its newest lines, and says how much is left out between them.
func TestLongListing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, map[string]brain{"": obeying(map[string]agent.Call{"list": list("children"), "jobs": call("job_list", args{})})},
			func(w *world) {
				w.cfg.Delegations = []subagent.Delegation{{Options: continuable[0].Options, Primary: true}, {Name: "work"}}
			})
		defer w.close()
		lease, err := w.store.Create(t.Context(), "old", store.NewConversation{ID: "a0", Kind: store.Root, Composition: json.RawMessage(`{"v":1,"tools":["list_agents","job_list"]}`)})
		require.NoError(t, err)
		const n = 10_000
		for i := range n {
			id, kind := store.ID(fmt.Sprintf("c%05d", i)), store.Continuable
			if i%2 == 1 {
				kind = store.Job
			}
			_, child, _, err := w.store.Start(t.Context(), lease, int64(i), string(id), store.NewConversation{
				ID: id, Kind: kind, Parent: "a0", Label: "label of " + string(id), Composition: json.RawMessage(`{"v":1}`),
			}, store.Message{ID: string(id), To: id, Kind: store.FromParent, Lane: store.Turn})
			require.NoError(t, err)
			_, err = w.store.Park(t.Context(), child)
			require.NoError(t, err)
			require.NoError(t, w.store.Settle(t.Context(), child, 0, store.Settlement{Outcome: "completed", Activation: 1}))
		}
		require.NoError(t, w.store.Release(t.Context(), lease))
		w.root, err = w.svc.Open(t.Context(), "a0")
		require.NoError(t, err)
		for text, lines := range map[string][2]string{
			"list": {"c00000 [ready] — label of c00000\n", "\nc09998 [ready] — label of c09998\n"},
			"jobs": {"c00001 [completed] — label of c00001\n", "\nc09999 [completed] — label of c09999"},
		} {
			got := prompt(t, w, text)
			require.True(t, strings.HasPrefix(got, lines[0]), text)
			require.True(t, strings.HasSuffix(got, lines[1]), text)
			require.Regexp(t, `\n\[\d+ bytes were left out here\]\n`, got)
			require.Less(t, len(got), 65_536+50, text)
		}
	})
}
