// SPDX-License-Identifier: Apache-2.0

package run

// This file joins an interface with what was seen. A state of the result is a state of the interface and a set of
// states of the learned automaton, those that the object may be in as far as was seen; it is empty
// where no run got to. Verdicts of the interface stay; what runs did in cells that
// are unknown or uncovered is put beside them. The counts come from the traces, not from the
// learned automaton: that only says which states there are.

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

// A Ref is what a start or a call of a driver is in an interface.
type Ref struct {
	Text  string // as people write it
	ID    string // of the constructor or call; "" is any constructor that leads to State
	State int    // where a start leads
	// Sure says that the interface has proved that the start does not err.
	Sure  bool
	Known typestate.Known // what guards see of the arguments
	// IDs are those of the calls that it may be, if that depends on what the interface remembers.
	IDs []string
}

// A Contradiction is a trace that an interface says cannot be.
type Contradiction struct {
	Word Word
	Text []string // the calls, with what all but the last returned
	Says string   // what the interface says
	step Step
}

func (c Contradiction) String() string {
	return fmt.Sprintf("%s (%v): the interface says %s", strings.Join(c.Text, "; "), c.step, c.Says)
}

// A point is a state of the product.
type point struct {
	state int
	set   []int
}

type joiner struct {
	i             *typestate.Interface
	starts, calls []Ref
	l             *Learned
	m             *machine

	verdicts map[typestate.Impossible]string // "impossible" and "uncovered" besides verdicts
	edges    map[typestate.Impossible]map[string]typestate.Edge
	memory   *memory

	points  []point
	number  map[string]int
	next    []map[string]map[string]int // by point, call and outcome
	counts  []map[string]*count         // by point and call
	run     map[int]*Node               // a shortest trace to a point
	samples map[int][]*Node             // some traces to a point
	coarse  bool                        // all learned states are one: there are too many of them

	contradictions []Contradiction
}

// A count is what was seen of a call.
type count struct {
	words, erred int
	first        *Node // a shortest trace in which it did not err
	err          *Node // a shortest in which it did
}

// A Runs is what an interface is joined with.
type Runs struct {
	Learned       *Learned
	Starts, Calls []Ref
	Tested        typestate.Tested // but for the words, and what was tried
}

// fillRounds is how often words are run for open cells of which nothing was seen, although a trace
// got to the state. New words may get to new states.
const fillRounds = 4

// Join returns the interface with what was seen, and the traces that contradict it. The pool runs words for
// cells that learning has passed by; it may be nil.
func Join(ctx context.Context, i *typestate.Interface, r Runs, pool *Pool) (*typestate.Interface, []Contradiction, error) {
	for round := 0; ; round++ {
		j := newJoiner(r, i, nil)
		for _, m := range r.Learned.machines() {
			finer := newJoiner(r, i, m)
			if !finer.follow() {
				continue
			}
			if _, classes := finer.classes(); classes <= max(maxJoined, 2*len(i.States)) {
				j = finer
				break
			}
		}
		if j.coarse && !j.follow() {
			return nil, nil, fmt.Errorf("joining the interface with runs takes more than %d states", maxPoints)
		}
		words := j.missing()
		if pool == nil || round == fillRounds || len(words) == 0 {
			tested := r.Tested
			tested.Words, tested.Tried = r.Learned.Words, tried(j.starts, j.calls)
			class, classes := j.classes()
			out := j.build(tested, class, classes)
			if pool != nil {
				if err := j.label(ctx, pool, out, class); err != nil {
					return nil, nil, err
				}
			}
			return out, j.contradictions, nil
		}
		answers, err := pool.Run(ctx, words)
		if err != nil {
			return nil, nil, err
		}
		for k, a := range answers {
			r.Learned.tree.record(words[k], a, pool.Errs)
		}
		r.Learned.Words = pool.Words
	}
}

// maxJoined bounds the states of the result, unless the interface has many itself: nobody reads more.
const maxJoined = 90

