//go:build !linux

package assemble

// harden does nothing: there is no such setting here.
func harden() {}
