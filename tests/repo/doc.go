// Package repo holds tests of the repository itself.
//
// TestArrows reads `go list` and fails on every import that the layout does not allow, with the reason for the ban; the
// table stands in layout_test.go. TestRules goes over all files and holds the rules that no compiler knows: generated
// files carry their marker and stand alone in gen/ and catalog/, no module replaces another one, files stay short, and
// so on. Each check is itself tested with made-up input that it must refuse.
package repo
