// SPDX-License-Identifier: Apache-2.0

package judge

// This file follows pairs (state of the interface, set of states of the system).

import (
	"encoding/binary"
	"slices"

	"github.com/interlock-go/interlock/internal/model/lts"
)

// A setVisit is a pair with a set. Members are sorted, and closed under hidden steps.
type setVisit struct {
	state   int
	members []int32
	from    int32
	call    int
}

// sets decides what is claimed of words that are forbidden, and of edges.
func (j *judge) sets(r *Report) error {
	r.Full.Answer, r.Tight.Answer = Yes, Yes
	first, errs := j.closure([]int32{j.s.Initial})
	switch {
	case j.start == undecided:
		open := Finding{Why: "the start is unknown"}
		r.Full, r.Tight, r.Permissive = open, open, open
		return nil
	case j.start == forbidden && !errs:
		r.Full = Finding{Answer: No, Why: "the start is forbidden and does not err"}
		r.Permissive = r.Full
		return nil
	case errs: // the search for safety has said so if it is allowed
		r.Permissive.Answer = Yes
		return nil
	}
	s := &setSearch{judge: j, Report: r, minimal: true}
	if err := s.run(first); err != nil {
		return err
	}
	if r.Permissive = r.Full; r.Full.Answer != No {
		return nil
	}
	// Sets that are larger than others count: more of their words can happen.
	r.Permissive = Finding{Answer: Yes}
	return (&setSearch{judge: j, Report: r}).run(first)
}

// setSearch follows minimal sets for Full and Tight, and all sets that are not empty for
// Permissive.
type setSearch struct {
	*judge
	*Report
	minimal bool
	visits  []setVisit
	chains  map[int][][]int32
	met     map[string]bool
}

func (s *setSearch) run(first []int32) error {
	s.chains, s.met = map[int][][]int32{}, map[string]bool{}
	s.add(setVisit{s.start, first, -1, -1})
	for at := int32(0); at < int32(len(s.visits)); at++ {
		if err := s.spend(len(s.visits)); err != nil {
			return err
		}
		v := s.visits[at]
		posts, failing := s.posts(v.members)
		for x, to := range s.next[v.state] {
			switch {
			case to == undecided && (len(posts[x]) > 0 || failing[x]):
				s.unsure()
			case to == forbidden && !failing[x]:
				s.refuse(at, x, len(posts[x]) > 0)
			case to >= 0 && !failing[x]:
				if len(posts[x]) == 0 && s.minimal && s.Tight.Answer == Yes {
					s.Tight = Finding{Answer: No, Word: s.word(at, x), Why: "it is allowed and cannot happen"}
				}
				if s.minimal || len(posts[x]) > 0 {
					s.add(setVisit{to, posts[x], at, x})
				}
			}
		}
		if !s.minimal && s.Permissive.Answer == No || s.minimal && s.Full.Answer == No && s.Tight.Answer == No {
			return nil
		}
	}
	return nil
}

func (s *setSearch) unsure() {
	f := &s.Permissive
	if s.minimal {
		f = &s.Full
	}
	if f.Answer == Yes {
		*f = Finding{Why: "a call of unknown verdict can happen"}
	}
}

// refuse notes a word that is forbidden although no trace with it errs.
func (s *setSearch) refuse(at int32, x int, happens bool) {
	switch {
	case s.minimal && s.Full.Answer != No:
		s.Full = Finding{Answer: No, Word: s.word(at, x), Why: "it is forbidden and cannot happen"}
		if happens {
			s.Full.Why = "it is forbidden and does not err"
		}
	case !s.minimal && happens && s.Permissive.Answer != No:
		s.Permissive = Finding{Answer: No, Word: s.word(at, x), Why: "it is forbidden and does not err"}
	}
}

func (s *setSearch) add(v setVisit) {
	key := setKey(v.state, v.members)
	if s.met[key] {
		return
	}
	s.met[key] = true
	if s.minimal {
		chain, ok := lessens(s.chains[v.state], v.members)
		if !ok {
			return
		}
		s.chains[v.state] = chain
	}
	s.visits = append(s.visits, v)
}

// word is that of a visit and one more call.
func (s *setSearch) word(at int32, x int) []string {
	word := []string{s.calls[x]}
	for n := at; n > 0; n = s.visits[n].from {
		word = append(word, s.calls[s.visits[n].call])
	}
	slices.Reverse(word)
	return word
}

// lessens adds a set to those that are minimal, if none of them is a part of it.
func lessens(chain [][]int32, set []int32) ([][]int32, bool) {
	for _, old := range chain {
		if isPart(old, set) {
			return chain, false
		}
	}
	var out [][]int32
	for _, old := range chain {
		if !isPart(set, old) {
			out = append(out, old)
		}
	}
	return append(out, set), true
}

func isPart(a, b []int32) bool {
	for _, x := range a {
		if _, ok := slices.BinarySearch(b, x); !ok {
			return false
		}
	}
	return true
}

// posts gives the closed set after each call, and whether it has an erring trace.
func (j *judge) posts(members []int32) (posts [][]int32, failing []bool) {
	posts, failing = make([][]int32, len(j.calls)), make([]bool, len(j.calls))
	for _, s := range members {
		for _, e := range j.s.Edges(s) {
			if j.hides(e) {
				continue
			}
			posts[j.visible[e.Action]] = append(posts[j.visible[e.Action]], e.To)
		}
	}
	for x, targets := range posts {
		posts[x], failing[x] = j.closure(targets)
	}
	return posts, failing
}

// closure adds what hidden steps reach. The error is not a member.
func (j *judge) closure(from []int32) (set []int32, errs bool) {
	stack := slices.Clone(from)
	in := map[int32]bool{}
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if in[s] {
			continue
		}
		in[s] = true
		if s == lts.Error {
			errs = true
			continue
		}
		set = append(set, s)
		for _, e := range j.s.Edges(s) {
			if j.hides(e) {
				stack = append(stack, e.To)
			}
		}
	}
	slices.Sort(set)
	return set, errs
}

func setKey(state int, set []int32) string {
	key := binary.LittleEndian.AppendUint32(nil, uint32(state))
	for _, s := range set {
		key = binary.LittleEndian.AppendUint32(key, uint32(s))
	}
	return string(key)
}
