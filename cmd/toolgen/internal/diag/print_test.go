package diag

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func findings() Findings {
	return Findings{
		{Rule: "ref-unknown", Pos: Position{File: "prompts/a,b.md", Line: 2, Column: 7}, Message: "100% of <b> & \"c\": no\r\nsuch tool",
			Fix: "write\n{{find}}\n\nor {{list}}"},
		{Rule: "type-varies", Pos: Position{File: "a.cue", Line: 10, Column: 3}, Path: "tools.find.params.q", Message: "two types",
			Fix: "use one type", Related: []Related{{Pos: Position{File: "b.cue", Line: 4}, Message: "string here"}, {Message: "and a list\nthere"}}},
		{Rule: "output-missing", Pos: Position{File: "gen/a.go"}, Message: "missing"},
		{Rule: "package-empty", Message: "nothing to generate"},
		{Rule: "package-empty", Message: "nothing to generate"},
		{Rule: "text-missing", Path: "tools.find", Message: "no description"},
	}
}

func print(t *testing.T, format Format, l Findings) string {
	t.Helper()
	var b strings.Builder
	if err := Print(&b, format, l); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPrintText(t *testing.T) {
	want := `nothing to generate [package-empty]
tools.find: no description [text-missing]
a.cue:10:3: two types [type-varies]
  b.cue:4: string here
  and a list
      there
  fix: use one type
gen/a.go: missing [output-missing]
prompts/a,b.md:2:7: 100% of <b> & "c": no
    such tool [ref-unknown]
  fix: write
      {{find}}

      or {{list}}
`
	if diff := cmp.Diff(want, print(t, FormatText, findings())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPrintTextSpellsOutControls(t *testing.T) {
	got := print(t, FormatText, Findings{{Rule: "r", Message: "a\x1b[31mb\u202ec\ue000d\te\u200df"}})
	if want := `a\x1b[31mb\u202ec\ue000d` + "\te\u200df [r]\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPrintCI(t *testing.T) {
	want := `::error title=package-empty::nothing to generate
::error title=text-missing::tools.find: no description
::error file=a.cue,line=10,col=3,title=type-varies::two types%0Ab.cue:4: string here%0Aand a list%0Athere%0Afix: use one type
::error file=gen/a.go,title=output-missing::missing
::error file=prompts/a%2Cb.md,line=2,col=7,title=ref-unknown::100%25 of <b> & "c": no%0D%0Asuch tool%0Afix: write%0A{{find}}%0A%0Aor {{list}}
`
	if diff := cmp.Diff(want, print(t, FormatCI, findings())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got := print(t, FormatCI, Findings{{Rule: "a:b", Pos: Position{File: "x%\r\n:,", Column: 3}, Message: ":,"}})
	if want := "::error file=x%25%0D%0A%3A%2C,title=a%3Ab:::,\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPrintJSON(t *testing.T) {
	got := print(t, FormatJSON, findings()[1:3])
	want := `{
  "format": 1,
  "findings": [
    {
      "rule": "type-varies",
      "pos": {
        "file": "a.cue",
        "line": 10,
        "column": 3
      },
      "path": "tools.find.params.q",
      "message": "two types",
      "fix": "use one type",
      "related": [
        {
          "pos": {
            "file": "b.cue",
            "line": 4
          },
          "message": "string here"
        },
        {
          "pos": {},
          "message": "and a list\nthere"
        }
      ]
    },
    {
      "rule": "output-missing",
      "pos": {
        "file": "gen/a.go"
      },
      "message": "missing"
    }
  ]
}
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var back struct{ Findings Findings }
	if err := json.Unmarshal([]byte(print(t, FormatJSON, findings())), &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(findings().Sorted(), back.Findings); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
	if got := print(t, FormatJSON, findings()[:1]); !strings.Contains(got, "of <b> & ") {
		t.Errorf("prose is escaped: %s", got)
	}
}

func TestPrintNothing(t *testing.T) {
	for format, want := range map[Format]string{FormatText: "", FormatCI: "", FormatJSON: "{\n  \"format\": 1,\n  \"findings\": []\n}\n"} {
		if got := print(t, format, nil); got != want {
			t.Errorf("%s: got %q, want %q", format, got, want)
		}
	}
}

func TestFormats(t *testing.T) {
	for _, f := range []Format{FormatText, FormatJSON, FormatCI} {
		if got, err := ParseFormat(string(f)); got != f || err != nil {
			t.Errorf("ParseFormat(%q) = %q, %v", f, got, err)
		}
	}
	if _, err := ParseFormat("yaml"); err == nil {
		t.Error("yaml is a format")
	}
	if err := Print(new(strings.Builder), "yaml", nil); err == nil || !strings.Contains(err.Error(), "text, json or ci") {
		t.Errorf("Print in an unknown format: %v", err)
	}
	if err := Print(fullDisk{}, FormatText, findings()); !errors.Is(err, errFull) {
		t.Errorf("Print to a full disk: %v", err)
	}
}

var errFull = errors.New("disk full")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }
