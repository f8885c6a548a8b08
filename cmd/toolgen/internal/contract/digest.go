package contract

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/gowebpki/jcs"
)

// MeaningDigest is the digest of what a variant's contract means, whatever the order of its properties. Anyone can
// compute it, in any language:
//
//  1. Take the JSON object {"name": name, "description": description, "parameters": parameters}, parameters being the
//     JSON Schema as the catalog has it.
//  2. In parameters and in every schema inside it, sort the strings of the keyword "required" by their UTF-16 code
//     units, the order in which RFC 8785 sorts the members of an object. Schemas inside a schema are the values of
//     additionalProperties, contains, else, if, items, not, propertyNames, then, unevaluatedItems and
//     unevaluatedProperties, the items of allOf, anyOf, oneOf, prefixItems and of a list under items, and the members'
//     values of $defs, definitions, dependentSchemas, patternProperties and properties. So a property that is called
//     required, and a "required" inside default, const, enum or examples, stay as they are.
//  3. Replace every number in parameters that is an integer by value and greater than 2^53 in magnitude by a string of
//     its decimal digits, with a leading - where it is negative, because RFC 8785 would round it.
//  4. Write the object in the form of RFC 8785 (JCS), and take the SHA-256 in lower-case hexadecimal.
//
// An error means that parameters is no I-JSON: not JSON, with a duplicate member, or with a number beyond the range of a
// double; or that a string is not valid UTF-8.
func MeaningDigest(name, description string, parameters []byte) (string, error) {
	if !utf8.ValidString(name) || !utf8.ValidString(description) {
		return "", errors.New("the name or the description is not valid UTF-8")
	}
	// Decoding would drop duplicate members and repair bad strings in silence; the canonical form refuses them.
	if _, err := jcs.Transform(parameters); err != nil {
		return "", fmt.Errorf("parameters: %w", err)
	}
	schema, err := decodeJSON(parameters)
	if err != nil {
		return "", fmt.Errorf("parameters: %w", err)
	}
	sortRequired(schema)
	schema = wideIntegers(schema)
	doc, err := json.Marshal(map[string]any{"name": name, "description": description, "parameters": schema})
	if err != nil {
		return "", err
	}
	canonical, err := jcs.Transform(doc)
	if err != nil {
		return "", err
	}
	return hexSum(canonical), nil
}

// BytesDigest is the digest of what a provider's prompt cache sees of a variant's contract, the order of its properties
// included: the SHA-256, in lower-case hexadecimal, of
//
//	{"name":NAME,"description":DESCRIPTION,"parameters":PARAMETERS}
//
// in which NAME and DESCRIPTION are JSON strings as RFC 8785 writes them (only ", \ and control characters are
// escaped), and PARAMETERS are the bytes of the JSON Schema as they are given.
func BytesDigest(name, description string, parameters []byte) string {
	var b bytes.Buffer
	b.WriteString(`{"name":`)
	b.WriteString(canonicalString(name))
	b.WriteString(`,"description":`)
	b.WriteString(canonicalString(description))
	b.WriteString(`,"parameters":`)
	b.Write(parameters)
	b.WriteString(`}`)
	return hexSum(b.Bytes())
}

func hexSum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// canonicalString is a JSON string with the escapes of RFC 8785. encoding/json escapes more.
func canonicalString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch r {
		case '"', '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '\b':
			b.WriteString(`\b`)
		case '\t':
			b.WriteString(`\t`)
		case '\n':
			b.WriteString(`\n`)
		case '\f':
			b.WriteString(`\f`)
		case '\r':
			b.WriteString(`\r`)
		default:
			if r < ' ' {
				fmt.Fprintf(&b, `\u%04x`, r)
				continue
			}
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// sortRequired sorts the required lists of a schema and of every schema inside it, in place.
func sortRequired(schema any) {
	object, ok := schema.(map[string]any)
	if !ok {
		return
	}
	for key, v := range object {
		switch key {
		case "required":
			if list, ok := v.([]any); ok {
				sortStrings(list)
			}
		case "additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then", "unevaluatedItems",
			"unevaluatedProperties", "allOf", "anyOf", "oneOf", "prefixItems":
			if list, ok := v.([]any); ok {
				for _, s := range list {
					sortRequired(s)
				}
				continue
			}
			sortRequired(v)
		case "$defs", "definitions", "dependentSchemas", "patternProperties", "properties":
			if members, ok := v.(map[string]any); ok {
				for _, s := range members {
					sortRequired(s)
				}
			}
		}
	}
}

func sortStrings(list []any) {
	for _, v := range list {
		if _, ok := v.(string); !ok {
			return // not the keyword's form: leave it alone
		}
	}
	slices.SortFunc(list, func(a, b any) int {
		x, _ := a.(string)
		y, _ := b.(string)
		return slices.Compare(utf16.Encode([]rune(x)), utf16.Encode([]rune(y)))
	})
}

// wideIntegers replaces integers that a double cannot hold by their digits.
func wideIntegers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			v[k] = wideIntegers(x)
		}
	case []any:
		for i, x := range v {
			v[i] = wideIntegers(x)
		}
	case json.Number:
		const exact = 1 << 53
		if n, ok := decimal(v.String()); ok && n.IsInt() && n.Num().CmpAbs(big.NewInt(exact)) > 0 {
			return n.Num().String()
		}
	}
	return v
}
