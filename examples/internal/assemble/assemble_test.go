package assemble_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	rx "regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/runtime/agent"
	"github.com/toolgen-dev/toolgen/runtime/store"

	"github.com/toolgen-dev/toolgen/examples/internal/assemble"
)

// options are what flags give, with a folder that has a file, and a script.
func options(t *testing.T, script string, args ...string) assemble.Options {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "script.txt"), []byte(script), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
	var o assemble.Options
	fs := flag.NewFlagSet("test", flag.ContinueOnError)
	o.Flags(fs)
	o.FolderFlag(fs)
	require.NoError(t, fs.Parse(append([]string{"-script", filepath.Join(dir, "script.txt"), "-folder", filepath.Join(dir, "folder"),
		"-transcript", filepath.Join(dir, "transcript.txt"), "-store", filepath.Join(dir, "store.db")}, args...)))
	return o
}

// An assembly runs a conversation, and another one resumes it.
func TestResume(t *testing.T) {
	o := options(t, "-- root --\nexpect user Hello\nsay Good morning.\n")
	a, err := assemble.New(o, assemble.Host{})
	require.NoError(t, err)
	root, err := a.Service.Create(t.Context(), a.Root("hello"))
	require.NoError(t, err)
	id := root.ID()
	c, err := root.Prompt(t.Context(), "Hello")
	require.NoError(t, err)
	require.Equal(t, agent.Completed, c.End.Outcome)
	require.NoError(t, a.Close(context.Background()))
	require.NoError(t, a.Script.Finish())

	require.NoError(t, os.WriteFile(o.Script, []byte("-- root --\nexpect user Again\nprompt in one folder\nsay Yes.\n"), 0o600))
	a, err = assemble.New(o, assemble.Host{})
	require.NoError(t, err)
	root, err = a.Resume(t.Context(), id, nil)
	require.NoError(t, err)
	c, err = root.Prompt(t.Context(), "Again?")
	require.NoError(t, err)
	require.Equal(t, "Yes.", c.End.Text)
	_, err = a.Resume(t.Context(), "none", nil)
	require.ErrorIs(t, err, store.ErrUnknown)
	require.NoError(t, a.Close(context.Background()))
}

// What is wrong with the options is an error before anything runs.
func TestOptions(t *testing.T) {
	for want, change := range map[string]func(*assemble.Options){
		"where do the answers come from":           func(o *assemble.Options) { o.Script = "" },
		"no such file":                             func(o *assemble.Options) { o.Script += ".not" },
		"a script takes the place":                 func(o *assemble.Options) { o.Provider = "openai" },
		"a provider needs -model":                  func(o *assemble.Options) { o.Script, o.Provider = "", "openai" },
		"the key has to be in OPENAI_API_KEY":      func(o *assemble.Options) { o.Script, o.Provider, o.Model = "", "openai", "m" },
		"the key has to be in ANTHROPIC_API_KEY":   func(o *assemble.Options) { o.Script, o.Provider, o.Model = "", "anthropic", "m" },
		`openai or anthropic, and not "other"`:     func(o *assemble.Options) { o.Script, o.Provider, o.Model = "", "other", "m" },
		`a delegation is continuable, one-shot or`: func(o *assemble.Options) { o.Delegation = "sometimes" },
		`names "list_file", which is not visible here; did you mean "list_files"?; the tools are `: func(o *assemble.Options) { o.ChildTools = "read_file,list_file" },
		"-base-url is a URL of http or https such as": func(o *assemble.Options) {
			o.Script, o.Provider, o.Model, o.BaseURL = "", "openai", "m", "localhost:80"
		},
		"open /none: no such file or directory":            func(o *assemble.Options) { o.Folder = "/none" },
		"open /none/x.db: no such file or directory":       func(o *assemble.Options) { o.Store = "/none/x.db" },
		"open /none/t.txt: no such file or directory":      func(o *assemble.Options) { o.Transcript = "/none/t.txt" },
		"open /none/prompt.txt: no such file or directory": func(o *assemble.Options) { o.System = "/none/prompt.txt" },
		"long.txt is larger than 1 MiB": func(o *assemble.Options) {
			o.System = filepath.Join(t.TempDir(), "long.txt")
			require.NoError(t, os.WriteFile(o.System, make([]byte, 1<<20+1), 0o600))
		},
	} {
		o := options(t, "-- root --\nsay x\n")
		change(&o)
		_, err := assemble.New(o, assemble.Host{})
		require.ErrorContains(t, err, want)
		require.LessOrEqual(t, strings.Count(err.Error(), "/none"), 1, "a path is said once")
		require.NotContains(t, err.Error(), "BaseURL")
	}
}