// newJoiner prepares to join an interface with a machine, or with runs alone if that is nil.
func newJoiner(r Runs, i *typestate.Interface, m *machine) *joiner {
	i, starts, calls := r.divided(i, m)
	j := &joiner{i: i, starts: starts, calls: calls, l: r.Learned, m: m, coarse: m == nil, verdicts: map[typestate.Impossible]string{}, edges: map[typestate.Impossible]map[string]typestate.Edge{}, number: map[string]int{}, run: map[int]*Node{}, samples: map[int][]*Node{}}
	j.memory = newMemory(i)
	for _, e := range i.Edges {
		at := typestate.Impossible{State: e.From, Call: e.Call}
		if j.edges[at] == nil {
			j.edges[at] = map[string]typestate.Edge{}
		}
		j.edges[at][e.Outcome] = e
	}
	for _, s := range i.States {
		for _, c := range i.Calls {
			j.verdicts[typestate.Impossible{State: s.ID, Call: c.ID}] = i.Verdict(s.ID, c.ID).String()
		}
	}
	for _, u := range i.Uncovered {
		if at := (typestate.Impossible{State: u.State, Call: u.Call}); j.verdicts[at] == typestate.VerdictAllowed.String() {
			j.verdicts[at] = uncovered
		}
	}
	for _, m := range i.Impossible {
		j.verdicts[m] = impossible
	}
	return j
}

// follow finds the points and follows all traces, unless there are too many points.
func (j *joiner) follow() bool {
	if !j.explore(0) {
		return false
	}
	j.count()
	from := len(j.points)
	j.forget()
	return j.explore(from)
}

// missing are words that make calls of which nothing is proved nor seen, after a shortest trace to a point.
func (j *joiner) missing() (words []Word) {
	for p := range j.points {
		n := j.run[p]
		if n == nil {
			continue
		}
		for c, r := range j.calls {
			verdict := j.verdicts[typestate.Impossible{State: j.points[p].state, Call: r.ID}]
			if open := len(r.IDs) > 1 || verdict == uncovered || verdict == typestate.VerdictUnknown.String(); open && j.counts[p][r.ID] == nil {
				w := n.Word()
				words = append(words, Word{w.Start, append(w.Calls, c)})
			}
		}
	}
	return words
}

const (
	uncovered  = "uncovered"
	impossible = "impossible"
)

// anyState stands for all learned states, where a joiner is coarse or there are many.
const anyState = -1

// maxSet bounds the learned states of a point. There are several if arguments that are one call lead to different ones;
// their sets grow exponentially, and what is known of large ones is of little use.
const maxSet = 2

func (j *joiner) point(state int, set []int) int {
	slices.Sort(set)
	if set = slices.Compact(set); j.coarse && len(set) > 0 || len(set) > maxSet || slices.Contains(set, anyState) {
		set = []int{anyState}
	}
	key := fmt.Sprint(state, set)
	n, ok := j.number[key]
	if !ok {
		n = len(j.points)
		j.number[key] = n
		j.points = append(j.points, point{state, set})
		j.counts = append(j.counts, map[string]*count{})
	}
	return n
}

// step are the successors of learned states, none if that was not seen.
func (j *joiner) step(set []int, l letter) (to []int) {
	x, ok := j.l.tree.number[l]
	if !ok || len(set) == 0 {
		return nil
	}
	if j.coarse || set[0] == anyState {
		return []int{anyState}
	}
	for _, s := range set {
		if t, seen := j.m.states[s].next[x]; seen {
			to = append(to, t)
		}
	}
	return to
}

// begins returns the learned states in which a constructor entry leaves an object.
func (j *joiner) begins(c typestate.Constructor) (set []int) {
	for n, s := range j.starts {
		x, ok := j.l.tree.number[letter{true, n, "return"}]
		if !ok || s.State != *c.State || s.ID != c.ID && s.ID != "" {
			continue
		}
		if j.coarse {
			return []int{anyState}
		}
		if to, ok := j.m.start[x]; ok {
			set = append(set, to)
		}
	}
	return set
}

