package docs

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolgen-dev/toolgen/tests/outside"
)

// clone is what the README writes for the folder of a clone.
const clone = "/path/to/the/clone"

// unpublished is the command that finds nothing as long as no version is published. The README says what to do in its place.
const unpublished = "go get -tool github.com/toolgen-dev/toolgen/cmd/toolgen"

// Commands that are not run by a walk through their page, and what runs them.
var elsewhere = map[string]string{
	"go test ./...": "CI, which this test is a part of",
	headless:        "TestHeadless",
	headlessLocal:   "TestHeadlessLocal",
}

// Commands of pages that run in the repository, and the same with as little work as their flags allow; the repository's
// root is where they run.
var inRepository = map[string]string{
	"go run ./cmd/toolgen generate":  "go run ./cmd/toolgen generate",
	"go build -o acp ./examples/acp": "go build -o " + os.DevNull + " ./examples/acp",
	"go run ./examples/acp -script examples/acp/hello.txt < examples/acp/hello.jsonl": "go run ./examples/acp -script examples/acp/hello.txt < examples/acp/hello.jsonl",
	"cd tests/bench && go run . -rounds 101":                                          "cd tests/bench && go run . -rounds 1 -slice 1ms -peers valid",
	"cd tests/scale && go run . -n 100,1000 -runs 5":                                  "cd tests/scale && go run . -n 2 -runs 1 -peers toolgen -compile=false",
	"go test ./runtime/store/... -run '^$' -bench . -benchmem":                        "go test ./runtime/store/memory -run '^$' -bench . -benchmem -benchtime 1x",
	"STORETEST_KILLS=3000 STORETEST_ROUNDS=50 go test -count=1 -timeout 0 ./runtime/store/...": "STORETEST_KILLS=1 STORETEST_ROUNDS=1 " +
		"go test -count=1 -timeout 0 -short ./runtime/store/memory",
	"go run github.com/toolgen-dev/toolgen/cmd/agentstore tree store.db": "go run github.com/toolgen-dev/toolgen/cmd/agentstore tree " +
		"$(ls -v runtime/store/sqlite/testdata/v*.db | tail -n 1)", // of this program's version: it is only read
	"KILL_TREES=2000 go test -count=1 -timeout 0 ./tests/kill": "KILL_TREES=2 go test -count=1 -timeout 0 -short ./tests/kill",
	"GOGC=150 go test ./cmd/toolgen/internal/cli -run '^$' -bench 'BenchmarkGenerate/tools=1000' -benchtime 20x -cpuprofile cpu.prof": "GOGC=150 " +
		"go test ./cmd/toolgen/internal/cli -run '^$' -bench 'BenchmarkGenerate/tools=10$' -benchtime 1x -cpuprofile " + os.DevNull + " -o " + os.DevNull,
}

// Pages whose commands make a module, in their order, and the module's name below testdata.
var walked = map[string]string{"README.md": "readme", "docs/agents.md": "agents"}

// shells are the blocks of a page that are commands.
var shells = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

// commands are a page's, block by block, without remarks; a line that ends with a backslash goes on in the next, and a
// folder is entered for the rest of its block.
func commands(page string) []string {
	var out []string
	for _, m := range shells.FindAllStringSubmatch(page, -1) {
		enter := ""
		for line := range strings.Lines(strings.ReplaceAll(m[1], "\\\n", "")) {
			line, _, _ = strings.Cut(line, " # ")
			line = strings.Join(strings.Fields(line), " ")
			switch {
			case line == "":
			case strings.HasPrefix(line, "cd "):
				enter = line + " && "
			default:
				out = append(out, enter+line)
			}
		}
	}
	return out
}

// pageFiles are the pages by name.
func pageFiles(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for name := range pages {
		page, err := os.ReadFile(filepath.Join(root(t), filepath.FromSlash(name)))
		require.NoError(t, err)
		out[name] = string(page)
	}
	return out
}

// shell runs a command line as a reader does, and returns what it printed.
func shell(t *testing.T, dir, line string) string {
	t.Helper()
	outside.Depend(t, "catalog", "examples", "prompts", "tests")
	c := exec.Command("sh", "-c", line)
	c.Dir = dir
	// Sums of modules that the repository's own go.sum vouches for need no server.
	c.Env = append(os.Environ(), "GOWORK=off", "GOSUMDB=off", "CI=")
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	require.NoError(t, c.Run(), "%s\n%s", line, out.String())
	return out.String()
}

// TestCommandsAreRun: no command of a page is without a test, and none is in a list for nothing.
func TestCommandsAreRun(t *testing.T) {
	seen := map[string]bool{}
	for name, page := range pageFiles(t) {
		_, walks := walked[name]
		for _, line := range commands(page) {
			_, here := inRepository[line]
			_, there := elsewhere[line]
			seen[line] = true
			require.True(t, walks || here || there, "%s: nothing runs %q", name, line)
		}
	}
	for _, line := range slices.Concat(slices.Collect(maps.Keys(inRepository)), slices.Collect(maps.Keys(elsewhere))) {
		require.True(t, seen[line], "%q is on no page", line)
	}
}

// TestCommandsInTheRepository runs each where its page says.
func TestCommandsInTheRepository(t *testing.T) {
	if testing.Short() {
		t.Skip("the commands of the pages are left out in short mode")
	}
	for _, page := range slices.Sorted(maps.Keys(inRepository)) {
		t.Run(page, func(t *testing.T) { shell(t, root(t), inRepository[page]) })
	}
}

// TestWalks follows each page that begins in an empty folder: its commands in their order, literally, and its files where
// it says that they are written. The program then prints what it should.
func TestWalks(t *testing.T) {
	if testing.Short() {
		t.Skip("the walks through the pages are left out in short mode")
	}
	readme := pageFiles(t)["README.md"]
	i := slices.IndexFunc(commands(readme), func(line string) bool { return strings.Contains(line, clone) })
	require.Positive(t, i, "the README says what to do as long as no version is published")
	instead := commands(readme)[i : i+2]
	for page, module := range walked {
		t.Run(module, func(t *testing.T) {
			dir := t.TempDir()
			ran := false
			lines := commands(pageFiles(t)[page])
			for len(lines) > 0 {
				line := lines[0]
				lines = lines[1:]
				_, here := inRepository[line]
				_, there := elsewhere[line]
				switch {
				case here || there:
				case line == unpublished:
					for _, l := range instead {
						shell(t, dir, strings.ReplaceAll(l, clone, root(t)))
					}
					if len(lines) >= 2 && slices.Equal(lines[:2], instead) {
						lines = lines[2:]
					}
					require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", module))))
				case line == "go run .":
					want, err := os.ReadFile(filepath.Join("testdata", module, output))
					require.NoError(t, err)
					require.Equal(t, string(want), shell(t, dir, line))
					ran = true
				default:
					shell(t, dir, line)
				}
			}
			require.True(t, ran)
		})
	}
}
