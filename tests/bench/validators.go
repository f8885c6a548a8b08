package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	google "github.com/google/jsonschema-go/jsonschema"
	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
)

// into unmarshals into the struct of a shape.
func into(s shape) func(args []byte) error {
	if s.name == tiny.name {
		return func(args []byte) error { return json.Unmarshal(args, new(tinyArgs)) }
	}
	return func(args []byte) error { return json.Unmarshal(args, new(sixArgs)) }
}

func openStd(s shape) (read, error) { return into(s), nil }

func openSanthosh(s shape) (read, error) {
	doc, err := santhosh.UnmarshalJSON(strings.NewReader(s.schema))
	if err != nil {
		return nil, err
	}
	c := santhosh.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("schema.json", doc); err != nil {
		return nil, err
	}
	compiled, err := c.Compile("schema.json")
	if err != nil {
		return nil, err
	}
	unmarshal := into(s)
	return func(args []byte) error {
		v, err := santhosh.UnmarshalJSON(bytes.NewReader(args))
		if err != nil {
			return err
		}
		if err := compiled.Validate(v); err != nil {
			return err
		}
		return unmarshal(args)
	}, nil
}

// santhoshFaults are the leaves of an error's tree.
func santhoshFaults(err error) int {
	var v *santhosh.ValidationError
	if !errors.As(err, &v) {
		return 1
	}
	if len(v.Causes) == 0 {
		return 1
	}
	n := 0
	for _, c := range v.Causes {
		n += santhoshFaults(c)
	}
	return n
}

func openGoogle(s shape) (read, error) {
	var doc google.Schema
	if err := json.Unmarshal([]byte(s.schema), &doc); err != nil {
		return nil, err
	}
	resolved, err := doc.Resolve(nil)
	if err != nil {
		return nil, err
	}
	unmarshal := into(s)
	return func(args []byte) error {
		var v any
		if err := json.Unmarshal(args, &v); err != nil {
			return err
		}
		if err := resolved.Validate(v); err != nil {
			return err
		}
		return unmarshal(args)
	}, nil
}
