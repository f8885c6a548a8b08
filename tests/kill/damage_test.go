//go:build unix

package kill

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/store/sqlite"
)

// damages are what can be wrong with one conversation in a file; what a listing then says of it, and a call that would send to it.
var damages = map[string]struct {
	sql, problem, refused string
	stays                 bool // its residency cannot be ended
}{
	"its row":  {sql: "UPDATE conversations SET label = 'x' || label WHERE id = ?", problem: "corrupt", refused: "its stored conversation is corrupt"},
	"its kind": {sql: "UPDATE conversations SET kind = 'dream' WHERE id = ?", problem: "corrupt", refused: "cannot be continued"},
	"a newer version of it": {sql: "UPDATE conversations SET version = version + 1 WHERE id = ?", problem: "unsupported",
		refused: "its stored conversation is unsupported"},
	"its state": {sql: "DELETE FROM states WHERE conversation = (SELECT n FROM conversations WHERE id = ?)", problem: "corrupt",
		refused: "the data is damaged", stays: true},
	"an entry of its log": {sql: "UPDATE entries SET data = zeroblob(length(data)) WHERE seq = 1 AND conversation = (SELECT n FROM conversations WHERE id = ?)",
		refused: "cannot be resumed: agent: entry 1 of"},
	"a hole in its log": {sql: "DELETE FROM entries WHERE seq = 1 AND conversation = (SELECT n FROM conversations WHERE id = ?)",
		refused: "cannot be resumed: agent: entry 1 of"},
	"a message that waits for it": {sql: "UPDATE messages SET data = zeroblob(length(data)) WHERE recipient = (SELECT n FROM conversations WHERE id = ?)",
		refused: "Resumed: "}, // it then ends as failed
}

// spoil does to a file what no store does.
func spoil(t *testing.T, o orders, statement string, id store.ID) {
	t.Helper()
	db, err := sql.Open("sqlite", o.store())
	require.NoError(t, err)
	_, err = db.Exec(statement, string(id))
	require.NoError(t, err)
	require.NoError(t, db.Close())
}

// TestDamagedResident: where what is stored of an agent is damaged whose process has died, all others end as they should, and their
// root goes on. The damaged one is a diagnostic in the listing, and hides nobody.
func TestDamagedResident(t *testing.T) {
	for what, damage := range damages {
		for _, task := range []string{"wait", "delegate"} {
			t.Run(what+" of one that was told to "+task, func(t *testing.T) {
				t.Parallel()
				damaged(t, task, damage.sql, damage.problem, damage.refused, damage.stays)
			})
		}
	}
}

func damaged(t *testing.T, task, statement, problem, refused string, stays bool) {
	o := orders{Dir: t.TempDir(), Root: "root", Obey: true}
	p := spawn(t, o)
	defer p.watched().Stop()
	require.Equal(t, "opened", p.hear("opened"))
	p.tell("say start task")
	p.tell("say quiet")
	require.Equal(t, "quiet", p.hear("quiet"))
	for _, task := range []string{"wait", "delegate"} {
		p.tell("say start " + task)
		first := p.hear("waiting", "answered") // in any order
		require.NotEqual(t, first, p.hear("waiting", "answered"))
	}
	p.tell("say send " + p.waiting[0])
	require.Equal(t, "answered", p.hear("answered"))
	p.kill()
	before, err := take(o, "")
	require.NoError(t, err)
	ids := map[string]store.ID{} // by label
	for _, r := range before.all {
		ids[r.Label] = r.ID
	}
	victim, sibling := ids[task], ids["task"]
	spoil(t, o, statement, victim)

	next := o
	next.Run, next.Ahead, next.Obey = 1, 1, true
	l := newLife(next, &bytes.Buffer{})
	db, err := sqlite.Open(o.store(), sqlite.Clock(l.now))
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	l.store = db
	l.turns.Store(true)
	require.NoError(t, l.serve())
	defer func() {
		closing, cancel := context.WithCancel(context.Background())
		if stays {
			cancel() // the root's residency has no end either: it is found dead later
		}
		err := l.svc.Close(closing)
		require.Equal(t, stays, err != nil, "%v", err)
		cancel()
	}()
	ctx := t.Context()
	if err := l.svc.Recover(ctx); stays {
		require.ErrorIs(t, err, store.ErrDamaged)
		require.ErrorContains(t, err, "cannot be ended")
	} else {
		require.NoError(t, err)
	}
	for _, id := range before.order {
		if r := before.all[id]; r.Resident && id != victim && !(stays && r.Parent == victim) {
			c, err := db.Get(ctx, id)
			require.NoError(t, err)
			require.Equal(t, "lost", c.Outcome, id)
		}
	}
	l.root, err = l.svc.Open(ctx, "root")
	require.NoError(t, err)

	// It is a diagnostic in the listing, and hides nobody.
	said := prompt(t, l, "list")
	for _, id := range before.order {
		r := before.all[id]
		switch {
		case id == victim && problem != "":
			require.Contains(t, said, fmt.Sprintf("%s could not be read: %s\n", id, problem))
		case stays && r.Parent == victim:
			require.Contains(t, said, string(id))
		case r.Kind == store.Continuable:
			require.Contains(t, said, fmt.Sprintf("%s [ready] — %s ", id, r.Label))
		}
	}
	// The others go on; to it nothing is sent.
	require.Contains(t, prompt(t, l, "send "+string(sibling)), "Resumed: "+string(sibling))
	require.Contains(t, prompt(t, l, "send "+string(victim)), refused)
}

// prompt gives the result of the call that the root makes when it is told something.
func prompt(t *testing.T, l *life, text string) string {
	t.Helper()
	c, err := l.root.Prompt(t.Context(), text)
	require.NoError(t, err)
	require.Equal(t, agent.Completed, c.End.Outcome)
	return c.End.Text
}
