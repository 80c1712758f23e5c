// SPDX-License-Identifier: Apache-2.0

package sat

// This file records proofs: the derived and deleted clauses in order, as in the
// DRAT format (Wetzler, Heule and Hunt 2014) without its resolution asymmetric
// clauses, which the solver does not use. See check.go for what they prove.

// A ProofWriter receives a proof while it is found. It must not keep the slices.
//
// Every clause given to Add follows by unit propagation from the clauses of the
// formula and those added before and not deleted since. After Unsat, the clause
// of the complements of the core has been added, or is in the formula; it is
// empty if the core is.
type ProofWriter interface {
	Add(lits []Lit)
	Delete(lits []Lit)
}

// A Step is one line of a proof.
type Step struct {
	Delete bool
	Lits   []Lit
}

// A Trace is a ProofWriter that remembers.
type Trace struct {
	Steps []Step
}

// Add appends an addition.
func (t *Trace) Add(lits []Lit) { t.Steps = append(t.Steps, Step{false, append([]Lit(nil), lits...)}) }

// Delete appends a deletion.
func (t *Trace) Delete(lits []Lit) {
	t.Steps = append(t.Steps, Step{true, append([]Lit(nil), lits...)})
}

func (s *Solver) proofAdd(lits []Lit) {
	if s.opt.Proof != nil {
		s.opt.Proof.Add(lits)
	}
}

// proofDelete records the deletion of stored clause r.
func (s *Solver) proofDelete(r uint32) {
	if s.opt.Proof == nil {
		return
	}
	var lits []Lit
	for _, u := range s.lits(r) {
		lits = append(lits, Lit(u))
	}
	s.opt.Proof.Delete(lits)
}