// maxPoints bounds the product. Each point costs a map per call.
const maxPoints = 5000

// explore finds the points that follow those from a number on, unless there are too many.
func (j *joiner) explore(from int) bool {
	for _, c := range j.i.Constructors {
		if c.State != nil {
			j.point(*c.State, j.begins(c))
		}
	}
	for n := from; n < len(j.points); n++ {
		if n >= maxPoints {
			return false
		}
		next := map[string]map[string]int{}
		for _, c := range j.i.Calls {
			next[c.ID] = map[string]int{}
			edges := j.edges[typestate.Impossible{State: j.points[n].state, Call: c.ID}]
			for _, o := range c.Outcomes {
				e, ok := edges[o]
				if !ok {
					e, ok = edges["*"]
				}
				if !ok {
					continue
				}
				var set []int
				for k, r := range j.calls {
					if r.ID == c.ID || slices.Contains(r.IDs, c.ID) {
						set = append(set, j.step(j.points[n].set, letter{false, k, o})...)
					}
				}
				next[c.ID][o] = j.point(e.To, set)
			}
		}
		j.next = append(j.next, next)
	}
	return true
}

// count follows all traces that were seen.
func (j *joiner) count() {
	type at struct {
		n     *Node
		point int
		known typestate.Known // what the interface remembers
	}
	var queue []at
	for s, r := range j.starts {
		e := j.l.Root.edges[s]
		if e == nil {
			continue
		}
		for _, n := range e.next {
			if n.Errs && !n.Guess && r.Sure {
				j.contradict(n, "that it does not err")
			}
			if n.Ended {
				continue
			}
			for _, c := range j.i.Constructors {
				if c.State != nil && *c.State == r.State && (r.ID == c.ID || r.ID == "") {
					queue = append(queue, at{n, j.point(*c.State, j.begins(c)), j.memory.begin(c, r)})
					break
				}
			}
		}
	}
	for k := 0; k < len(queue); k++ {
		q := queue[k]
		if j.run[q.point] == nil {
			j.run[q.point] = q.n
		}
		if list := j.samples[q.point]; len(list) < samplesEach {
			j.samples[q.point] = append(list, q.n)
		} else {
			list[samplesEach/2+k%(samplesEach-samplesEach/2)] = q.n // a long one
		}
		for _, c := range q.n.ordered(len(j.calls)) {
			id, ok := j.memory.call(j.calls[c], q.known)
			if !ok {
				continue
			}
			for _, n := range q.n.edges[c].next {
				if to, ok := j.judge(q.point, n, id); ok {
					queue = append(queue, at{n, to, j.memory.update(j.edge(q.point, id, n.Step.Text), j.calls[c], q.known)})
				}
			}
		}
	}
}

// judge compares the last call of a trace with the interface. It returns where it leads, if it can be
// followed.
func (j *joiner) judge(p int, n *Node, id string) (to int, ok bool) {
	verdict := j.verdicts[typestate.Impossible{State: j.points[p].state, Call: id}]
	switch verdict {
	case impossible:
		j.contradict(n, "that it cannot be made")
		return 0, false
	case typestate.VerdictMayFail.String():
		return 0, false
	case typestate.VerdictFails.String():
		if n.Step.Did == Returned && !n.Errs {
			j.contradict(n, "that it fails")
		}
		return 0, false
	case typestate.VerdictAllowed.String():
		if n.Errs && !n.Guess {
			j.contradict(n, "that it is allowed")
		}
	default:
		c := j.counts[p][id]
		if c == nil {
			c = &count{}
			j.counts[p][id] = c
		}
		c.words++
		if n.Errs {
			c.erred++
			if c.err == nil {
				c.err = n
			}
		} else if c.first == nil {
			c.first = n
		}
	}
	if n.Ended || n.Step.Text == "" {
		return 0, false
	}
	to, ok = j.next[p][id][n.Step.Text]
	if !ok && verdict == typestate.VerdictAllowed.String() {
		j.contradict(n, "that this outcome cannot happen")
	}
	return to, ok
}

