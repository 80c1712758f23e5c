// SPDX-License-Identifier: Apache-2.0

package lower

// This file names objects. A place is first named by where it is made; one that a
// single field of the state holds, and that is all the field ever holds, is named by
// the field, as one would write it in the code: a.order instead of Order@16. Names are
// for people only: nothing is decided by them.

import (
	"maps"
	"slices"
	"strings"
)

// rename names the places by what was held in the last pass.
func (w *World) rename() {
	type field struct{ owner, path string }
	holder := map[string]field{} // of a place
	shared := map[string]bool{}  // several hold it, or one that holds others too
	for _, key := range slices.Sorted(maps.Keys(w.targets)) {
		owner, path, isCell := strings.Cut(key, cellMark)
		if !isCell || !w.held[owner] || path == "" {
			continue
		}
		var places []string
		for _, t := range slices.Sorted(maps.Keys(w.targets[key])) {
			if t != nilKey {
				places = append(places, t)
			}
		}
		for _, t := range places {
			if _, twice := holder[t]; twice || len(places) > 1 {
				shared[t] = true
			}
			holder[t] = field{owner, path}
		}
	}
	busy := map[string]bool{} // a cycle of references has no name to begin with
	var name func(key string) (string, bool)
	name = func(key string) (string, bool) {
		p := w.places[key]
		if p == nil || busy[key] {
			return "", false
		}
		h, held := holder[key]
		if !held || shared[key] || p.parent != nil || p.Summary || p.Const {
			return p.made, !held
		}
		busy[key] = true
		defer delete(busy, key)
		if owner, ok := name(h.owner); ok {
			return owner + h.path, true
		}
		return p.made, false
	}
	for _, p := range w.order {
		p.Name = p.made
	}
	named := map[string]string{}
	for _, p := range w.order {
		if n, ok := name(p.Key); ok && p.parent == nil {
			named[p.Key] = n
		}
	}
	for _, p := range w.order {
		if n, ok := named[p.Key]; ok {
			p.Name = n
		}
	}
}
