package store_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// TestEntriesOfStepsAreReadable: what steps write is JSON as people write it, and comes back.
func TestEntriesOfStepsAreReadable(t *testing.T) {
	m := store.Message{ID: "m", To: "r", From: "c", Kind: store.FromChild, Lane: store.Step, Activation: 2, Quiet: true,
		Data: json.RawMessage(`{ "text": "a < b & c" }`), Seq: 7, Parked: true}
	e := store.MessageEntry(m)
	require.Equal(t, `{"id":"m","to":"r","from":"c","kind":"report","lane":"step","activation":2,"quiet":true,"data":{"text":"a < b & c"},"seq":7,"parked":true}`, string(e.Data))
	got, err := store.Claimed([]store.Entry{e})
	require.NoError(t, err)
	m.Data = json.RawMessage(`{"text":"a < b & c"}`)
	require.Equal(t, []store.Message{m}, got)

	require.Equal(t, `{"call":"1","child":"c"}`, string(store.StartedEntry(store.Started{Call: "1", Child: "c"}).Data))
	s := store.Settlement{Outcome: "failed", Text: "<no>", FailedTurns: 1, Activation: 3, Notice: &m}
	end, err := store.Settled(store.SettledEntry(s))
	require.NoError(t, err)
	s.Notice = nil // it is on its way, not in the log
	require.Equal(t, s, end)
}

// TestClaimedReadsClaimsOnly: anything else behind an entry is a conflict, and what cannot be read is damage.
func TestClaimedReadsClaimsOnly(t *testing.T) {
	message := store.MessageEntry(store.Message{ID: "m"})
	_, err := store.Claimed([]store.Entry{message, {Seq: 2, Kind: "note"}})
	require.ErrorIs(t, err, store.ErrConflict)
	_, err = store.Claimed([]store.Entry{message, {Seq: 2, Kind: store.EntryMessage, Data: json.RawMessage(`{`)}})
	require.ErrorIs(t, err, store.ErrDamaged)
	require.ErrorContains(t, err, "entry 2")
	_, err = store.Settled(store.Entry{Seq: 3, Data: json.RawMessage(`[]`)})
	require.ErrorIs(t, err, store.ErrDamaged)
	require.ErrorContains(t, err, "entry 3")
}

// TestOrder: what a claim takes, of every kind of message at once.
func TestOrder(t *testing.T) {
	var waiting []store.Message
	for _, word := range strings.Fields("t1 s1 t2p s2q s3p t3q s4 t4") {
		m := store.Message{ID: word, Lane: store.Turn, Parked: strings.HasSuffix(word, "p"), Quiet: strings.HasSuffix(word, "q")}
		if word[0] == 's' {
			m.Lane = store.Step
		}
		waiting = append(waiting, m)
	}
	only := func(keep func(store.Message) bool) (list []store.Message) {
		for _, m := range waiting {
			if keep(m) {
				list = append(list, m)
			}
		}
		return list
	}
	for _, one := range []struct {
		waiting []store.Message
		at      store.Boundary
		want    string
	}{
		{waiting, store.AtTurn, "t2p s3p s1 s2q s4 t1 | t3q t4"},
		{waiting, store.AtStep, "s1 s2q s4 | t2p s3p t1 t3q t4"},
		{only(func(m store.Message) bool { return m.Parked || m.Quiet }), store.AtTurn, "| t2p s3p s2q t3q"},
		{only(func(m store.Message) bool { return m.Parked || m.Quiet }), store.AtStep, "s2q | t2p s3p t3q"},
		{only(func(m store.Message) bool { return m.ID == "t3q" || m.ID == "t4" }), store.AtTurn, "t3q | t4"},
		{nil, store.AtTurn, "|"},
	} {
		ordered, n := store.Order(one.waiting, one.at)
		words := []string{}
		for i, m := range ordered {
			if i == n {
				words = append(words, "|")
			}
			words = append(words, m.ID)
		}
		if n == len(ordered) {
			words = append(words, "|")
		}
		require.Equal(t, one.want, strings.Join(words, " "))
	}
}

// TestErrorsSayWhat.
func TestErrorsSayWhat(t *testing.T) {
	err := error(&store.HeldError{Lease: store.Lease{Conversation: "r", Process: "p"}})
	require.ErrorIs(t, err, store.ErrHeld)
	require.NotErrorIs(t, err, store.ErrFenced)
	require.EqualError(t, err, "store: the conversation is resident already: r by p")
	require.EqualError(t, store.CheckSize("an entry", 11, 10), "store: larger than the store's limit: an entry of 11 bytes, the limit is 10")
	require.NoError(t, store.CheckSize("an entry", 10, 10))
	require.NoError(t, store.CheckSize("an entry", 1<<40, 0))
}

// TestWatchersJoinWhatIsPending: what changes again before a slow watcher has come to it is one call, and nothing is lost.
func TestWatchersJoinWhatIsPending(t *testing.T) {
	var w store.Watchers
	begun, goOn := make(chan store.ID), make(chan struct{})
	stop := w.Watch(func(id store.ID) {
		begun <- id
		<-goOn
	})
	require.True(t, w.Watched())
	w.Changed("a")
	require.Equal(t, store.ID("a"), <-begun)
	w.Changed("b", "a", "b")
	w.Changed("b", "c")
	for _, want := range []store.ID{"b", "a", "c"} {
		goOn <- struct{}{}
		require.Equal(t, want, <-begun)
	}
	goOn <- struct{}{}
	stop()
	require.False(t, w.Watched())
	w.Changed("d") // nobody is called, and nothing waits
	w.Close()
	w.Watch(func(store.ID) { t.Error("called after the end") })()
	w.Changed("e")
}

// TestWatchersEndAtOnce: whoever stops, or closes, waits for the call that runs and hears of no other.
func TestWatchersEndAtOnce(t *testing.T) {
	for _, end := range []func(w *store.Watchers, stop func()){
		func(_ *store.Watchers, stop func()) { stop() },
		func(w *store.Watchers, _ func()) { w.Close() },
	} {
		var w store.Watchers
		begun, goOn := make(chan struct{}), make(chan struct{})
		calls := 0 // not guarded: the race detector is to see a call that comes late
		stop := w.Watch(func(store.ID) {
			if calls++; calls == 1 {
				close(begun)
			}
			<-goOn
		})
		w.Changed("a")
		<-begun
		w.Changed("b")
		var wg sync.WaitGroup
		for range 3 { // several may end it
			wg.Go(func() { end(&w, stop) })
		}
		close(goOn)
		wg.Wait()
		require.LessOrEqual(t, calls, 2)
	}
}
