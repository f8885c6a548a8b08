package arguments

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// elsewhere are the rows that are not about one call's arguments, and the tests that show them.
var elsewhere = map[string][]string{
	"call-name":                              {"runtime/tool/names_test.go TestCallName", "runtime/tool/names_test.go TestCallNameOfRefused"},
	"two calls with one id, or none":         {"runtime/tool/history_test.go TestUniqueIDs", "runtime/tool/dispatch_test.go TestOneResultPerCall"},
	"the same call several times":            {"runtime/tool/dispatch_test.go TestRepeatedCalls"},
	"one of several calls fails":             {"runtime/tool/dispatch_test.go TestOneResultPerCall"},
	"exclusive calls at once":                {"runtime/tool/dispatch_test.go TestTurns", "runtime/tool/dispatch_test.go TestTurnsStepByStep"},
	"a name that does not exist":             {"runtime/tool/names_test.go TestNearest", "runtime/tool/names_test.go TestHiddenTools"},
	"a retired tool":                         {"runtime/tool/tool_test.go TestRetiredName", "runtime/tool/names_test.go TestRetiredNameOfSeveralMounts"},
	"a result of many megabytes":             {"runtime/tool/text_test.go TestTextsAreBounded", "runtime/tool/text_test.go TestTextsAreValid"},
	"history of arguments that do not parse": {"runtime/tool/history_test.go TestHistoryArguments", "runtime/tool/history_test.go TestHistoryCall"},
	"a cap on a default":                     {"runtime/tool/mount_test.go TestCap", "runtime/tool/decode/repair_test.go TestCaps"},
	"a call with no arguments":               {"runtime/tool/repairs_test.go TestRepairsOfRefused"},
}

func TestElsewhere(t *testing.T) {
	for row, tests := range elsewhere {
		for _, test := range tests {
			file, name, _ := strings.Cut(test, " ")
			src, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(file)))
			require.NoError(t, err, row)
			require.Contains(t, string(src), "\nfunc "+name+"(t *testing.T)", "%s: %s", row, test)
		}
	}
}
