//go:build !linux

package sqlite

import (
	"testing"

	"github.com/toolgen-dev/toolgen/runtime/store/storetest"
)

// faults: there is a disk of the test's own on Linux only.
func faults(*testing.T, string, *storetest.Harness) Option { return func(*options) {} }
