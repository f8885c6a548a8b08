package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/toolgen-dev/toolgen/runtime/store"
)

// Delete removes a tree, and gives the space back to the disk.
func (s *Store) Delete(ctx context.Context, id store.ID) error {
	err := s.write(ctx, func(c *conn) error {
		n, err := known(c, id, false)
		if errors.Is(err, store.ErrUnknown) {
			_, err = known(c, id, true)
			return err
		}
		if err != nil {
			return err
		}
		if _, err := c.exec("DELETE FROM doomed"); err != nil {
			return err
		}
		if _, err := c.exec(`WITH RECURSIVE tree (n) AS (SELECT ? UNION ALL SELECT c.n FROM tree JOIN conversations c ON c.parent = tree.n)
			INSERT INTO doomed SELECT n, c.id, coalesce(s.changed, 0)
			FROM tree JOIN conversations c USING (n) LEFT JOIN states s ON s.conversation = n`, n); err != nil {
			return err
		}
		resident := &store.ResidentError{Conversation: id}
		if _, err := c.row([]any{&resident.Itself, &resident.Below}, `SELECT count(*) FILTER (WHERE conversation = ?1), count(*) FILTER (WHERE conversation != ?1)
			FROM leases WHERE conversation IN (SELECT n FROM doomed)`, n); err != nil {
			return err
		}
		if resident.Itself || resident.Below > 0 {
			return resident
		}
		for _, query := range []string{
			"INSERT INTO gone SELECT id, n FROM doomed",
			"UPDATE deleted SET changed = max(changed, (SELECT max(changed) FROM doomed))",
			"DELETE FROM messages WHERE recipient IN (SELECT n FROM doomed)",
			"DELETE FROM seen WHERE recipient IN (SELECT n FROM doomed)",
			"DELETE FROM starts WHERE parent IN (SELECT n FROM doomed)",
			"DELETE FROM entries WHERE conversation IN (SELECT n FROM doomed)",
			"DELETE FROM states WHERE conversation IN (SELECT n FROM doomed)",
			"DELETE FROM conversations WHERE n IN (SELECT n FROM doomed)",
			"DELETE FROM doomed",
		} {
			if _, err := c.exec(query); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.shrink(ctx)
	return nil
}

// pagesAtOnce is how many pages are moved in one transaction, so that no step waits for long.
const pagesAtOnce = 1000

// shrink gives free pages back to the disk. The deletion has happened whether it succeeds or not: what is left is used
// again, or given back by the next one.
func (s *Store) shrink(ctx context.Context) {
	for before := int64(-1); ; {
		var free int64
		if err := s.write(ctx, func(c *conn) error {
			if _, err := c.exec(fmt.Sprintf("PRAGMA incremental_vacuum(%d)", pagesAtOnce)); err != nil {
				return err
			}
			_, err := c.row([]any{&free}, "PRAGMA freelist_count")
			return err
		}); err != nil || free == before {
			return
		}
		if before = free; free == 0 {
			break
		}
	}
	_ = s.outside(ctx, func(c *conn) error {
		var busy, log, moved int64
		_, err := c.row([]any{&busy, &log, &moved}, "PRAGMA wal_checkpoint(TRUNCATE)")
		return err
	})
}

// Backup writes the store as it is now into a new file, while steps go on. A file that is there already is fs.ErrExist, and
// stays as it is. The leases are in the copy too: whoever opens it finds their processes silent after a while.
func (s *Store) Backup(ctx context.Context, path string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.readers.with(ctx, func(*conn) error { // so that Close waits for it
		// SQLite writes into an empty file, too. Made here, it is this call's alone, and only its owner can read it.
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			return fmt.Errorf("store: a backup needs a new file: %w", err)
		}
		c, err := connect(s.db, s.options)
		if err == nil {
			_, err = c.exec("VACUUM INTO ?", path)
			err = errors.Join(err, c.close())
		}
		if err != nil {
			err = errors.Join(err, os.Remove(path))
		}
		return err
	})
}

// Check reads everything and says all that is damaged; nil is nothing. It takes as long as reading the file.
func (s *Store) Check(ctx context.Context) error {
	return s.read(ctx, func(c *conn) error {
		var found []error
		damaged := func(format string, args ...any) {
			found = append(found, fmt.Errorf("%w: "+format, append([]any{store.ErrDamaged}, args...)...))
		}
		err := c.rows(func(scan func(...any) error) error {
			var line string
			err := scan(&line)
			if err == nil && line != "ok" {
				damaged("%s", line)
			}
			return err
		}, "PRAGMA integrity_check")
		found = append(found, err)
		err = c.rows(func(scan func(...any) error) error {
			var table, parent string
			var row, key any
			err := scan(&table, &row, &parent, &key)
			damaged("row %v of %s has nothing in %s", row, table, parent)
			return err
		}, "PRAGMA foreign_key_check")
		found = append(found, err)
		var all []state
		err = c.rows(func(scan func(...any) error) error {
			one, err := scanConversation(scan)
			if one.Problem != "" {
				damaged("conversation %q is %s", one.ID, one.Problem)
			}
			return err
		}, fromAll)
		found = append(found, err)
		err = c.rows(func(scan func(...any) error) error {
			var one state
			err := scan(&one.n, &one.id, &one.last)
			all = append(all, one)
			return err
		}, "SELECT n, id, last FROM conversations JOIN states ON conversation = n")
		found = append(found, err)
		for _, one := range all {
			_, logged := one.behind(c, 0, -1)
			_, sent := one.inbox(c)
			found = append(found, logged, sent)
		}
		return errors.Join(found...)
	})
}
