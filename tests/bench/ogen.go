package main

import (
	"errors"

	"github.com/go-faster/jx"
	"github.com/ogen-go/ogen/validate"

	"github.com/toolgen-dev/toolgen/tests/bench/ogen"
)

//go:generate go tool ogen --target ogen --package ogen --clean --config ogen/ogen.yml ogen/openapi.json

// openOgen reads as ogen's generated servers do: decode, nothing after it, validate.
func openOgen(s shape) (read, error) {
	if s.name == tiny.name {
		return func(args []byte) error {
			d := jx.GetDecoder()
			defer jx.PutDecoder(d)
			d.ResetBytes(args)
			v := new(ogen.Tiny)
			if err := v.Decode(d); err != nil {
				return err
			}
			if err := d.Skip(); err == nil {
				return errors.New("unexpected trailing data")
			}
			return v.Validate()
		}, nil
	}
	return func(args []byte) error {
		d := jx.GetDecoder()
		defer jx.PutDecoder(d)
		d.ResetBytes(args)
		v := new(ogen.Six)
		if err := v.Decode(d); err != nil {
			return err
		}
		if err := d.Skip(); err == nil {
			return errors.New("unexpected trailing data")
		}
		return v.Validate()
	}, nil
}

// ogenFaults are how many fields an error tells of.
func ogenFaults(err error) int {
	var v *validate.Error
	if errors.As(err, &v) {
		return len(v.Fields)
	}
	return 1
}