// edge is the edge of an outcome of a call in a point.
func (j *joiner) edge(p int, id, outcome string) typestate.Edge {
	edges := j.edges[typestate.Impossible{State: j.points[p].state, Call: id}]
	if e, ok := edges[outcome]; ok {
		return e
	}
	return edges["*"]
}

func (j *joiner) contradict(n *Node, says string) {
	j.contradictions = append(j.contradictions, Contradiction{n.Word(), j.text(n), says, n.Step})
}

// text is a trace as people read it, without what the last call did.
func (j *joiner) text(n *Node) (list []string) {
	for last := n; n.depth >= 0; n = n.parent {
		r := Ref{}
		if n.depth == 0 {
			r = j.starts[n.call]
		} else {
			r = j.calls[n.call]
		}
		text := r.Text
		if did := n.Step.String(); n != last && did != "returned" {
			text += " (" + did + ")"
		}
		list = append(list, text)
	}
	slices.Reverse(list)
	return list
}

// String says what a call did.
func (s Step) String() string {
	switch {
	case s.Did == Returned && s.Error != "":
		return fmt.Sprintf("returned the error %q", s.Error)
	case s.Did == Returned:
		return strings.TrimSpace("returned " + strings.TrimPrefix(s.Text, "return"))
	case s.Did == Fatal:
		return "was fatal: " + s.Text
	case s.Did == Memory:
		return "needed too much memory"
	}
	return strings.TrimSpace(s.Did + " " + s.Text)
}

// forget makes points that no trace got to, although the learned automaton does, ones of which nothing was seen.
func (j *joiner) forget() {
	for n := range j.next {
		for call, outcomes := range j.next[n] {
			for o, to := range outcomes {
				if j.run[to] == nil {
					j.next[n][call][o] = j.point(j.points[to].state, nil)
				}
			}
		}
	}
}

// classes merges points of one state of the interface in which the same was seen, now and later.
func (j *joiner) classes() (class []int, classes int) {
	class = make([]int, len(j.points))
	for {
		number := map[string]int{}
		next := make([]int, len(class))
		for n, p := range j.points {
			var b strings.Builder
			fmt.Fprint(&b, class[n], " ", p.state)
			for _, c := range j.i.Calls {
				seen := typestate.VerdictUnknown
				if k := j.counts[n][c.ID]; k != nil {
					seen = typestate.SeenVerdict(k.words, k.erred)
				}
				fmt.Fprint(&b, " ", seen)
				for _, o := range c.Outcomes {
					to, ok := j.next[n][c.ID][o]
					if ok {
						to = class[to] + 1
					}
					fmt.Fprint(&b, ",", to)
				}
			}
			if _, ok := number[b.String()]; !ok {
				number[b.String()] = len(number)
			}
			next[n] = number[b.String()]
		}
		class = next
		if len(number) == classes {
			return class, classes
		}
		classes = len(number)
	}
}

