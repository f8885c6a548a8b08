package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
)

// write makes one file: a head, n parts that are given their number, with a separator between them, and a foot.
func write(file string, n int, head, part, between, foot string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	_, _ = w.WriteString(head) // a bufio.Writer keeps the error for Flush
	for i := range n {
		if i > 0 {
			_, _ = w.WriteString(between)
		}
		fmt.Fprintf(w, part, i)
	}
	_, _ = w.WriteString(foot)
	if err := w.Flush(); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}

const specHead = `package big

import (
	"strings"

	"github.com/toolgen-dev/toolgen/spec/toolspec"
)

tools: toolspec.#Tools
`

const specParams = `	params: {
		query: {type: strings.MinRunes(1), doc: "What to look for in archive %[1]d."}
		mode: {type: "fast" | "thorough" | "exact", optional: true, doc: "How to search archive %[1]d."}
		limit: {type: int & >=1 & <=100, default: 10, doc: "How many results of archive %[1]d. Defaults to \(default)."}
		include_archived: {type: bool, default: false, doc: "Whether to look into the archive %[1]d. Defaults to \(default)."}
		tags: {type: [...string], optional: true, doc: "Tags of archive %[1]d."}
		filter: {type: {field!: strings.MinRunes(1), max?: int & >=0}, optional: true, doc: "Filter of archive %[1]d."}
	}
}
`

// spec writes n tools of one variant for toolgen.
func spec(dir string, n int) error {
	return write(filepath.Join(dir, "spec", "big", "tools.cue"), n, specHead, `
tools: search_%[1]d: {
	description: "Searches archive %[1]d for documents."
`+specParams, "", "")
}

// variants writes n tools of three options, which make eight variants.
func variants(dir string, n int) error {
	return write(filepath.Join(dir, "spec", "big", "tools.cue"), n, specHead, `
tools: search_%[1]d: {
	options: {
		a: *true | false
		b: *true | false
		c: *true | false
	}
	clauses: {
		purpose: "Searches archive %[1]d for documents."
		if options.a {a: "With a."}
		if options.b {b: "With b."}
		if options.c {c: "With c."}
	}
`+specParams, "", "")
}

// definitions writes n definitions in plain CUE.
func definitions(dir string, n int) error {
	err := write(filepath.Join(dir, "cue.mod", "module.cue"), 0, "module: \"example.com/big\"\nlanguage: version: \"v0.16.0\"\n", "", "", "")
	if err != nil {
		return err
	}
	return write(filepath.Join(dir, "big", "big.cue"), n, "package big\n\nimport \"strings\"\n", `
// Searches archive %[1]d for documents.
#Search%[1]d: {
	// What to look for in archive %[1]d.
	query!: strings.MinRunes(1)
	// How to search archive %[1]d.
	mode?: "fast" | "thorough" | "exact"
	// How many results of archive %[1]d. Defaults to 10.
	limit?: int & >=1 & <=100 | *10
	// Whether to look into the archive %[1]d. Defaults to false.
	include_archived?: bool | *false
	// Tags of archive %[1]d.
	tags?: [...string]
	// Filter of archive %[1]d.
	filter?: {
		field!: strings.MinRunes(1)
		max?:   int & >=0
	}
}
`, "", "")
}

// schema is the parameters of one tool as a member of an object of schemas.
const schema = `
"Search%[1]d": {
  "type": "object",
  "description": "Searches archive %[1]d for documents.",
  "additionalProperties": false,
  "required": ["query"],
  "properties": {
    "query": {"type": "string", "minLength": 1, "description": "What to look for in archive %[1]d."},
    "mode": {"type": "string", "enum": ["fast", "thorough", "exact"], "description": "How to search archive %[1]d."},
    "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10, "description": "How many results of archive %[1]d. Defaults to 10."},
    "include_archived": {"type": "boolean", "default": false, "description": "Whether to look into the archive %[1]d. Defaults to false."},
    "tags": {"type": "array", "items": {"type": "string"}, "description": "Tags of archive %[1]d."},
    "filter": {
      "type": "object",
      "description": "Filter of archive %[1]d.",
      "additionalProperties": false,
      "required": ["field"],
      "properties": {"field": {"type": "string", "minLength": 1}, "max": {"type": "integer", "minimum": 0}}
    }
  }
}`

// jsonSchema writes one schema with n definitions.
func jsonSchema(dir string, n int) error {
	if err := os.MkdirAll(filepath.Join(dir, "big"), 0o755); err != nil {
		return err
	}
	return write(filepath.Join(dir, "big.json"), n,
		`{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://example.com/big", "$defs": {`, schema, ",", "}}\n")
}

const openAPIHead = `{"openapi": "3.0.3", "info": {"title": "big", "version": "1"}, `

const operation = `
"/search_%[1]d": {"post": {
  "operationId": "search_%[1]d",
  "description": "Searches archive %[1]d for documents.",
  "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Search%[1]d"}}}},
  "responses": {"200": {"description": "What was found.", "content": {"application/json": {"schema": {"type": "string"}}}}}
}}`

// openAPI writes a document of n operations with a schema each, and the settings with which ogen leaves clients out.
func openAPI(dir string, n int) error {
	if err := os.MkdirAll(filepath.Join(dir, "big"), 0o755); err != nil {
		return err
	}
	paths, schemas := filepath.Join(dir, "paths.json"), filepath.Join(dir, "schemas.json")
	if err := write(paths, n, openAPIHead+`"paths": {`, operation, ",", "},"); err != nil {
		return err
	}
	if err := write(schemas, n, `"components": {"schemas": {`, schema, ",", "}}}\n"); err != nil {
		return err
	}
	var document []byte
	for _, part := range []string{paths, schemas} {
		data, err := os.ReadFile(part)
		if err != nil {
			return err
		}
		document = append(document, data...)
	}
	if err := os.WriteFile(filepath.Join(dir, "openapi.json"), document, 0o644); err != nil {
		return err
	}
	settings := "generator:\n  features:\n    disable_all: true\n    enable: [paths/server]\n"
	return os.WriteFile(filepath.Join(dir, "ogen.yml"), []byte(settings), 0o644)
}
