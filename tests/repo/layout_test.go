package repo

// An arrow says what one package, or a folder of packages, may import. Everything else is banned.
type arrow struct {
	pkg   string   // below the module; "x/..." is x and everything below it; the longest match counts
	may   []string // packages of this module, in the same form
	third []string // packages of other modules, in the same form
	tests []string // packages of this module that its tests may import as well
	why   string   // why there is no other arrow
}

// The arrows of the design's layout. Some packages do not exist yet; a package that is not here may not exist at all.
var layout = []arrow{
	// The generator.
	{pkg: "cmd/toolgen", may: []string{"cmd/toolgen/internal/cli"}, tests: generator,
		why: "main only starts the command line, so that everything can be tested without a process"},
	{pkg: "cmd/toolgen/internal/cli",
		may: []string{
			"cmd/toolgen/internal/load", "cmd/toolgen/internal/contract", "cmd/toolgen/internal/prose", "cmd/toolgen/internal/render/...",
			"cmd/toolgen/internal/scaffold",
			"cmd/toolgen/internal/output", "cmd/toolgen/internal/lockfile", "cmd/toolgen/internal/importer",
		},
		third: []string{"github.com/spf13/cobra"},
		tests: generator,
		why:   "the command line puts the stages together and does no stage's work: no CUE, no Go emission, no runtime"},
	{pkg: "cmd/toolgen/internal/load",
		may: []string{"cmd/toolgen/internal/contract", "cmd/toolgen/internal/hidden", "spec/..."}, third: []string{"cuelang.org/go/..."},
		tests: generator,
		why:   "load turns specs into the model and knows nothing of what is rendered from it"},
	{pkg: "cmd/toolgen/internal/contract", third: []string{"github.com/gowebpki/jcs"},
		tests: generator,
		why:   "the model is plain data under every stage; it must be usable without CUE, files or a renderer"},
	{pkg: "cmd/toolgen/internal/prose", may: []string{"cmd/toolgen/internal/contract", "cmd/toolgen/internal/hidden"}, tests: generator,
		why: "what texts claim is checked against the model alone; where a text came from is in its positions"},
	{pkg: "cmd/toolgen/internal/scaffold",
		why: "what a new project starts with is files and their writing; what they say of the project is given to it"},
	{pkg: "cmd/toolgen/internal/render/jsonschema",
		may:   []string{"cmd/toolgen/internal/contract", "cmd/toolgen/internal/render/jsonschema"},
		tests: generator,
		why:   "a renderer is a pure function from the model to files in memory: it reads no specs, writes no files and leans on no other renderer but the schema's"},
	{pkg: "cmd/toolgen/internal/render",
		may: []string{"cmd/toolgen/internal/contract", "cmd/toolgen/internal/render/..."},
		why: "render runs the renderers and does nothing else"},
	{pkg: "cmd/toolgen/internal/render/gotypes",
		may:   []string{"cmd/toolgen/internal/contract", "cmd/toolgen/internal/render/jsonschema"},
		third: []string{"github.com/dave/jennifer/jen"},
		tests: generator,
		why:   "a renderer is a pure function from the model to files in memory: it reads no specs, writes no files and leans on no other renderer but the schema's"},
	{pkg: "cmd/toolgen/internal/render/catalog",
		may:   []string{"cmd/toolgen/internal/contract", "cmd/toolgen/internal/render/jsonschema"},
		third: []string{"github.com/gowebpki/jcs"},
		tests: generator,
		why:   "a renderer is a pure function from the model to files in memory: it reads no specs, writes no files and leans on no other renderer but the schema's"},
	{pkg: "cmd/toolgen/internal/output", may: []string{"cmd/toolgen/internal/lockfile"}, tests: generator,
		why: "output compares and writes bytes; what they mean is the renderers' affair"},
	{pkg: "cmd/toolgen/internal/lockfile",
		why: "the lock is a leaf that both the command line and output read, so it can need neither"},
	{pkg: "cmd/toolgen/internal/importer",
		may: []string{"cmd/toolgen/internal/contract", "runtime/mcp"},
		third: []string{
			"cuelang.org/go/cue/ast/...", "cuelang.org/go/cue/errors", "cuelang.org/go/cue/format", "cuelang.org/go/cue/literal",
			"cuelang.org/go/cue/parser", "cuelang.org/go/cue/token",
		},
		tests: generator,
		why:   "the importer writes CUE as syntax and never evaluates it; a server is reached through the MCP adapter"},
	{pkg: "cmd/toolgen/internal/hidden",
		why: "which characters are hidden is asked of files and of evaluated texts, so it knows neither"},
	{pkg: "cmd/toolgen/internal/diag",
		why: "every stage imports diag, so diag can import none"},

	// The command that shows stores.
	{pkg: "cmd/agentstore", may: []string{"runtime/store", "runtime/store/inspect", "runtime/store/sqlite"}, third: []string{"github.com/spf13/cobra"},
		why: "a command of its own, so that the generator links no database; it shows what package inspect writes, and knows neither agents nor tools"},

	// Specs and prose: embedded, nothing else.
	{pkg: "spec/...", why: "specs are data; their Go files only embed them"},
	{pkg: "prompts/...", why: "prose is data; a Go file beside it could only embed it"},

	// What generated code needs.
	{pkg: "gen/...", may: append([]string{"gen/..."}, toolRuntime...),
		why: "generated code stays thin and quick to compile: it knows the standard library, the tool runtime and other generated packages"},
	{pkg: "runtime/tool",
		may:   []string{"runtime/tool/jsonscan", "runtime/tool/schema", "runtime/tool/decode"},
		tests: []string{"gen/...", "runtime/tool/..."},
		why:   "the tool runtime is what users link into their agents: standard library only, and nothing that was generated from a particular spec"},
	{pkg: "runtime/tool/jsonscan", tests: toolRuntime,
		why: "the scanner is a leaf that can be fuzzed and replaced alone"},
	{pkg: "runtime/tool/schema", may: []string{"runtime/tool/jsonscan"}, tests: toolRuntime,
		why: "a leaf of the tool runtime never imports the runtime itself: generated code and the decoder share it"},
	{pkg: "runtime/tool/decode", may: []string{"runtime/tool/jsonscan", "runtime/tool/schema"}, tests: toolRuntime,
		why: "a leaf of the tool runtime never imports the runtime itself: generated code and the runtime share it"},
	{pkg: "runtime/tool/contracts", may: toolRuntime, tests: []string{"runtime/tool/..."},
		why: "contracts that are read at run time are data for the tool runtime, which knows nothing of where they come from"},

	// Agents.
	{pkg: "runtime/agent", may: append([]string{"runtime/store"}, toolRuntime...), tests: agents,
		why: "the loop knows tools and a store; which models, stores and agent tools there are is decided above it"},
	{pkg: "runtime/subagent",
		may:   append([]string{"gen/...", "runtime/agent", "runtime/job", "runtime/store"}, toolRuntime...),
		tests: agents,
		why:   "the subagent runtime serves the shipped contracts over interfaces: no particular store, model or adapter"},
	{pkg: "runtime/job", may: append([]string{"gen/...", "runtime/agent", "runtime/store"}, toolRuntime...), tests: agents,
		why: "jobs lie below subagents and serve the shipped contracts over interfaces"},
	{pkg: "runtime/store/storetest", may: []string{"runtime/store"}, tests: agents,
		why: "the conformance suite knows the interface alone, so that a third store can run it"},
	{pkg: "runtime/store/inspect", may: []string{"runtime/store"}, tests: agents,
		why: "what people see of a store is read through the interface, whichever store it is"},
	{pkg: "runtime/store", tests: agents,
		why: "the store is an interface below everything that is stored"},
	{pkg: "runtime/store/memory", may: []string{"runtime/store"}, tests: agents,
		why: "a store implements the interface and knows no user of it"},
	{pkg: "runtime/store/sqlite", may: []string{"runtime/store"}, third: []string{"modernc.org/sqlite/...", "modernc.org/libc"}, tests: agents, // libc: a file system with faults, for tests
		why: "a store implements the interface and knows no user of it"},
	{pkg: "runtime/provider/...", may: append([]string{"runtime/provider"}, toolRuntime...), tests: agents,
		third: []string{"github.com/openai/openai-go/v3/...", "github.com/anthropics/anthropic-sdk-go/v2/...", "google.golang.org/genai"},
		why:   "a provider package turns a scope into one SDK's parameters and back; it runs no agent"},
	{pkg: "runtime/model/...", may: append([]string{"runtime/agent", "runtime/provider/...", "runtime/model", "runtime/model/internal/..."}, toolRuntime...), tests: agents,
		third: []string{"github.com/openai/openai-go/v3/...", "github.com/anthropics/anthropic-sdk-go/v2/..."},
		why:   "a model implements the agent's interface over one SDK and is a leaf, so that a user links only the SDK in use"},
	{pkg: "runtime/model/internal/wiretest", may: agents,
		why: "tests of models run whole agents over them"},

	// Adapters: leaves, each with an SDK of its own.
	{pkg: "runtime/otel", may: toolRuntime, third: []string{"go.opentelemetry.io/otel/..."}, tests: agents,
		why: "tracing is middleware over the tool runtime and is a leaf"},
	{pkg: "runtime/mcp", may: append([]string{"runtime/tool/contracts"}, toolRuntime...), third: []string{"github.com/modelcontextprotocol/go-sdk/..."}, tests: agents,
		why: "the only importer of the MCP SDK, and a leaf"},
	{pkg: "runtime/acp", may: append([]string{"runtime/agent", "runtime/subagent", "runtime/job", "runtime/store"}, toolRuntime...),
		third: []string{"github.com/coder/acp-go-sdk"}, tests: agents,
		why: "the only importer of the ACP SDK, and a leaf"},
	{pkg: "runtime/acp/acptest", why: "a client that plays a written conversation knows the wire alone, so that it plays it with any agent"},

	// What nothing else imports.
	{pkg: "examples/...", may: []string{"gen/...", "runtime/...", "examples/..."},
		why: "users copy examples: they use what a user can import, and SDKs through the adapters"},
	{pkg: "tests/...", may: []string{"gen/...", "runtime/...", "spec/...", "tests/..."}, third: testOnly,
		why: "tests across packages see what a user sees; the generator is tested as a built binary"},
}

