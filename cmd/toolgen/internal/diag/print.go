package diag

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
)

// Format is a way to print findings.
type Format string

// The formats that [Print] knows.
const (
	FormatText Format = "text" // for people
	FormatJSON Format = "json" // one object, for programs
	FormatCI   Format = "ci"   // annotations, as GitHub Actions reads them from a step's output
)

// jsonFormat is the revision of the JSON that Print writes. It changes when a reader of the former revision would
// misunderstand the object.
const jsonFormat = 1

// ParseFormat returns the format with the given name.
func ParseFormat(name string) (Format, error) {
	switch f := Format(name); f {
	case FormatText, FormatJSON, FormatCI:
		return f, nil
	}
	return "", fmt.Errorf("unknown format %q: expected text, json or ci", name)
}

// Print writes findings in a format, sorted and each once (see [Findings.Sorted]). Without findings, text and CI
// annotations are empty and JSON has an empty list. It writes at most once.
func Print(w io.Writer, format Format, findings Findings) error {
	findings = findings.Sorted()
	var b bytes.Buffer
	switch format {
	case FormatText:
		for _, f := range findings {
			printText(&b, f)
		}
	case FormatJSON:
		if err := printJSON(&b, findings); err != nil {
			return err
		}
	case FormatCI:
		for _, f := range findings {
			printCI(&b, f)
		}
	default:
		_, err := ParseFormat(string(format))
		return err
	}
	if b.Len() == 0 {
		return nil
	}
	_, err := w.Write(b.Bytes())
	return err
}

// printText writes one finding as a block: its own line, which editors can jump from, and the rest indented below it.
func printText(b *bytes.Buffer, f Finding) {
	f.Message = located(f)
	indented(b, "", f.String())
	for _, r := range f.Related {
		s := r.Message
		if p := r.Pos.String(); p != "" {
			s = p + ": " + s
		}
		indented(b, "  ", s)
	}
	if f.Fix != "" {
		indented(b, "  ", "fix: "+f.Fix)
	}
}

// located is a finding's message, led by the CUE path where nothing else says what it is about.
func located(f Finding) string {
	if f.Pos.File == "" && f.Path != "" {
		return f.Path + ": " + f.Message
	}
	return f.Message
}

// indented writes text behind an indent, and the lines after its first four columns further in.
func indented(b *bytes.Buffer, indent, text string) {
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		line = printable(strings.TrimSuffix(line, "\r"))
		switch {
		case i == 0:
			b.WriteString(indent)
		case line != "":
			b.WriteString(indent + "    ")
		}
		b.WriteString(line)
		b.WriteByte('\n')
	}
}

// printable spells out what a terminal would obey or hide: messages quote what a spec or an imported file holds.
func printable(s string) string {
	odd := func(r rune) bool {
		return r != '\t' && (unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Co))
	}
	if !strings.ContainsFunc(s, odd) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if odd(r) {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func printJSON(b *bytes.Buffer, findings Findings) error {
	if findings == nil {
		findings = Findings{}
	}
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false) // messages speak of <id> and a & b
	enc.SetIndent("", "  ")
	return enc.Encode(struct {
		Format   int      `json:"format"`
		Findings Findings `json:"findings"`
	}{jsonFormat, findings})
}

// printCI writes one finding as a workflow command. A command is one line, so all that belongs to the finding goes into
// its message, with the line ends escaped.
func printCI(b *bytes.Buffer, f Finding) {
	var props []string
	property := func(name, value string) { props = append(props, name+"="+escapeProperty(value)) }
	if f.Pos.File != "" {
		property("file", f.Pos.File)
		if f.Pos.Line > 0 {
			property("line", strconv.Itoa(f.Pos.Line))
		}
		if f.Pos.Line > 0 && f.Pos.Column > 0 {
			property("col", strconv.Itoa(f.Pos.Column))
		}
	}
	property("title", f.Rule)
	message := []string{located(f)}
	for _, r := range f.Related {
		if p := r.Pos.String(); p != "" {
			message = append(message, p+": "+r.Message)
		} else {
			message = append(message, r.Message)
		}
	}
	if f.Fix != "" {
		message = append(message, "fix: "+f.Fix)
	}
	fmt.Fprintf(b, "::error %s::%s\n", strings.Join(props, ","), escapeData(strings.Join(message, "\n")))
}

// escapeData escapes the message of a workflow command.
func escapeData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// escapeProperty escapes the value of a property, which a comma or a colon would end.
func escapeProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