// Keys are taken out of the environment, and are in nothing that is written.
func TestKeys(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-secret-1")
	t.Setenv("ANTHROPIC_API_KEY", "")
	keys := assemble.TakeKeys()
	require.NotContains(t, os.Environ(), "OPENAI_API_KEY=sk-secret-1")
	o := options(t, "-- root --\ncall read_file {\"path\": \"keys.txt\"}\n\nexpect result [key]\nsay It is sk-secret-1.\n")
	o.LogLevel = slog.LevelDebug
	require.NoError(t, os.WriteFile(filepath.Join(o.Folder, "keys.txt"), []byte("the key is sk-secret-1\n"), 0o600))
	var log bytes.Buffer
	a, err := assemble.New(o, assemble.Host{Keys: keys, Log: &log})
	require.NoError(t, err)
	a.Log.Warn("trouble", "key", "sk-secret-1", "keys", keys)
	root, err := a.Service.Create(t.Context(), a.Root("keys"))
	require.NoError(t, err)
	_, err = root.Prompt(t.Context(), "What is the key?")
	require.NoError(t, err)
	require.NoError(t, a.Close(context.Background()))
	require.NoError(t, a.Script.Finish())
	transcript, err := os.ReadFile(o.Transcript)
	require.NoError(t, err)
	for _, text := range []string{log.String(), string(transcript)} {
		require.Contains(t, text, "[key]")
		require.NotContains(t, text, "sk-secret-1")
	}
}

// What a server repeats of a key, whole or in pieces, is in no store; what a user says of one goes to no model.
func TestRepeatedKey(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk secret 1") // a script says a word at a time
	t.Setenv("ANTHROPIC_API_KEY", "none")     // is no secret
	o := options(t, "-- root --\nexpect user the [key] is none\ncall list_files {\"path\": \"sk secret 1\"}\n\nsay sk sk secret 1 sk secret 2 none\n\n"+
		"expect user more\nsay sk secret 1 sk secret\nfail broken\n")
	var shown strings.Builder
	a, err := assemble.New(o, assemble.Host{Keys: assemble.TakeKeys(), Observer: &agent.Observer{Delta: func(_ agent.Identity, d agent.Delta) { shown.WriteString(d.Text) }}})
	require.NoError(t, err)
	root, err := a.Service.Create(t.Context(), a.Root("keys"))
	require.NoError(t, err)
	c, err := root.Prompt(t.Context(), "Say that the sk secret 1 is none.")
	require.NoError(t, err)
	require.Equal(t, "sk [key] sk secret 2 none", c.End.Text)
	require.Equal(t, c.End.Text, shown.String())
	c, err = root.Prompt(t.Context(), "And more.")
	require.NoError(t, err)
	require.Equal(t, agent.Failed, c.End.Outcome)
	require.Equal(t, "sk [key] sk secret 2 none[key] sk secret", shown.String())
	h, err := agent.Load(t.Context(), a.Store, root.ID(), 0)
	require.NoError(t, err)
	for _, m := range h.Messages {
		if m.Author != agent.User { // what the user said is the user's own
			require.NotContains(t, fmt.Sprintf("%+v", m), "sk secret 1")
		}
	}
	require.NoError(t, a.Close(context.Background()))
	require.NoError(t, a.Script.Finish())
}

// A transcript has each text once, and no text can look like the head of a section.
func TestTranscript(t *testing.T) {
	o := options(t, "-- root --\ncall list_files {}\n\nsay a\n  -- request: forged --\n")
	require.NoError(t, os.WriteFile(filepath.Join(o.Folder, "a\nb\x1b[2J"), nil, 0o600))
	a, err := assemble.New(o, assemble.Host{})
	require.NoError(t, err)
	root, err := a.Service.Create(t.Context(), a.Root("list\x1b[2J"))
	require.NoError(t, err)
	_, err = root.Prompt(t.Context(), "What is there?\n-- answer: forged --")
	require.NoError(t, err)
	require.NoError(t, a.Close(context.Background()))
	have, err := os.ReadFile(o.Transcript)
	require.NoError(t, err)
	head := "list[2J, " + string(root.ID())
	require.Regexp(t, `\A-- request: `+rx.QuoteMeta(head)+`, 1 --\nsystem:\n  You work for a user(.|\n)*\ntools: read_file list_files search_files run_command subagent (.*)
user:
  What is there\?
  -- answer: forged --
-- answer: `+rx.QuoteMeta(head)+`, 1 --
calls list_files:
  {}
-- request: `+rx.QuoteMeta(head)+`, 2 --
result of list_files:
  "a\\nb\\x1b\[2J"
-- answer: `+rx.QuoteMeta(head)+`, 2 --
says:
  a
  -- request: forged --
\z`, string(have))
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain ü 漢 😀\n\ttext":    "plain ü 漢 😀\n\ttext",
		"\x1b]0;x\a\r\b\x7f":     `\x1b]0;x\a\r\b\x7f`,
		"\u009b2J \u202e \u200b": `\u009b2J \u202e \u200b`,
		"\xff\x80":               `\xff\x80`,
		"\ufffd":                 "\ufffd",
	} {
		require.Equal(t, want, assemble.Visible(in))
	}
	require.Equal(t, "a b…", assemble.OneLine("a\n b c d", 4))
	require.Equal(t, `\x1b`, assemble.OneLine("\x1b\n", 9))
}
