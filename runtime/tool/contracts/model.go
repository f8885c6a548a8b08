package contracts

import "encoding/json"

// model is contracts.json, as far as a runtime needs it. Its shape is checked by modelShape before it is read, so that
// every pointer that is required is there.
type model struct {
	Packages []*filePackage
}

type filePackage struct {
	Path  string
	Tools []*fileTool
	Enums []*fileEnum
	Defs  []*fileDef
}

type fileEnum struct {
	Name    string
	Retired []*fileRetired
}

type fileDef struct {
	Name string
	Type *fileType
}

type fileTool struct {
	Name         string
	Wire         string
	Title        string
	Options      []*fileOption
	Args         []*fileArg
	Results      []*fileMessage
	Variants     []*fileVariant
	Combinations []*fileCombination
	Retired      struct {
		Names  []string
		Params []*fileRetired
	}
}

type fileOption struct {
	Name    string
	Kind    string
	Values  []string
	Default json.RawMessage
	Type    *fileType
}

type fileArg struct {
	Name string
	Type *fileType
}

type fileMessage struct {
	Name   string
	Fields []*fileParam
}

type fileCombination struct {
	Variant  int
	Rejected string
}

type fileRetired struct {
	Word, Use, Why string
}

type fileVariant struct {
	Clauses []struct {
		ID   string
		Text fileText
	}
	Params      []*fileParam
	Schema      fileText
	Fixed       []*fileFixed
	Needs       []string
	Results     []string
	Sections    []*fileSection
	Concurrency string
	Hints       struct{ ReadOnly, Destructive, Idempotent, OpenWorld *bool }
	Limits      struct {
		ArgumentBytes, ResultBytes int64
		Timeout                    string
	}
}

type fileFixed struct {
	Name  string
	Value json.RawMessage
}

type fileSection struct {
	Label string
	Order json.Number
	Text  fileText
}

// fileParam is a parameter, or a property of an object.
type fileParam struct {
	Name     string
	Type     *fileType
	Default  json.RawMessage
	Optional bool
	Secret   bool
	Wrap     bool
	Unwrap   bool
	Aliases  []string
}

type fileType struct {
	Kind         string
	Nullable     bool
	Enum         []string
	EnumRef      *fileEnumRef
	Min, Max     string
	ExclusiveMin bool
	ExclusiveMax bool
	MultipleOf   string
	Not          []string
	MinLen       *int64
	MaxLen       *int64
	Patterns     []string
	Format       string
	Elem         *fileType
	Items        []*fileType
	Unique       bool
	Fields       []*fileParam
	Rest         *fileType
	PatternRest  []*filePatternRest
	Tag          string
	Cases        []*fileCase
	Ref          string
	RefPackage   string
}

type fileEnumRef struct {
	Package, Name string
}

type filePatternRest struct {
	Pattern string
	Type    *fileType
}

type fileCase struct {
	Tag  string
	Type *fileType
}

// fileText is prose: a string for each literal, an object for each reference.
type fileText []fileSegment

type fileSegment struct {
	Lit                     string
	Tool, Param, Enum, Word string
}

// UnmarshalJSON reads a literal or a reference.
func (s *fileSegment) UnmarshalJSON(b []byte) error {
	*s = fileSegment{}
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &s.Lit)
	}
	type plain fileSegment // without this method
	var p plain
	if err := json.Unmarshal(b, &p); err != nil {
		return err
	}
	*s = fileSegment(p)
	s.Lit = ""
	return nil
}
