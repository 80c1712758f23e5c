// SPDX-License-Identifier: Apache-2.0

package translate

// This file finds the functions and methods that throw nothing, so that calls of them need no test. Methods are known by
// their names in Go: all of one name throw nothing, or none.

import "maps"

// findQuiet finds what throws nothing, with what the pass at hand has found out. It reports whether that is other than was thought.
func (u *unit) findQuiet() (changed bool) {
	callers := map[string][]string{} // by name, who lets its exceptions pass
	loud := map[string]bool{}
	var work []string
	shout := func(name string) {
		if !loud[name] {
			loud[name] = true
			work = append(work, name)
		}
	}
	all := map[string]bool{}
	maps.Copy(all, u.prelude.quiet)
	for _, t := range u.order {
		all[t.goName] = true
		if t.throws {
			shout(t.goName)
		}
		for _, c := range t.leaks {
			callers[c] = append(callers[c], t.goName)
		}
	}
	for _, v := range u.dispatches.all {
		all[v.goName] = true
		name := u.selected(v.class, v.class, v.member)
		callers[name] = append(callers[name], v.goName)
		if len(u.throwsOf(outsideCall{of: Name{v.class, v.name, v.descriptor}, reason: "environment", virtual: true})) > 0 {
			shout(v.goName)
		}
	}
	for _, o := range u.outside.all {
		all[o.goName] = true
		if len(u.throwsOf(outsideCall{of: o.Name, reason: o.reason})) > 0 {
			shout(o.goName)
		}
	}
	for _, m := range u.missing.all {
		name := u.selected(m.class, m.class, m.member)
		all[name] = true
		if len(u.throwsOf(outsideCall{of: Name{m.class, m.name, m.descriptor}, reason: m.reason})) > 0 {
			shout(name)
		}
	}
	for _, t := range u.bare {
		m := t.method
		if len(u.throwsOf(outsideCall{of: Name{m.Class.Name, m.Name, m.Descriptor}, reason: bareReason(m)})) > 0 {
			shout(t.goName)
		}
	}
	for name := range u.prelude.methodNames {
		if !u.prelude.quiet[name] {
			shout(name)
		}
	}
	// What is called and is none of these throws.
	for c := range callers {
		if !all[c] {
			shout(c)
		}
	}
	for ; len(work) > 0; work = work[1:] {
		for _, c := range callers[work[0]] {
			shout(c)
		}
	}
	for name := range loud {
		delete(all, name)
	}
	changed = !maps.Equal(all, u.quiet)
	u.quiet = all
	return changed
}
