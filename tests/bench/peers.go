package main

import (
	"encoding/json"
	"errors"
)

// read reads arguments by one shape, and keeps what it made of them where the compiler cannot do without.
type read func(args []byte) error

// peer is one way of reading arguments.
type peer struct {
	name      string // for -peers
	label     string // in the table
	validates bool
	makes     string                      // what the program gets
	open      func(s shape) (read, error) // made once
	faults    func(err error) int         // how many faults an error tells of; nil: it makes no difference between texts that are JSON
	accepts   map[string]bool             // odd texts, by their names, that it takes
}

// The texts that are odd, under the shape six.
var odd = map[string]string{
	"duplicate key":  `{"query":"a","query":"b"}`,
	"bad UTF-8":      "{\"query\":\"a\xff\"}",
	"lone surrogate": `{"query":"a\ud83d"}`,
	"unknown key":    `{"query":"a","qery":"b"}`,
	"other case":     `{"Query":"a"}`,
	"null":           `{"query":"a","limit":null}`,
	"5.0":            `{"query":"a","limit":5.0}`,
}

// oddNames are their order in the table.
var oddNames = []string{"duplicate key", "bad UTF-8", "lone surrogate", "unknown key", "other case", "null", "5.0"}

func set(names ...string) map[string]bool {
	out := map[string]bool{}
	for _, n := range names {
		out[n] = true
	}
	return out
}

var peers = []peer{
	{
		name: "valid", label: "`json.Valid`", makes: "nothing", open: openValid,
		accepts: set(oddNames...),
	},
	{
		name: "hand", label: "a single pass written by hand for this one tool", validates: true, makes: "a struct", open: openHand,
		faults: one,
	},
	{
		name: "toolgen", label: "**toolgen, generated**", validates: true, makes: "a struct, defaults applied", open: openGenerated,
		faults: problems, accepts: set("5.0"),
	},
	{
		name: "tolerant", label: "**toolgen, generated, repairs on**", validates: true, makes: "a struct, defaults applied", open: openTolerant,
		faults: problems, accepts: set("5.0", "null"),
	},
	{
		name: "check", label: "**toolgen, checked alone**", validates: true, makes: "nothing", open: openCheck,
		faults: problems, accepts: set("5.0"),
	},
	{
		name: "loaded", label: "**toolgen, loaded from contracts.json**", validates: true, makes: "JSON, defaults applied", open: openLoaded,
		faults: problems, accepts: set("5.0"),
	},
	{
		name: "bare", label: "**toolgen, a bare JSON Schema**", validates: true, makes: "JSON, defaults applied", open: openBare,
		faults: problems, accepts: set("5.0"),
	},
	{
		name: "ogen", label: "ogen 1.25.0, generated", validates: true, makes: "a struct, defaults applied", open: openOgen,
		faults: ogenFaults, accepts: set("duplicate key", "bad UTF-8", "lone surrogate"),
	},
	{
		name: "std", label: "encoding/json into a struct", makes: "a struct", open: openStd,
		faults: one, accepts: set("duplicate key", "bad UTF-8", "lone surrogate", "unknown key", "other case", "null"),
	},
	{
		name: "santhosh", label: "santhosh-tekuri/jsonschema 6.0.3 + Unmarshal", validates: true, makes: "a struct", open: openSanthosh,
		faults: santhoshFaults, accepts: set("duplicate key", "bad UTF-8", "lone surrogate"),
	},
	{
		name: "google", label: "google/jsonschema-go 0.4.3 + Unmarshal", validates: true, makes: "a struct", open: openGoogle,
		faults: one, accepts: set("duplicate key", "bad UTF-8", "lone surrogate"),
	},
	{
		name: "gosdk", label: "modelcontextprotocol/go-sdk 1.8.0, a tool of AddTool", validates: true, makes: "a struct, defaults applied", open: openGoSDK,
		faults: one, accepts: set("duplicate key", "bad UTF-8", "lone surrogate", "5.0"),
	},
	{
		name: "mcpgo", label: "mark3labs/mcp-go 1.2.1 with validation", validates: true, makes: "a struct", open: openMCPGo,
		faults: mcpGoFaults, accepts: set("duplicate key", "bad UTF-8", "lone surrogate"),
	},
}

// one is how many faults an error tells of that stops at the first.
func one(error) int { return 1 }

var errInvalid = errors.New("not JSON")

func openValid(shape) (read, error) {
	return func(args []byte) error {
		if !json.Valid(args) {
			return errInvalid
		}
		return nil
	}, nil
}

// sixArgs and tinyArgs are what a program would write to unmarshal into.
type sixArgs struct {
	Query           string   `json:"query"`
	Mode            string   `json:"mode,omitempty"`
	Limit           int64    `json:"limit,omitempty"`
	IncludeArchived bool     `json:"include_archived,omitempty"`
	Tags            []string `json:"tags,omitempty"`
	Filter          *filter  `json:"filter,omitempty"`
}

type filter struct {
	Field string `json:"field"`
	Max   int64  `json:"max,omitempty"`
}

type tinyArgs struct {
	City string `json:"city"`
	Unit string `json:"unit"`
}
