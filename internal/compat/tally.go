// SPDX-License-Identifier: Apache-2.0

package compat

// This file counts which cells of a protocol an interface has. The cells are those of the protocol alone, a set of its
// states and a call that was made there, so that an interface which does not get to a state has it open.

import (
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/typestate"
)

// A Tally counts the cells of a protocol.
type Tally struct {
	Forbidden Share `json:"forbidden"`
	Allowed   Share `json:"allowed"`
}

// A Share counts the cells of one verdict, by what the interface has. Open ones are unknown, coarser, or in states
// that the interface does not get to.
type Share struct {
	All     int `json:"all"`
	Proved  int `json:"proved"`
	Claimed int `json:"claimed"` // an engine says so, and the judge has not checked it
	Seen    int `json:"seen"`
	Coarser int `json:"coarser"` // of those that are open
	Wrong   int `json:"wrong"`
}

// Found are the cells on which interface and protocol agree.
func (s Share) Found() int { return s.Proved + s.Claimed + s.Seen }

// Open are the others that are not wrong.
func (s Share) Open() int { return s.All - s.Found() - s.Wrong }

// Sum adds the counts of two shares.
func (s Share) Sum(o Share) Share {
	return Share{s.All + o.All, s.Proved + o.Proved, s.Claimed + o.Claimed, s.Seen + o.Seen, s.Coarser + o.Coarser, s.Wrong + o.Wrong}
}

// Total counts the cells of both verdicts.
func (t Tally) Total() Share { return t.Forbidden.Sum(t.Allowed) }

// protocolCell is a call in a set of states.
type protocolCell struct{ set, call string }

// A Compared interface is one that was compared with a protocol.
type Compared struct {
	Interface *typestate.Interface
	Result    *Result
}

// verdicts are those of cells. A cell of several pairs has the worst of their verdicts.
func (c Compared) verdicts() map[protocolCell]Verdict {
	verdict := map[protocolCell]Verdict{}
	for _, c := range c.Result.Cells {
		k := protocolCell{fmt.Sprint(c.States), c.Call}
		if v, ok := verdict[k]; !ok || c.Verdict.worse() > v.worse() {
			verdict[k] = c.Verdict
		}
	}
	return verdict
}

// Tally counts the cells of a protocol. Several interfaces may have been compared with it: a cell is wrong if it is in one of
// them, and else as good as in the best one.
func (p *Protocol) Tally(list ...Compared) Tally {
	var t Tally
	var verdicts []map[protocolCell]Verdict
	for _, c := range list {
		verdicts = append(verdicts, c.verdicts())
	}
	for k, says := range p.cells() {
		share := &t.Allowed
		if says != "allowed" {
			share = &t.Forbidden
		}
		share.All++
		best, claimed := Unknown, false
		for n, m := range verdicts {
			switch v := m[k]; {
			case v == Wrong || best == Wrong:
				best = Wrong
			case v.worse() < best.worse():
				best, claimed = v, list[n].Interface.Guarantees.Safe != typestate.GuaranteeProved
			}
		}
		switch {
		case best == Exact && !claimed:
			share.Proved++
		case best == Exact:
			share.Claimed++
		case best == Seen:
			share.Seen++
		case best == Coarser:
			share.Coarser++
		case best == Wrong:
			share.Wrong++
		}
	}
	return t
}

// cells are the cells that words of a protocol get to, with what it says of them. Words go on from allowed calls only.
func (p *Protocol) cells() map[protocolCell]string {
	type place struct {
		set   []string
		depth int
	}
	var queue []place
	visited := map[string]bool{}
	add := func(set []string, depth int) {
		if key := fmt.Sprint(set); !visited[key] {
			visited[key] = true
			queue = append(queue, place{set, depth})
		}
	}
	for _, c := range p.Constructors {
		add(p.members(c.Initial), 0)
	}
	out := map[protocolCell]string{}
	for ; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if !p.Regular && at.depth >= p.Depth {
			continue // words beyond this length were never tried
		}
		for _, c := range p.Calls {
			t := p.truth(at.set, c.ID)
			if t.verdict == "" {
				continue
			}
			out[protocolCell{fmt.Sprint(at.set), c.ID}] = t.verdict
			if t.verdict != "allowed" {
				continue
			}
			for _, o := range t.outcomes {
				add(slices.Clip(p.next(at.set, c.ID, o)), at.depth+1)
			}
		}
	}
	return out
}
