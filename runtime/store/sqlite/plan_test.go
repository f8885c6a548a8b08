package sqlite

import (
	"context"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/store/storetest"
)

// small are tables that are read whole on purpose: their rows are residents, processes, or what is being deleted, and what
// a query has collected by itself.
var small = regexp.MustCompile(`^SCAN (l|leases|p|processes|doomed|deleted|tree|above|sqlite_master|CONSTANT ROW|\(subquery-\d+\))( |$)`)

// TestNoQueryReadsAWholeTable: every query of the steps and the readings finds its rows by a key or an index, so that what
// it costs does not grow with the store.
func TestNoQueryReadsAWholeTable(t *testing.T) {
	s := opened(t, filepath.Join(t.TempDir(), "store.db"), unsynced)
	ctx := t.Context()
	require.NoError(t, storetest.Play(ctx, s, 3, "", 400, func(int) error { return nil }))
	require.NoError(t, s.Heartbeat(ctx, "new"))
	_, err := s.Dead(ctx, time.Hour)
	require.NoError(t, err)
	queries := map[string]bool{}
	note := func(c *conn) {
		for q := range c.stmts {
			queries[q] = true
		}
	}
	for range readerCount {
		c := <-s.readers.free
		if c != nil {
			note(c)
		}
		defer func() { s.readers.free <- c }()
	}
	require.NoError(t, s.outside(ctx, func(c *conn) error {
		note(c)
		looked := &poller{conn: c}
		if err := looked.look(func(store.ID) {}); err != nil {
			return err
		}
		note(c)
		explained := 0
		for q := range queries {
			if verb, _, _ := strings.Cut(q, " "); verb != "SELECT" && verb != "UPDATE" && verb != "DELETE" && verb != "INSERT" && verb != "WITH" {
				continue
			}
			explained++
			plan, err := explain(ctx, c, q)
			if err != nil {
				return err
			}
			for _, line := range plan {
				if strings.HasPrefix(line, "SCAN ") && !small.MatchString(line) || strings.Contains(line, "TEMP B-TREE") && !strings.Contains(q, "FROM processes") {
					t.Errorf("%s:\n%s", q, strings.Join(plan, "\n"))
				}
			}
		}
		require.Greater(t, explained, 30)
		return nil
	}))
}

// explain says how SQLite finds a query's rows.
func explain(ctx context.Context, c *conn, query string) (plan []string, err error) {
	rows, err := c.conn.QueryContext(ctx, "EXPLAIN QUERY PLAN "+query, make([]any, strings.Count(query, "?"))...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id, parent, unused int
		var line string
		if err := rows.Scan(&id, &parent, &unused, &line); err != nil {
			return nil, err
		}
		plan = append(plan, line)
	}
	return plan, rows.Err()
}
