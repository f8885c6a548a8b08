package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/store"
	"github.com/toolgen-dev/toolgen/runtime/store/storetest"
)

// played is a file with a game of so many steps in it, closed, and what the store held.
func played(t *testing.T, seed uint64, steps int) (path, dump string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "store.db")
	s, err := Open(path, unsynced)
	require.NoError(t, err)
	require.NoError(t, storetest.Play(t.Context(), s, seed, "", steps, func(int) error { return nil }))
	dump, err = storetest.Dump(t.Context(), s, "")
	require.NoError(t, err)
	require.NoError(t, s.Close())
	return path, dump
}

// TestVersions: a file of each version that was released opens, holds what it held, and goes on. To make one for a new
// version, run with TOOLGEN_UPDATE=1; those that are there are never made again, only the texts of what they hold.
func TestVersions(t *testing.T) {
	for v := 1; v <= len(versions); v++ {
		file, text := filepath.Join("testdata", fmt.Sprintf("v%d.db", v)), filepath.Join("testdata", fmt.Sprintf("v%d.txt", v))
		if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) && os.Getenv("TOOLGEN_UPDATE") != "" {
			path, _ := played(t, uint64(v), 80)
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, os.MkdirAll("testdata", 0o755))
			require.NoError(t, os.WriteFile(file, data, 0o644))
		}
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		path := filepath.Join(t.TempDir(), "store.db")
		require.NoError(t, os.WriteFile(path, data, 0o600))

		s := opened(t, path)
		require.NoError(t, s.Check(t.Context()))
		dump, err := storetest.Dump(t.Context(), s, "")
		require.NoError(t, err)
		if os.Getenv("TOOLGEN_UPDATE") != "" {
			require.NoError(t, os.WriteFile(text, []byte(dump), 0o644))
		}
		want, err := os.ReadFile(text)
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(string(want), dump))
		require.Contains(t, dump, store.EntrySettled, "the file has little in it")
		require.NoError(t, storetest.Play(t.Context(), s, 1, "new ", 40, func(int) error { return nil }))
		old, err := storetest.Dump(t.Context(), s, "")
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(old, dump), "what was there has changed")
		var version int
		query(t, path, "PRAGMA user_version", &version)
		require.Equal(t, len(versions), version)
		// What was released is not changed: an old file is in the end what a new one is.
		const schema = "SELECT group_concat(sql, ';') FROM (SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name)"
		fresh := filepath.Join(t.TempDir(), "fresh.db")
		require.NoError(t, opened(t, fresh).Close())
		var is, should string
		query(t, path, schema, &is)
		query(t, fresh, schema, &should)
		require.Equal(t, should, is)
	}
}

// query reads one value from a file.
func query(t testing.TB, path, text string, dest any) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	require.NoError(t, db.QueryRow(text).Scan(dest))
	require.NoError(t, db.Close())
}

