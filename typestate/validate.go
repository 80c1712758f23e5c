// SPDX-License-Identifier: Apache-2.0

package typestate

// This file checks that an interface is well-formed. It reports every problem,
// each on one line that begins with the place in the file. Checks that follow
// references run only if the references are good, so that one mistake is not
// reported five times. Whether guards really partition the arguments, and
// whether the interface is true of its component, is not checked here.

import (
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Validate returns nil if i is well-formed, and otherwise an error with one
// line per problem. Order is not checked, see [Interface.Canonical], except
// where it has a meaning: state ids are indices, and call ids are counted in
// list order.
func (i *Interface) Validate() error {
	p := &problems{Interface: i}
	p.header()
	p.constructors()
	p.calls()
	p.states()
	p.guarantees()
	p.annotations()
	l, errs := i.layout()
	p.errs = append(p.errs, errs...)
	if len(errs) == 0 {
		p.edges(l)
		p.reachable()
	}
	p.cells()
	p.seen()
	if len(p.errs) == 0 {
		p.replay()
	}
	return errors.Join(p.errs...)
}

// problems collects what is wrong with an interface.
type problems struct {
	*Interface
	errs []error
}

func (p *problems) add(format string, args ...any) {
	p.errs = append(p.errs, fmt.Errorf(format, args...))
}

func (p *problems) header() {
	if p.Format != Format {
		p.add("format: %q is not %q", p.Format, Format)
	}
	if p.Component.Language == "" {
		p.add("component: no language")
	}
	if p.Component.Name == "" {
		p.add("component: no name")
	}
	p.hash("component.program", p.Component.Program)
	for k, e := range p.Component.Errors {
		if e == "" {
			p.add("component.errors[%d]: empty", k)
		}
	}
}

// hash checks a program hash. It may be empty: not every interface comes from
// a program.
func (p *problems) hash(where, hash string) {
	if hash == "" {
		return
	}
	digest, ok := strings.CutPrefix(hash, "sha256:")
	if b, err := hex.DecodeString(digest); !ok || err != nil || len(b) != 32 || strings.ToLower(digest) != digest {
		p.add(`%s: %q is not "sha256:" and 64 hexadecimal digits`, where, hash)
	}
}

// signature checks what constructors and calls have in common.
func (p *problems) signature(where, method string, params, types []string, guard string) {
	switch {
	case method == "":
		p.add("%s: no method", where)
	case strings.Contains(method, "#"):
		p.add(`%s: method %q contains "#"`, where, method)
	}
	if guard == "" {
		p.add("%s: no guard (write \"true\" for none)", where)
	}
	if len(types) != len(params) {
		p.add("%s: %d types for %d parameters", where, len(types), len(params))
	}
	for k, name := range params {
		if name == "" {
			p.add("%s: parameter %d has no name", where, k+1)
		}
		if slices.Index(params, name) < k {
			p.add("%s: two parameters %q", where, name)
		}
	}
	for k, t := range types {
		if t == "" {
			p.add("%s: parameter %d has no type", where, k+1)
		}
	}
}

// results checks the results that updates may mention.
func (p *problems) results(where string, params []string, results []Register) {
	for k, r := range results {
		if r.Name == "" || r.Type == "" {
			p.add("%s: result %d has no name or no type", where, k+1)
		}
		if slices.Contains(params, r.Name) || slices.ContainsFunc(results[:k], func(o Register) bool { return o.Name == r.Name }) {
			p.add("%s: result %q has the name of another parameter or result", where, r.Name)
		}
	}
}

func (p *problems) constructors() {
	if len(p.Constructors) == 0 {
		p.add("constructors: there is none")
	}
	count := map[string]int{}     // ids so far, by method
	entries := map[string][]int{} // by id
	methods := map[string]*Constructor{}
	for k := range p.Constructors {
		c := &p.Constructors[k]
		where := fmt.Sprintf("constructors[%d]", k)
		p.signature(where, c.Method, c.Params, c.Types, c.Guard)
		first := len(entries[c.ID]) == 0
		entries[c.ID] = append(entries[c.ID], k)
		if first {
			count[c.Method]++
			if want := callID(c.Method, count[c.Method]); c.ID != want {
				p.add("%s: id %q should be %q", where, c.ID, want)
			}
			for _, d := range p.Constructors[:k] {
				if d.Method == c.Method && d.Guard == c.Guard {
					p.add("%s: same guard as %s", where, d.ID)
					break
				}
			}
		} else if o := p.Constructors[entries[c.ID][0]]; o.Method != c.Method || o.Guard != c.Guard || o.Verdict != c.Verdict {
			p.add("%s: differs from another entry of %s in method, guard or verdict", where, c.ID)
		}
		if o := methods[c.Method]; o == nil {
			methods[c.Method] = c
		} else if !slices.Equal(o.Params, c.Params) || !slices.Equal(o.Types, c.Types) || !slices.Equal(o.Results, c.Results) {
			p.add("%s: parameters or results differ from those of %s", where, o.ID)
		}
		p.results(where, c.Params, c.Results)
		p.constructor(where, c)
	}
	for _, id := range slices.Sorted(maps.Keys(entries)) {
		p.folded(id, entries[id])
	}
	for _, c := range p.Calls {
		if methods[c.Method] != nil {
			p.add("constructors: %q is also a method", c.Method)
			delete(methods, c.Method)
		}
	}
}

// constructor checks one entry on its own.
func (p *problems) constructor(where string, c *Constructor) {
	v, ok := ParseVerdict(c.Verdict)
	switch {
	case !ok:
		p.add("%s: verdict %q is not allowed, fails, may-fail or unknown", where, c.Verdict)
		return
	case v != VerdictAllowed && c.State != nil:
		p.add("%s: verdict %s, but it leads to a state", where, v)
	}
	switch {
	case c.State != nil && c.Outcome == "":
		p.add("%s: it leads to a state without an outcome", where)
	case c.State == nil && c.Outcome != "":
		p.add("%s: outcome %q leads nowhere", where, c.Outcome)
	}
	if v == VerdictUnknown != (c.Reason != "") {
		p.add("%s: a reason is given iff the verdict is unknown", where)
	}
	if !v.Forbidden() && (len(c.Errors) > 0 || len(c.Witness) > 0) {
		p.add("%s: verdict %s, but it has errors or a witness", where, v)
	}
	if c.State == nil && len(c.Update) > 0 {
		p.add("%s: update leads nowhere", where)
	}
	p.sites(where, c.Errors)
	p.witness(where, c.Witness, c.Method)
}

// folded checks that the entries of a constructor use "*" where they must.
func (p *problems) folded(id string, entries []int) {
	if len(entries) == 1 {
		if c := p.Constructors[entries[0]]; c.State != nil && c.Outcome != "*" {
			p.add("constructors[%d]: the only outcome of %s is written \"*\"", entries[0], id)
		}
		return
	}
	same := true
	for _, k := range entries {
		c, first := p.Constructors[k], p.Constructors[entries[0]]
		if c.State == nil {
			p.add("constructors[%d]: an entry of %s that leads nowhere is its only one", k, id)
			return
		}
		if c.Outcome == "*" {
			p.add("constructors[%d]: outcome \"*\" of %s is not its only entry", k, id)
			return
		}
		same = same && first.State != nil && *c.State == *first.State && maps.Equal(c.Update, first.Update)
	}
	if same {
		p.add("constructors[%d]: all outcomes of %s lead to the same state: write one entry with \"*\"", entries[0], id)
	}
}

func (p *problems) calls() {
	count := map[string]int{}
	methods := map[string]*Call{}
	for k := range p.Calls {
		c := &p.Calls[k]
		where := fmt.Sprintf("calls[%d]", k)
		p.signature(where, c.Method, c.Params, c.Types, c.Guard)
		count[c.Method]++
		if want := callID(c.Method, count[c.Method]); c.ID != want {
			p.add("%s: id %q should be %q", where, c.ID, want)
		}
		for _, d := range p.Calls[:k] {
			if d.Method == c.Method && d.Guard == c.Guard {
				p.add("%s: same guard as %s", where, d.ID)
				break
			}
		}
		if o := methods[c.Method]; o == nil {
			methods[c.Method] = c
		} else if !slices.Equal(o.Params, c.Params) || !slices.Equal(o.Types, c.Types) || !slices.Equal(o.Outcomes, c.Outcomes) || !slices.Equal(o.Results, c.Results) || !slices.Equal(o.Returns, c.Returns) {
			p.add("%s: parameters, results or outcomes differ from those of %s", where, o.ID)
		}
		p.results(where, c.Params, c.Results)
		for n, r := range c.Returns {
			if r.Name == "" || r.Type == "" {
				p.add("%s: returns[%d] has no name or no type", where, n)
			}
		}
		if len(c.Outcomes) == 0 {
			p.add("%s: no outcomes", where)
		}
		for n, o := range c.Outcomes {
			if o == "" || o == "*" {
				p.add("%s: %q is not the name of an outcome", where, o)
			}
			if slices.Index(c.Outcomes, o) < n {
				p.add("%s: two outcomes %q", where, o)
			}
		}
	}
}

func (p *problems) states() {
	types := map[string]string{} // of registers
	for k, s := range p.States {
		where := fmt.Sprintf("states[%d]", k)
		if s.ID != k {
			p.add("%s: id %d is not the index", where, s.ID)
		}
		for n, r := range s.Registers {
			if r.Name == "" || r.Type == "" {
				p.add("%s: register %d has no name or no type", where, n+1)
			}
			if slices.ContainsFunc(s.Registers[:n], func(o Register) bool { return o.Name == r.Name }) {
				p.add("%s: two registers %q", where, r.Name)
			}
			if t, ok := types[r.Name]; ok && t != r.Type {
				p.add("%s: register %q has type %s, and %s in another state", where, r.Name, r.Type, t)
			}
			types[r.Name] = r.Type
		}
	}
}

func (p *problems) annotations() {
	for _, l := range []struct {
		name string
		list []string
	}{{"conventions", p.Conventions}, {"contracts", p.Contracts}} {
		for k, s := range l.list {
			if s == "" {
				p.add("%s[%d]: empty", l.name, k)
			}
			if slices.Index(l.list, s) < k {
				p.add("%s[%d]: %q is listed twice", l.name, k, s)
			}
		}
	}
	for k, a := range p.Approximations {
		if a.What == "" {
			p.add("approximations[%d]: it does not say what", k)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Stats)) {
		if p.Stats[name] < 0 {
			p.add("stats.%s: %d is not a count", name, p.Stats[name])
		}
	}
	if c := p.Certificate; c != nil {
		p.hash("certificate.program", c.Program)
		if c.Program != p.Component.Program {
			p.add("certificate.program: it speaks of another program than component.program")
		}
	}
}

// edges checks outcomes, "*" and updates.
func (p *problems) edges(l *layout) {
	for k, e := range p.Edges {
		where := fmt.Sprintf("edges[%d]", k)
		c := p.Calls[l.call[e.Call]]
		if e.Outcome != "*" && !slices.Contains(c.Outcomes, e.Outcome) {
			p.add("%s: %s has no outcome %q", where, e.Call, e.Outcome)
		}
		of := l.edges[cell{l.state[e.From], l.call[e.Call]}]
		same := !slices.ContainsFunc(of, func(n int) bool { return !sameTarget(&e, &p.Edges[n]) })
		if same && e.Outcome != "*" && of[0] == k {
			p.add("%s: all outcomes of %s in state %d lead to state %d: write one edge with \"*\"", where, e.Call, e.From, e.To)
		}
		p.update(where, p.States[l.state[e.From]].Registers, p.States[l.state[e.To]].Registers, e.Update, c.Params, c.Results)
	}
	for k, c := range p.Constructors {
		where := fmt.Sprintf("constructors[%d]", k)
		if c.State != nil {
			p.update(where, nil, p.States[l.state[*c.State]].Registers, c.Update, c.Params, c.Results)
		}
		if e, err := parseGuard(c.Guard); err == nil {
			for _, name := range names(e) {
				if p.register(name) && !slices.Contains(c.Params, name) {
					p.add("%s: the guard mentions register %q, which has no value yet", where, name)
				}
			}
		}
	}
}

// register reports whether some state has a register of that name.
func (p *problems) register(name string) bool {
	return slices.ContainsFunc(p.States, func(s State) bool {
		return slices.ContainsFunc(s.Registers, func(r Register) bool { return r.Name == name })
	})
}

// update checks that every register of the target gets a value, from what is
// known in the source. A name that is neither a parameter nor a result nor a
// register is a value of an enum, which the file does not list.
func (p *problems) update(where string, from, to []Register, update map[string]string, params []string, results []Register) {
	has := func(list []Register, name string) bool {
		return slices.ContainsFunc(list, func(r Register) bool { return r.Name == name })
	}
	for _, r := range to {
		if _, ok := update[r.Name]; !ok && !slices.Contains(from, r) {
			p.add("%s: register %q of the target gets no value", where, r.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(update)) {
		if !has(to, name) {
			p.add("%s: update of %q, which is no register of the target", where, name)
		}
		if update[name] == "" {
			p.add("%s: update of %q is empty", where, name)
			continue
		}
		e, err := parseGuard(update[name])
		if err != nil {
			p.add("%s: update of %q: %v", where, name, err)
			continue
		}
		for _, v := range names(e) {
			if p.register(v) && !slices.Contains(params, v) && !has(results, v) && !has(from, v) {
				p.add("%s: update of %q mentions register %q, which the source does not have", where, name, v)
			}
		}
	}
}

// reachable checks that every state is reachable by edges.
func (p *problems) reachable() {
	out := map[int][]int{}
	for _, e := range p.Edges {
		out[e.From] = append(out[e.From], e.To)
	}
	reached := map[int]bool{}
	var queue []int
	reach := func(s int) {
		if !reached[s] {
			reached[s] = true
			queue = append(queue, s)
		}
	}
	for _, c := range p.Constructors {
		if c.State != nil {
			reach(*c.State)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, t := range out[queue[0]] {
			reach(t)
		}
	}
	for k, s := range p.States {
		if !reached[s.ID] {
			p.add("states[%d]: not reachable from a constructor", k)
		}
	}
}

// cells checks the contents of forbidden, unknown and uncovered cells.
func (p *problems) cells() {
	method := map[string]string{}
	for _, c := range p.Calls {
		method[c.ID] = c.Method
	}
	for k, f := range p.Forbidden {
		where := fmt.Sprintf("forbidden[%d]", k)
		if v, ok := ParseVerdict(f.Verdict); !ok || !v.Forbidden() {
			p.add("%s: verdict %q is not fails or may-fail", where, f.Verdict)
		}
		p.sites(where, f.Errors)
		p.witness(where, f.Witness, method[f.Call])
	}
	for k, u := range p.Unknown {
		if u.Reason == "" {
			p.add("unknown[%d]: no reason", k)
		}
	}
	for k, u := range p.Uncovered {
		where := fmt.Sprintf("uncovered[%d]", k)
		if u.Reason == "" {
			p.add("%s: no reason", where)
		}
		p.sites(where, []ErrorSite{u.Site})
	}
}

func (p *problems) sites(where string, sites []ErrorSite) {
	for k, s := range sites {
		if s.Kind == "" {
			p.add("%s: error site %d has no kind", where, k+1)
		}
	}
}

// witness checks that the steps of a witness name what exists. A witness ends
// with the call that errs, except in the infinite-word reading, where the call
// may be forbidden because of what must follow it.
func (p *problems) witness(where string, word []Step, method string) {
	for k, s := range word {
		at := fmt.Sprintf("%s: witness step %d", where, k+1)
		var params, outcomes []string
		var results []Register
		found := false
		if c := slices.IndexFunc(p.Calls, func(c Call) bool { return c.Method == s.Call }); c >= 0 {
			found, params, outcomes, results = true, p.Calls[c].Params, p.Calls[c].Outcomes, p.Calls[c].Results
		} else if c := slices.IndexFunc(p.Constructors, func(c Constructor) bool { return c.Method == s.Call }); c >= 0 && k == 0 {
			found, params, results = true, p.Constructors[c].Params, p.Constructors[c].Results
		}
		if !found {
			p.add("%s: no method %q", at, s.Call)
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(s.Args)) {
			if !slices.Contains(params, name) {
				p.add("%s: %s has no parameter %q", at, s.Call, name)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(s.Results)) {
			if !slices.ContainsFunc(results, func(r Register) bool { return r.Name == name }) {
				p.add("%s: %s has no result %q that an update mentions", at, s.Call, name)
			}
		}
		if s.Outcome == "*" || s.Outcome != "" && outcomes != nil && !slices.Contains(outcomes, s.Outcome) {
			p.add("%s: %s has no outcome %q", at, s.Call, s.Outcome)
		}
	}
	if len(word) == 0 || p.Component.Serial {
		return
	}
	if last := word[len(word)-1]; last.Call != method || last.Outcome != "" {
		p.add("%s: the witness does not end with a call of %s without an outcome", where, method)
	}
}

// replay runs each witness. A witness that cannot be followed (a guard that
// cannot be evaluated, an outcome left out) passes; one that is followed to
// another place than the call it explains does not.
func (p *problems) replay() {
	if p.Component.Serial {
		return
	}
	x := newIndex(p.Interface)
	check := func(where string, word []Step, state int, call string) {
		if len(word) == 0 {
			return
		}
		a := x.accepts(word)
		switch a.Kind {
		case StepUnknown, StepAmbiguous:
			return
		case StepForbidden:
			if a.Pos == len(word)-1 && a.From == state && (a.Call == call || a.several) {
				return
			}
			p.add("%s: witness step %d calls %s in state %d, which is forbidden there", where, a.Pos+1, a.Call, a.From)
		case StepNext:
			p.add("%s: the witness is allowed", where)
		default:
			p.add("%s: witness step %d: %s", where, a.Pos+1, a.Reason)
		}
	}
	for k, c := range p.Constructors {
		check(fmt.Sprintf("constructors[%d]", k), c.Witness, -1, c.ID)
	}
	for k, f := range p.Forbidden {
		check(fmt.Sprintf("forbidden[%d]", k), f.Witness, f.State, f.Call)
	}
}
