//go:build unix

package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/store/memory"
	"github.com/toolgen-dev/toolgen/runtime/store/storetest"
)

// A busy child plays so many games at once, of so many steps each.
const (
	games = 3
	moves = 40
)

func prefix(game int) string { return fmt.Sprint("game", game, "-") }

// busyChild opens the store "SEED PATH" and plays. It says each step that it was told of, before the next one.
func busyChild(args string) error {
	word, path, _ := strings.Cut(args, " ")
	seed, err := strconv.ParseUint(word, 10, 64)
	if err != nil {
		return err
	}
	s, err := Open(path)
	if err != nil {
		return err
	}
	var wg sync.WaitGroup
	errs := make([]error, games)
	for g := range games {
		wg.Go(func() {
			errs[g] = storetest.Play(context.Background(), s, seed+uint64(g), prefix(g), moves, func(i int) error {
				_, err := os.Stdout.WriteString(fmt.Sprintln(g, i)) // one write, so that lines stay whole
				return err
			})
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	fmt.Println("done")
	return nil
}

// TestKill: after a kill at any moment, each step that was told of is there, and none is there by half. Each of the games
// that the process plays is in the state after the last step that it has said, or after the one that it was doing.
func TestKill(t *testing.T) {
	kills := 200
	if detector || testing.Short() {
		kills = 10
	}
	if n, err := strconv.Atoi(os.Getenv("STORETEST_KILLS")); err == nil {
		kills = n
	}
	seed := rand.Uint64() >> 1
	if n, err := strconv.ParseUint(os.Getenv("STORETEST_SEED"), 10, 64); err == nil {
		seed = n
	}
	t.Logf("STORETEST_SEED=%d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	// What each game is after each of its steps, from a store that does not fail.
	states := make([][]string, games)
	for g := range games {
		m := memory.New()
		states[g] = []string{""}
		require.NoError(t, storetest.Play(t.Context(), m, seed+uint64(g), prefix(g), moves, func(int) error {
			d, err := storetest.Dump(t.Context(), m, prefix(g))
			states[g] = append(states[g], d)
			return err
		}))
	}
	between := 0 // how often the kill came between a step's end and its being said
	for range kills {
		path := filepath.Join(t.TempDir(), "store.db")
		said := killed(t, path, seed, rnd.IntN(games*moves))
		s := opened(t, path)
		require.NoError(t, s.Check(t.Context()))
		for g := range games {
			found, err := storetest.Dump(t.Context(), s, prefix(g))
			require.NoError(t, err)
			n := said[g]
			switch {
			case found == states[g][n]:
			case n < moves && found == states[g][n+1]:
				between++
			default:
				t.Fatalf("STORETEST_SEED=%d, game %d: after %d steps that were said, the store holds something else:\n%s", seed, g, n, found)
			}
		}
	}
	t.Logf("%d kills; %d steps had happened and were not said", kills, between)
}

// killed lets a child play until it has said so many steps, kills it, and returns how many of each game it said.
func killed(t *testing.T, path string, seed uint64, after int) []int {
	t.Helper()
	p := spawn(t, fmt.Sprintf("busy %d %s", seed, path))
	said := make([]int, games)
	for total := 0; p.out.Scan(); total++ {
		if total == after {
			p.kill0()
		}
		var g, i int
		switch n, err := fmt.Sscan(p.out.Text(), &g, &i); {
		case p.out.Text() == "done":
		case n != 2:
			t.Fatalf("the child said %q: %v", p.out.Text(), err)
		default:
			require.Equal(t, said[g], i)
			said[g]++
		}
	}
	if err := p.out.Err(); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, os.ErrClosed) {
		t.Fatal(err)
	}
	p.kill()
	return said
}

// kill0 kills without waiting for the end, so that what the process has said can still be heard.
func (p *process) kill0() { _ = p.cmd.Process.Kill() }