// TestStrangersAreRefused: a file of a newer version, or of something else, is an error that says so, and stays as it is.
func TestStrangersAreRefused(t *testing.T) {
	for name, one := range map[string]struct {
		make func(t *testing.T, path string)
		want error
		says string
	}{
		"newer": {func(t *testing.T, path string) {
			require.NoError(t, opened(t, path).Close())
			do(t, path, "PRAGMA user_version=7")
		}, store.ErrUnsupported, "the file has version 7, this program knows up to 2"},
		"something else": {func(t *testing.T, path string) { do(t, path, "CREATE TABLE notes (x)") },
			store.ErrInvalid, "a database of something else"},
		"no database": {func(t *testing.T, path string) {
			require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("a text that is no database\n", 100)), 0o600))
		}, store.ErrDamaged, "not a database"},
		"a folder": {func(t *testing.T, path string) { require.NoError(t, os.Mkdir(path, 0o700)) }, nil, "is a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "store.db")
			one.make(t, path)
			before, _ := os.ReadFile(path) // a folder has no bytes
			_, err := Open(path)
			require.ErrorContains(t, err, one.says)
			require.ErrorContains(t, err, path)
			if one.want != nil {
				require.ErrorIs(t, err, one.want)
			}
			after, _ := os.ReadFile(path)
			require.Equal(t, before, after)
		})
	}
	_, err := Open("")
	require.ErrorIs(t, err, store.ErrInvalid)
	_, err = Open(filepath.Join(t.TempDir(), "x"), Poll(0))
	require.ErrorIs(t, err, store.ErrInvalid)
	_, err = Open(filepath.Join(t.TempDir(), "no folder", "x"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestStrangePaths: the file is where the path says, whatever its characters mean elsewhere.
func TestStrangePaths(t *testing.T) {
	for _, name := range []string{"a b", "a?b", "a#b", "a%20b", "a%zzb", ":memory:", "ä", "file:x", "x&mode=memory", `quo"te'`} {
		path := filepath.Join(t.TempDir(), name)
		s := opened(t, path)
		_, err := s.Create(t.Context(), "p", store.NewConversation{ID: "r", Kind: store.Root})
		require.NoError(t, err)
		require.NoError(t, s.Close())
		info, err := os.Stat(path)
		require.NoError(t, err, name)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "others can read it")
		_, err = opened(t, path).Get(t.Context(), "r")
		require.NoError(t, err)
	}
}

// TestDamagedPages: whatever is wrong with the file, there is no crash, every error is ErrDamaged, and no log entry and no
// message is given that was not written.
func TestDamagedPages(t *testing.T) {
	tries := 150
	if detector || testing.Short() {
		tries = 10
	}
	if n, err := strconv.Atoi(os.Getenv("STORETEST_KILLS")); err == nil {
		tries = n
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 3))
	path, whole := played(t, seed, 150)
	sound, err := os.ReadFile(path)
	require.NoError(t, err)
	written := map[string]bool{}
	for line := range strings.Lines(whole) {
		written[line] = true
	}
	seen := 0
	for range tries {
		data := append([]byte(nil), sound...)
		at := rnd.IntN(len(data))
		switch rnd.IntN(4) {
		case 0: // a bit
			data[at] ^= 1 << rnd.IntN(8)
		case 1: // a sector
			for i := at &^ 511; i < min(at&^511+512, len(data)); i++ {
				data[i] = byte(rnd.Uint32())
			}
		case 2: // a page
			clear(data[at&^4095 : min(at&^4095+4096, len(data))])
		case 3: // the end
			data = data[:at]
		}
		path := filepath.Join(t.TempDir(), "store.db")
		require.NoError(t, os.WriteFile(path, data, 0o600))
		dump, err := readAll(t, path)
		if err != nil {
			seen++
			if !errors.Is(err, store.ErrDamaged) && !errors.Is(err, store.ErrUnsupported) && !errors.Is(err, store.ErrInvalid) && !errors.Is(err, store.ErrUnknown) {
				t.Fatalf("the damage is said to be %v", err)
			}
		}
		for line := range strings.Lines(dump) {
			if !written[line] && (strings.Contains(line, " store.Entry ") || strings.Contains(line, " store.Message ")) && strings.HasSuffix(line, "\n") {
				t.Fatalf("seed %d: nobody has written %s", seed, line)
			}
		}
	}
	t.Logf("%d of %d damages were seen", seen, tries)
}

// readAll reads what can be read.
func readAll(t *testing.T, path string) (string, error) {
	s, err := Open(path, unsynced)
	if err != nil {
		return "", err
	}
	defer s.Close()
	dump, err := storetest.Dump(t.Context(), s, "")
	return dump, errors.Join(err, s.Check(t.Context()))
}

// TestCheckFindsDamage: of each table that has checksums.
func TestCheckFindsDamage(t *testing.T) {
	for what, says := range map[string]string{
		"UPDATE conversations SET kind = 'job' WHERE id = 'r'":   `conversation "r" is corrupt`,
		"UPDATE entries SET kind = 'other' WHERE seq = 1":        `conversation "r", entry 1`,
		"DELETE FROM entries WHERE seq = 2":                      `conversation "r", entry 2 is missing`,
		"DELETE FROM entries WHERE seq = 3":                      `conversation "r", entry 3 is missing`,
		"UPDATE messages SET lane = 'turn'":                      `conversation "r", message 1`,
		"UPDATE messages SET recipient = 77":                     "row 1 of messages has nothing in conversations",
		"DELETE FROM states":                                     `conversation "r" is corrupt`,
		"UPDATE conversations SET version = 9":                   `conversation "r" is unsupported`,
		"UPDATE conversations SET composition = x'00'":           `conversation "r" is corrupt`,
		"UPDATE conversations SET created = created + 1000":      `conversation "r" is corrupt`,
		"UPDATE messages SET activation = 1, author = 'another'": `conversation "r", message 1`,
	} {
		path := filepath.Join(t.TempDir(), "store.db")
		s := opened(t, path, unsynced)
		l, err := s.Create(t.Context(), "p", store.NewConversation{ID: "r", Kind: store.Root})
		require.NoError(t, err)
		_, err = s.Append(t.Context(), l, 0, store.Entry{Kind: "a"}, store.Entry{Kind: "b"}, store.Entry{Kind: "c"})
		require.NoError(t, err)
		require.NoError(t, s.Send(t.Context(), store.Message{ID: "m", To: "r", Kind: store.FromUser, Lane: store.Step}))
		require.NoError(t, s.Check(t.Context()))
		do(t, path, what)
		err = s.Check(t.Context())
		require.ErrorIs(t, err, store.ErrDamaged, what)
		require.ErrorContains(t, err, says, what)
	}
}

