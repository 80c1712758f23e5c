// SPDX-License-Identifier: Apache-2.0

package check

// This file declares what is known of objects at a point of a function, and how it is joined where control flow meets.

import (
	"go/token"
	"maps"

	"golang.org/x/tools/go/ssa"
)

// maxConfigs bounds the configurations of one track; a track that would have more is lost. Ten calls whose outcomes are kept apart in ten states
// have a hundred.
const maxConfigs = 2048

// anyEntry is the entry of configurations that speak of the function as it stands: parameters begin in any state.
// Other entries are states in which a caller may hand over the object.
const anyEntry = -1

// A config is a state that an object may be in, and how it got there.
type config struct {
	entry  int8
	state  int8
	event  int16 // the last call and its outcome; 0: none that matters
	failed bool  // a call that fails was made on the way
}

// A track is what is known of an object at a point. The zero value has no state: the point is not reached.
type track struct {
	lost   bool
	shared bool
	at     map[config]token.Pos // and where the object got into the state
}

func (t *track) clone() *track {
	return &track{lost: t.lost, shared: t.shared, at: maps.Clone(t.at)}
}

// add adds a configuration, and keeps the first position of two.
func (t *track) add(c config, pos token.Pos) bool {
	old, ok := t.at[c]
	if ok && (old == pos || old != token.NoPos && old < pos) {
		return false
	}
	if t.at == nil {
		t.at = map[config]token.Pos{}
	}
	t.at[c] = pos
	return true
}

// lose forgets everything.
func (t *track) lose() { t.lost, t.at = true, nil }

// join adds what another track says, and reports whether that was news.
func (t *track) join(u *track) bool {
	news := false
	if u.shared && !t.shared {
		t.shared, news = true, true
	}
	if t.lost {
		return news
	}
	if u.lost {
		t.lose()
		return true
	}
	for c, pos := range u.at {
		if t.add(c, pos) {
			news = true
		}
	}
	if len(t.at) > maxConfigs {
		t.lose()
		return true
	}
	return news
}

// states are those of the configurations of an entry.
func (t *track) states(entry int8) (s set) {
	for c := range t.at {
		if c.entry == entry {
			s |= 1 << c.state
		}
	}
	return s
}

// share closes the states of a track under all calls, because other code can reach the object from now on. The configurations of anyEntry of an input are always closed.
func (t *track) share(o *object) {
	t.shared = true
	if !o.closed {
		t.lose()
	}
	t.close(o.protocol, func(int8) bool { return true })
}

// close adds the states that other code may bring the object to.
func (t *track) close(p *Protocol, entries func(entry int8) bool) {
	if t.lost {
		return
	}
	type add struct {
		config
		pos token.Pos
	}
	var more []add
	for c, pos := range t.at {
		if !entries(c.entry) {
			continue
		}
		(p.reach[c.state] &^ (1 << c.state)).each(func(st int) {
			more = append(more, add{config{entry: c.entry, state: int8(st), failed: c.failed}, pos})
		})
	}
	for _, a := range more {
		t.add(a.config, a.pos)
	}
}

// A flow is what is known at a point: a track for each object that exists there, and which deferred calls are due.
type flow struct {
	tracks map[*object]*track
	defers map[*ssa.Defer]due
}

// due says how often a deferred call was deferred: a set of these.
type due uint8

const (
	dueNever due = 1 << iota
	dueOnce
	dueOften
)

func newFlow() *flow {
	return &flow{tracks: map[*object]*track{}, defers: map[*ssa.Defer]due{}}
}

func (f *flow) clone() *flow {
	g := newFlow()
	for o, t := range f.tracks {
		g.tracks[o] = t.clone()
	}
	maps.Copy(g.defers, f.defers)
	return g
}

// join adds what is known on another way to the point, and reports whether that was news.
func (f *flow) join(g *flow) bool {
	news := false
	for o, t := range g.tracks {
		if mine := f.tracks[o]; mine == nil {
			f.tracks[o], news = t.clone(), true
		} else if mine.join(t) {
			news = true
		}
	}
	for d := range f.defers {
		if g.defers[d] == 0 && f.defers[d]&dueNever == 0 {
			f.defers[d] |= dueNever
			news = true
		}
	}
	for d, n := range g.defers {
		if f.defers[d] == 0 {
			n |= dueNever
		}
		if f.defers[d]|n != f.defers[d] {
			f.defers[d] |= n
			news = true
		}
	}
	return news
}
