package scenarios

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// script writes a script.
func script(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "script.txt")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

const delegates = "-- root --\ncall subagent {\"description\": \"dig\", \"prompt\": \"Dig.\"}\n\nsay It digs.\n\n-- label: dig --\nstall\n"

// The exit code says how the run ended, and the last line says the same.
func TestHeadlessExits(t *testing.T) {
	program := build(t, "examples/headless")
	for name, c := range map[string]struct {
		script  string
		args    []string
		exit    int
		outcome string
		stderr  string
	}{
		"completed":   {"-- root --\nsay Yes.\n", nil, 0, "completed", ""},
		"failed":      {"-- root --\nfail the provider is down\n", nil, 1, "failed", "headless: failed: the model could not be reached, or failed: the provider is down\n"},
		"no answer":   {"-- root --\nthink Hm.\n", nil, 1, "failed", "headless: failed: the model gave no answer\n"},
		"token limit": {"-- root --\nsay Ye\nstop token_limit\n", nil, 3, "token_limit", "headless: token limit\n"},
		"refused":     {"-- root --\nsay No.\nstop refused\n", nil, 4, "refused", "headless: refused\n"},
		"unexpected":  {"-- root --\nexpect user other\nsay Yes.\n", nil, 1, "failed", "headless: failed: the model could not be reached, or failed: FILE:2: the request of "},
		"not played":  {"-- root --\nsay Yes.\n\nsay No.\n", nil, 1, "completed", `nobody has played this block of "root"`},
		"left":        {delegates, []string{"-no-wait"}, 5, "completed", "— dig was still running, and was stopped\n"},
		"nobody left": {"-- root --\nsay Yes.\n", []string{"-no-wait"}, 0, "completed", ""},
		"time":        {delegates, []string{"-max-time", "200ms"}, 5, "interrupted", "— dig was still running, and was stopped\nheadless: interrupted: its time was up\n"},
		"own time":    {"-- root --\nstall\n", []string{"-max-time", "200ms"}, 5, "interrupted", "headless: interrupted: its time was up\n"},
	} {
		t.Run(name, func(t *testing.T) {
			file := script(t, c.script)
			r := run(t, program, folder(t), file, append(c.args, "Dig")...)
			require.Equal(t, c.exit, r.exit, r.stderr)
			require.Contains(t, r.stderr, strings.Replace(c.stderr, "FILE", file, 1))
			end := parse(t, r).end()
			require.Equal(t, "end", end.Type)
			require.Equal(t, c.exit, *end.Exit)
			require.Equal(t, c.outcome, end.Outcome)
			require.Len(t, end.Left, strings.Count(r.stderr, "was still running"))
		})
	}
}

// What cannot run says why, prints nothing and leaves 2.
func TestHeadlessUsage(t *testing.T) {
	program := build(t, "examples/headless")
	s := script(t, "-- root --\nsay Yes.\n")
	store := filepath.Join(t.TempDir(), "store.db")
	for want, args := range map[string][]string{
		"headless: there is no prompt\n":                                       {"-script", s},
		"headless: there is more than one prompt":                              {"-script", s, "a", "b"},
		"headless: a format is text or jsonl, and not \"xml\"\n":               {"-script", s, "-format", "xml", "a"},
		"headless: flag provided but not defined: -fast; -h lists the flags\n": {"-fast", "a"},
		"headless: -resume is given nothing\n":                                 {"-script", s, "-store", store, "-resume", "", "a"},
		"headless: -store is given nothing\n":                                  {"-script", s, "-store=", "a"},
		"headless: -dead-after is above 0\n":                                   {"-script", s, "-dead-after", "-1s", "a"},
		"headless: -resume needs the -store":                                   {"-script", s, "-resume", "x", "a"},
		"headless: there is no conversation \"x\" in s.db\n":                   {"-script", s, "-store", "s.db", "-resume", "x", "a"},
		"headless: -resume: stat none.db: no such file or directory\n":         {"-script", s, "-store", "none.db", "-resume", "x", "a"},
		"headless: where do the answers come from?":                            {"a"},
		"headless: s.txt:1: \"leaf\" is no section":                            {"-script", "s.txt", "a"},
		"headless: a provider is openai or anthropic":                          {"-provider", "x", "-model", "y", "a"},
		"headless: the key has to be in OPENAI_API_KEY":                        {"-provider", "openai", "-model", "y", "a"},
		"headless: -child-tools: subagent: the restriction of subagent: tool: a restriction names \"fly\", which is not visible here; the tools are ": {"-script", s, "-child-tools", "fly", "a"},
	} {
		c := exec.Command(program, args...)
		c.Dir = t.TempDir()
		c.Env = []string{"PATH=" + os.Getenv("PATH")}
		require.NoError(t, os.WriteFile(filepath.Join(c.Dir, "s.txt"), []byte("-- leaf --\n"), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(c.Dir, "s.db"), nil, 0o600))
		r := start(t, c)
		require.Equal(t, 2, r.exit, r.stderr)
		require.Contains(t, r.stderr, want)
		require.Empty(t, r.stdout)
		require.NoFileExists(t, filepath.Join(c.Dir, "none.db"))
	}
}

// Who asks for help gets it, and what is wrong with a flag is one line.
func TestHelp(t *testing.T) {
	for _, name := range []string{"headless", "acp"} {
		program := build(t, "examples/"+name)
		r := start(t, exec.Command(program, "-h"))
		require.Zero(t, r.exit)
		require.Regexp(t, `\Ausage: `+name+` \[flags\](.*\n)+  -base-url URL\n`, r.stderr)
		r = start(t, exec.Command(program, "-dead-after", "5"))
		require.Equal(t, 2, r.exit)
		require.Equal(t, name+": invalid value \"5\" for flag -dead-after: a time is a number with its unit, such as 500ms, 5s or 1m30s; -h lists the flags\n", r.stderr)
	}
}

// The text on stdout is the answer alone, progress is on stderr in lines, and -quiet shows none. The prompt may come from the
// input.
func TestHeadlessText(t *testing.T) {
	program := build(t, "examples/headless")
	s := script(t, "-- root --\nexpect user Dig for a coin\ncall subagent {\"description\": \"dig\", \"prompt\": \"Dig.\"}\n\nsay It digs.\nrelease asked\n\nexpect settlement\nsay A coin,\n and a \x1b[31mred\x1b[0m stone.\n\n"+
		"-- label: dig --\nhold asked\nsay A coin.\n")
	c := exec.Command(program, "-script", s)
	c.Stdin = strings.NewReader("Dig for a coin\n")
	r := start(t, c)
	require.Zero(t, r.exit, r.stderr)
	require.Equal(t, "A coin,\nand a \\x1b[31mred\\x1b[0m stone.\n", r.stdout)
	require.Regexp(t, `\Aheadless: conversation agent-\w+
Dig for a coin: starts
Dig for a coin: thinks
Dig for a coin: calls subagent
  dig: started
(.*\n)*Dig for a coin: reads the settlement notice of dig
Dig for a coin: waits
Dig for a coin: completed
\z`, r.stderr)
	r = start(t, exec.Command(program, "-script", s, "-quiet", "Dig for a coin"))
	require.Zero(t, r.exit, r.stderr)
	require.Empty(t, r.stderr)
}
