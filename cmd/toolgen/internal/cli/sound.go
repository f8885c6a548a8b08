package cli

import (
	"slices"
	"strings"

	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/contract"
	"github.com/toolgen-dev/toolgen/cmd/toolgen/internal/diag"
)

// sound leaves out, of what the rules of prose found in a model that is not whole, what may follow from a fault that was
// said already: a claim about a default that could not be read, a word that could be one of a list that could not.
func sound(m *contract.Model, found diag.Findings) diag.Findings {
	if !m.Faults.Any() {
		return found
	}
	s := &soundness{faults: m.Faults, params: map[diag.Position]string{}}
	for _, p := range slices.Concat(m.External, m.Packages) {
		for _, e := range p.Enums {
			s.words = s.words || m.Faults.Lost("enums."+e.Name+".values")
		}
		for _, t := range p.Tools {
			for _, v := range t.Variants {
				for _, q := range v.Params {
					path := "tools." + t.Name + ".params." + q.Name
					s.params[q.Pos], s.params[q.DefaultPos] = path, path
				}
			}
		}
	}
	return slices.DeleteFunc(found, s.doubtful)
}

type soundness struct {
	faults *contract.Faults
	words  bool                     // whether the words of some enum are not known
	params map[diag.Position]string // paths of parameters, by where they and their defaults stand
}

func (s *soundness) doubtful(f diag.Finding) bool {
	if f.Rule == "hidden-unicode" {
		return false
	}
	owner := f.Path
	if parts := strings.Split(f.Path, "."); len(parts) > 2 {
		owner = strings.Join(parts[:2], ".")
	}
	if s.faults.Lost(owner) || s.faults.Lost(f.Path) {
		return true
	}
	switch f.Rule {
	case "default-claim":
		return s.faults.Touch(f.Path) || slices.ContainsFunc(f.Related, func(r diag.Related) bool {
			path, ok := s.params[r.Pos]
			return ok && s.faults.Touch(path)
		})
	case "name-near", "closed-list", "name-literal":
		return s.words && f.Rule != "name-literal" || s.faults.In(owner, "options", "params", "results")
	}
	return false
}

// once leaves out the hidden characters that the texts of a file have, where those of the file itself were found: they
// are the same, told with better places. Those that escapes make are left to be found when the others are gone.
func once(files, texts diag.Findings) diag.Findings {
	const rule = "hidden-unicode"
	return slices.DeleteFunc(texts, func(f diag.Finding) bool {
		return f.Rule == rule && slices.ContainsFunc(files, func(o diag.Finding) bool { return o.Rule == rule && o.Pos.File == f.Pos.File })
	})
}

// unsound reports whether a finding of the loader means that there is nothing to compare the output with.
func unsound(f diag.Finding) bool {
	return f.Rule != "hidden-unicode" && f.Rule != "clause-unreachable" && f.Rule != "prompt-unused"
}