var (
	toolRuntime = []string{"runtime/tool", "runtime/tool/jsonscan", "runtime/tool/schema", "runtime/tool/decode"}

	// What tests may import beside what their package may.
	generator = []string{"cmd/toolgen/internal/...", "spec/...", "runtime/tool/..."}
	agents    = []string{"gen/...", "runtime/..."}
)

// Packages that tests of any package may import.
var testOnly = []string{
	"github.com/google/go-cmp/...", "github.com/stretchr/testify/...", "github.com/rogpeppe/go-internal/...",
	"github.com/go-json-experiment/json/...", "github.com/santhosh-tekuri/jsonschema/...",
}

// Everybody may import diag within the generator, and it is not worth a line in each entry.
const everywhere = "cmd/toolgen/internal/diag"

// Reasons that belong to what is imported rather than to who imports it.
var reasons = []struct{ pkg, why string }{
	{"cuelang.org/go/...", "load alone evaluates CUE, so that upgrading it is one package's affair; the importer may use its syntax packages"},
	{"github.com/dave/jennifer/...", "Go is emitted in render/gotypes only"},
	{"github.com/spf13/...", "commands and flags are the command line's"},
	{"github.com/gowebpki/jcs", "canonical JSON is needed where contracts are digested and the catalog is written, and nowhere else"},
	{"github.com/modelcontextprotocol/...", "runtime/mcp is the only importer of the MCP SDK"},
	{"github.com/coder/acp-go-sdk/...", "runtime/acp is the only importer of the ACP SDK"},
	{"go.opentelemetry.io/...", "runtime/otel is the only importer of OpenTelemetry"},
	{"cmd/...", "the generator is a program: what it produces has to stand without it"},
	{"tests/...", "tests are nobody's dependency"},
	{"examples/...", "examples are nobody's dependency"},
}

// What a package must not reach, by whatever way. Tests are not counted.
var unreachable = []struct {
	from, to []string
	why      string
}{
	{[]string{"runtime/...", "gen/...", "spec/...", "prompts/...", "examples/..."}, []string{"cmd/..."},
		"a user's program never links the generator"},
	{[]string{"cmd/toolgen/..."}, []string{"runtime/store/...", "modernc.org/sqlite/..."},
		"the generator links no store and no database; cmd/agentstore is the command for those"},
	{[]string{"runtime/tool", "runtime/tool/contracts", "runtime/tool/jsonscan", "runtime/tool/schema", "runtime/tool/decode"}, []string{"gen/..."},
		"the runtime is the same for every spec"},
	{[]string{"runtime/..."}, []string{"go.opentelemetry.io/otel/sdk/..."},
		"which SDK takes the traces is the program's choice; ours is for tests"},
	{[]string{"runtime/...", "gen/...", "examples/..."}, []string{"cuelang.org/go/...", "github.com/dave/jennifer/...", "github.com/spf13/..."},
		"a user's program never links what only the generator needs"},
}