// TestBackup: a copy that is made while steps go on is a store of one moment.
func TestBackup(t *testing.T) {
	s := opened(t, filepath.Join(t.TempDir(), "store.db"), unsynced)
	copies := []string{}
	var dumps []string
	require.NoError(t, storetest.Play(t.Context(), s, 5, "", 60, func(i int) error {
		if i%20 != 10 {
			return nil
		}
		path := filepath.Join(t.TempDir(), fmt.Sprint("copy", i))
		copies = append(copies, path)
		d, err := storetest.Dump(t.Context(), s, "")
		dumps = append(dumps, d)
		return errors.Join(err, s.Backup(t.Context(), path))
	}))
	require.Len(t, copies, 3)
	for i, path := range copies {
		c := opened(t, path, unsynced)
		d, err := storetest.Dump(t.Context(), c, "")
		require.NoError(t, err)
		require.Equal(t, dumps[i], d)
		require.NoError(t, c.Check(t.Context()))
		require.NoError(t, storetest.Play(t.Context(), c, 1, "new ", 20, func(int) error { return nil }))
		var vacuum int
		query(t, path, "PRAGMA auto_vacuum", &vacuum)
		require.Equal(t, 2, vacuum)
	}

	// What is there is not overwritten: not a backup, not a file that is empty, not the store itself.
	empty := filepath.Join(t.TempDir(), "empty")
	require.NoError(t, os.WriteFile(empty, nil, 0o644))
	for _, path := range []string{copies[0], empty, t.TempDir()} {
		before, _ := os.ReadFile(path) // a folder has no bytes
		err := s.Backup(t.Context(), path)
		require.ErrorIs(t, err, fs.ErrExist)
		require.ErrorContains(t, err, "store: a backup needs a new file: open "+path)
		after, _ := os.ReadFile(path)
		require.Equal(t, before, after)
	}
	nowhere := filepath.Join(t.TempDir(), "no folder", "copy")
	require.ErrorIs(t, s.Backup(t.Context(), nowhere), fs.ErrNotExist)
	info, err := os.Stat(copies[0])
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "others can read it")
}

// TestDeletionShrinksTheFile: what a deleted tree took is the disk's again, while the store is open.
func TestDeletionShrinksTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s := opened(t, path)
	ctx := t.Context()
	size := func() (all int64) {
		for _, name := range []string{path, path + "-wal"} {
			info, err := os.Stat(name)
			require.NoError(t, err)
			all += info.Size()
		}
		return all
	}
	empty := size()
	for i := range 20 {
		id := store.ID(fmt.Sprint("r", i))
		l, err := s.Create(ctx, "p", store.NewConversation{ID: id, Kind: store.Root})
		require.NoError(t, err)
		_, err = s.Append(ctx, l, 0, store.Entry{Kind: "note", Data: make([]byte, 500_000)})
		require.NoError(t, err)
		require.NoError(t, s.Release(ctx, l))
	}
	require.Greater(t, size(), int64(10_000_000))
	for i := range 19 {
		require.NoError(t, s.Delete(ctx, store.ID(fmt.Sprint("r", i))))
	}
	require.Less(t, size(), empty+700_000)
	require.NoError(t, s.Check(ctx))
	log, err := s.Log(ctx, "r19", 0, 0)
	require.NoError(t, err)
	require.Len(t, log[0].Data, 500_000)
}

// TestClosingLeavesOneFile: the files that SQLite has beside it are gone, so that it can be copied.
func TestClosingLeavesOneFile(t *testing.T) {
	path, _ := played(t, 9, 20)
	files, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, files, 1)
}
