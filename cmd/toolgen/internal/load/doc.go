// Package load evaluates the CUE specs of a project and returns them as a model of plain, ordered, concrete values.
//
// It is the only package that runs CUE. [Load] finds the spec packages below spec/, supplies the spec language and the
// shipped contracts by overlay (so a user needs no registry and no copied files), evaluates every tool under every
// choice of its finite options, and returns a contract.Model together with findings. What it returns does not depend on
// CUE's order of evaluation: the order of parameters, clauses and the like is that of the source, from an index over
// the syntax (see index).
//
// Two facts of CUE shape the code. A field under `if` moves to the front when CUE iterates, so order never comes from
// iteration. And CUE's errors carry the positions of whatever took part in a conflict, toolspec's own among them, so a
// finding stands at the syntax of the field at the error's path instead, and is told apart by structure, never by the
// text of a message. A third helps: CUE knows which expression a string comes from, so that every byte of a text has its
// place in the source (see pkgEval.places), and which declarations a value is made of (see pkgEval.see).
package load
