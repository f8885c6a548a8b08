package contract

// Definitions finds the types that references name, as seen from one package. The nil value knows none.
type Definitions struct {
	home string // the import path of the package that the references are written in
	all  map[string]map[string]*Type
}

// Definitions returns the definitions of the model, external packages included, as seen from p.
func (m *Model) Definitions(p *Package) *Definitions {
	d := &Definitions{home: p.Path, all: map[string]map[string]*Type{}}
	for _, list := range [][]*Package{m.External, m.Packages} {
		for _, p := range list {
			named := make(map[string]*Type, len(p.Defs))
			for _, def := range p.Defs {
				named[def.Name] = def.Type
			}
			d.all[p.Path] = named
		}
	}
	return d
}

// Resolve follows a reference, or a chain of them, to a type that is none. With the type come the definitions as its own
// references see them. The type is nil for a reference to nothing, and for one that leads back to itself.
func (d *Definitions) Resolve(t *Type) (*Type, *Definitions) {
	const longest = 100 // of a chain of definitions that are nothing but a reference
	for range longest {
		if t == nil || t.Kind != KindRef {
			return t, d
		}
		if d == nil {
			return nil, nil
		}
		if t.RefPackage != "" && t.RefPackage != d.home {
			d = &Definitions{home: t.RefPackage, all: d.all}
		}
		t = d.all[d.home][t.Ref]
	}
	return nil, d
}