// build writes the interface.
func (j *joiner) build(tested typestate.Tested, class []int, classes int) *typestate.Interface {
	first := make([]int, classes) // a point of each class
	copies := map[int]int{}       // classes of a state
	for n := len(j.points) - 1; n >= 0; n-- {
		first[class[n]] = n
	}
	for _, n := range first {
		copies[j.points[n].state]++
	}
	out := j.i.Clone()
	out.Tested = &tested
	out.States, out.Edges, out.Forbidden, out.Unknown, out.Impossible, out.Uncovered, out.Seen = nil, nil, nil, nil, nil, nil, nil
	for k := range out.Constructors {
		if c := &out.Constructors[k]; c.State != nil {
			to := class[j.point(*c.State, j.begins(*c))]
			c.State = &to
		}
	}
	for id, n := range first {
		p := j.points[n]
		s := j.i.States[slices.IndexFunc(j.i.States, func(s typestate.State) bool { return s.ID == p.state })]
		s.ID = id
		out.States = append(out.States, s)
		j.cells(out, id, p.state, copies[p.state] > 1)
		for _, c := range j.i.Calls {
			j.outgoing(out, id, c, n, class)
		}
	}
	total := make([]map[string]*count, classes)
	for n := range j.points {
		if total[class[n]] == nil {
			total[class[n]] = map[string]*count{}
		}
		for id, c := range j.counts[n] {
			t := total[class[n]][id]
			if t == nil {
				t = &count{}
				total[class[n]][id] = t
			}
			t.words, t.erred, t.first, t.err = t.words+c.words, t.erred+c.erred, shorter(t.first, c.first), shorter(t.err, c.err)
		}
	}
	for id, calls := range total {
		for _, call := range slices.Sorted(maps.Keys(calls)) {
			c := calls[call]
			show := c.first
			if c.err != nil {
				show = c.err
			}
			out.Seen = append(out.Seen, typestate.Seen{State: id, Call: call, Verdict: typestate.SeenVerdict(c.words, c.erred).String(), Words: c.words, Erred: c.erred, Word: j.text(show), Did: show.Step.String()})
		}
	}
	if classes != len(j.i.States) {
		out.Certificate = nil // it is of other states
		if out.Guarantees.Tight != typestate.GuaranteeNo {
			out.Guarantees.Tight = typestate.GuaranteeUnknown
		}
	}
	return out
}

// shorter is the shorter trace, the first of two of one length.
func shorter(a, b *Node) *Node {
	if a == nil || b != nil && b.depth < a.depth {
		return b
	}
	return a
}

// cells copies the cells of a state. A witness leads to one state: it is left out if there are copies.
func (j *joiner) cells(out *typestate.Interface, id, state int, copies bool) {
	for _, f := range j.i.Forbidden {
		if f.State == state {
			f.State, f.To = id, nil
			if copies {
				f.Witness = nil
			}
			out.Forbidden = append(out.Forbidden, f)
		}
	}
	for _, u := range j.i.Unknown {
		if u.State == state {
			u.State = id
			out.Unknown = append(out.Unknown, u)
		}
	}
	for _, m := range j.i.Impossible {
		if m.State == state {
			m.State = id
			out.Impossible = append(out.Impossible, m)
		}
	}
	for _, u := range j.i.Uncovered {
		if u.State == state {
			u.State = id
			out.Uncovered = append(out.Uncovered, u)
		}
	}
}

// outgoing writes the edges of a call; the canonical form makes one of those that are the same.
func (j *joiner) outgoing(out *typestate.Interface, id int, c typestate.Call, p int, class []int) {
	for _, o := range c.Outcomes {
		if n, ok := j.next[p][c.ID][o]; ok {
			out.Edges = append(out.Edges, typestate.Edge{From: id, Call: c.ID, Outcome: o, To: class[n], Update: maps.Clone(j.edge(p, c.ID, o).Update)})
		}
	}
}

// maxConfirmed is how many contradictions are looked at again.
const maxConfirmed = 10

// Confirm runs the words of contradictions again, each in a process of its own and with patience. It
// returns those that are seen again.
func Confirm(ctx context.Context, p *Program, list []Contradiction) ([]Contradiction, error) {
	fresh := *p
	fresh.Fresh = true
	pool, err := NewPool(&fresh, 1)
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	var out []Contradiction
	for _, c := range list[:min(len(list), maxConfirmed)] {
		answers, err := pool.run(ctx, []Word{c.Word}, options{patient: true})
		if err != nil {
			return nil, err
		}
		steps := answers[0].Steps
		last := steps[len(steps)-1]
		if len(steps) == len(c.Word.Calls)+1 && last.Did == c.step.Did && last.Text == c.step.Text && last.Studied == c.step.Studied {
			out = append(out, c)
		}
	}
	return out, nil
}
