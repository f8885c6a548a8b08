package contract

import (
	"slices"
	"strings"
)

// Faults are the places of a model at which its loader found something wrong. What is read there is not all that was
// declared, so no check may draw a conclusion from what is missing: it would be a consequence of a fault that was said
// already, and no fault of its own. A nil Faults is that of a model that is whole.
type Faults struct {
	paths []string

	// Names is set where tools or enums may be declared of which nothing is known, not even the label.
	Names bool

	// Types are the enums that some type may use which could not be read.
	Types map[EnumRef]bool
}

// Add notes a fault at a CUE path, such as tools.find.params.q.
func (f *Faults) Add(path string) {
	if path != "" && !slices.Contains(f.paths, path) {
		f.paths = append(f.paths, path)
	}
}

// Any reports whether there is any fault.
func (f *Faults) Any() bool { return f != nil && (f.Names || len(f.paths) > 0) }

// Lost reports whether what is at a path may not be there as declared: the fault is there, or around it. Of a tool that
// is lost nothing is known but its label.
func (f *Faults) Lost(path string) bool {
	return f != nil && slices.ContainsFunc(f.paths, func(p string) bool { return within(path, p) })
}

// Touch reports whether what is at a path, or something inside of it, may not be there as declared.
func (f *Faults) Touch(path string) bool {
	return f != nil && slices.ContainsFunc(f.paths, func(p string) bool { return within(path, p) || within(p, path) })
}

// In reports whether a fault is in one of the parts of something: it, or what is around it, or the part.
func (f *Faults) In(path string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return f.Touch(path + "." + part) })
}

// unnamed reports whether there may be tools and enums of which nothing is known.
func (f *Faults) unnamed() bool { return f != nil && f.Names }

// within reports whether a path is another one, or leads into it.
func within(path, outer string) bool {
	return path == outer || strings.HasPrefix(path, outer) && path[len(outer)] == '.'
}

// mayUse reports whether a type that could not be read may use an enum.
func (f *Faults) mayUse(e EnumRef) bool { return f != nil && (f.Names || f.Types[e]) }

// provable reports whether a mapping and all words that it speaks of are known.
func (f *Faults) provable(e *Enum) bool {
	if f.Lost("enums."+e.Name+".values") || f.In("enums."+e.Name, "from") {
		return false
	}
	return !slices.ContainsFunc(e.From.Facts, func(x *Fact) bool { return x.Enum != nil && f.Lost("enums."+x.Enum.Name+".values") })
}

// Merge adds the faults of another part of the model.
func (f *Faults) Merge(other *Faults) {
	for _, p := range other.paths {
		f.Add(p)
	}
	f.Names = f.Names || other.Names
}
