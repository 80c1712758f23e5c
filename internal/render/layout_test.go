// SPDX-License-Identifier: Apache-2.0

package render

// This file checks layouts geometrically: boxes do not touch each other, lines
// do not touch boxes they do not belong to, and every edge can be followed along
// its lines from its source to the arrow head at its target.

import (
	"fmt"
	"math/rand"
	"strconv"
	"testing"

	"github.com/interlock-go/interlock/typestate"
)

// randomInterface returns an interface with n states.
func randomInterface(r *rand.Rand, n int) *typestate.Interface {
	i := &typestate.Interface{Format: typestate.Format}
	i.Component.Name = "Random"
	outcomes := []string{"true", "false", "(nil, non-nil)"}
	for c := range 1 + r.Intn(8) {
		name := "call" + strconv.Itoa(c)
		if r.Intn(4) == 0 {
			name += "WithAVeryLongName" + strconv.Itoa(c*c*c*c*c)
		}
		i.Calls = append(i.Calls, typestate.Call{ID: name, Method: name, Guard: "true", Outcomes: outcomes})
	}
	for s := range n {
		label := ""
		for range r.Intn(9) {
			label += []string{"x", "closed", "&&", "count >= limit", "||", "veryLongIdentifierWithoutAnyBreak"}[r.Intn(6)] + " "
		}
		i.States = append(i.States, typestate.State{ID: s, Label: label})
		for _, c := range i.Calls {
			switch k := r.Intn(6); {
			case k < 2:
				i.Forbidden = append(i.Forbidden, typestate.Forbidden{State: s, Call: c.ID, Verdict: []string{"fails", "may-fail"}[r.Intn(2)]})
			case k < 4:
				i.Edges = append(i.Edges, typestate.Edge{From: s, Call: c.ID, Outcome: "*", To: r.Intn(n)})
			case k == 4:
				to := min(s+r.Intn(3), n-1)
				i.Edges = append(i.Edges, typestate.Edge{From: s, Call: c.ID, Outcome: "*", To: to})
				i.Unknown = append(i.Unknown, typestate.Unknown{State: s, Call: c.ID, Reason: "budget"})
			default:
				for _, o := range outcomes[:2] {
					i.Edges = append(i.Edges, typestate.Edge{From: s, Call: c.ID, Outcome: o, To: r.Intn(n)})
				}
			}
		}
	}
	for c := range 1 + r.Intn(3) {
		to := 0
		if c > 0 {
			to = r.Intn(n)
		}
		i.Constructors = append(i.Constructors, typestate.Constructor{ID: "new" + strconv.Itoa(c), Guard: "true", Outcome: "*", State: &to, Verdict: "allowed"})
	}
	return i
}

func TestGeometry(t *testing.T) {
	for name, i := range samples(t) {
		s, err := newSheet(i)
		if err != nil {
			t.Fatal(err)
		}
		if problem := misdrawn(newPicture(s)); problem != "" {
			t.Errorf("%s: %s", name, problem)
		}
	}
	count := 300
	if testing.Short() {
		count = 60
	}
	r := rand.New(rand.NewSource(2))
	for n := range count {
		i := randomInterface(r, 1+r.Intn(30))
		s, err := newSheet(i)
		if err != nil {
			t.Fatal(err)
		}
		if problem := misdrawn(newPicture(s)); problem != "" {
			t.Fatalf("random interface %d with %d states: %s", n, len(i.States), problem)
		}
	}
}

// A named box is something lines and other boxes must keep away from.
type namedBox struct {
	name string
	rect
}

func (a rect) meets(b rect) bool {
	return 2*abs(a.x-b.x) < a.w+b.w && 2*abs(a.y-b.y) < a.h+b.h
}

func (a rect) holds(x, y int) bool { return 2*abs(x-a.x) < a.w && 2*abs(y-a.y) < a.h }

func abs(n int) int { return max(n, -n) }

// misdrawn returns what is wrong with a picture, "" if nothing is.
func misdrawn(p *picture) string {
	var boxes []namedBox
	for k, r := range p.nodes {
		boxes = append(boxes, namedBox{fmt.Sprintf("state %d", k), r})
		if loop := p.drawing.loops[k]; loop.w > 0 {
			// The loop itself counts as part of its label.
			left := r.x + r.w/2 + 1
			right := loop.x + loop.w/2
			boxes = append(boxes, namedBox{fmt.Sprintf("loop at %d", k), rect{(left + right) / 2, loop.y, right - left, loop.h}})
		}
		if start := p.drawing.starts[k]; start.w > 0 {
			boxes = append(boxes, namedBox{fmt.Sprintf("start at %d", k), start})
		}
	}
	for _, w := range p.wires {
		if w.arcs != nil {
			boxes = append(boxes, namedBox{fmt.Sprintf("label of arc %d", w.arcs[0]), w.label})
		}
	}
	for k, a := range boxes {
		if a.w <= 0 || a.h <= 0 {
			return a.name + " is empty"
		}
		if a.x-a.w/2 < 0 || a.y-a.h/2 < 0 || a.x+a.w/2 > p.w || a.y+a.h/2 > p.h {
			return a.name + " is outside of the picture"
		}
		for _, b := range boxes[:k] {
			if a.meets(b.rect) {
				return a.name + " meets " + b.name
			}
		}
	}
	for n, w := range p.wires {
		for _, l := range w.lines {
			if l.top > l.y1 || l.y1 >= l.y2 || l.y2 > l.bottom {
				return fmt.Sprintf("wire %d does not run downwards: %+v", n, l)
			}
			around := rect{(l.x1 + l.x2) / 2, (l.top + l.bottom) / 2, abs(l.x1-l.x2) + 4, l.bottom - l.top + 4}
			for _, b := range boxes {
				if !b.meets(around) {
					continue
				}
				for _, pt := range points(l) {
					if b.holds(pt[0], pt[1]) {
						return fmt.Sprintf("wire %d runs through %s", n, b.name)
					}
				}
			}
		}
	}
	return unconnected(p)
}

// points returns points of a line close to each other.
func points(l line) [][2]int {
	list := [][2]int{{l.x1, l.top}, {l.x1, (l.top + l.y1) / 2}, {l.x2, (l.y2 + l.bottom) / 2}, {l.x2, l.bottom}}
	const steps = 16
	mid := (l.y1 + l.y2) / 2
	for k := range steps + 1 {
		u, v := k, steps-k
		bezier := func(a, b, c, d int) int {
			return (v*v*v*a + 3*v*v*u*b + 3*v*u*u*c + u*u*u*d) / (steps * steps * steps)
		}
		list = append(list, [2]int{bezier(l.x1, l.x1, l.x2, l.x2), bezier(l.y1, mid, mid, l.y2)})
	}
	return list
}

// unconnected checks that each arc belongs to one wire and that its lines lead
// from the side of its source to the head at the side of its target.
func unconnected(p *picture) string {
	seen := make([]int, len(p.chart.arcs))
	for n, w := range p.wires {
		for _, k := range w.arcs {
			seen[k]++
			a := p.chart.arcs[k]
			from, to := p.nodes[a.from], p.nodes[a.to]
			if a.key != p.chart.arcs[w.arcs[0]].key || a.to != p.chart.arcs[w.arcs[0]].to {
				return fmt.Sprintf("wire %d bundles arcs that differ", n)
			}
			type pt struct{ x, y int }
			// Walk from the head to the side of the source.
			at := []pt{{w.head.x, w.head.y}}
			found := false
			walked := make([]bool, len(w.lines))
			for ; len(at) > 0 && !found; at = at[1:] {
				for k, l := range w.lines {
					if walked[k] {
						continue
					}
					near, far := pt{l.x1, l.top}, pt{l.x2, l.bottom}
					side := from.y - from.h/2
					if !w.head.up {
						near, far = far, near
						side = from.y + from.h/2
					}
					// A label interrupts a line; its ends count as one.
					joined := near == at[0] || near.x == at[0].x && abs(near.y-at[0].y) == w.label.h && w.label.x == near.x
					if !joined {
						continue
					}
					walked[k] = true
					at = append(at, far)
					if far.y == side && 2*abs(far.x-from.x) <= from.w {
						found = true
					}
				}
			}
			edge := to.y - to.h/2
			if w.head.up {
				edge = to.y + to.h/2
			}
			if w.head.y != edge || 2*abs(w.head.x-to.x) > to.w {
				return fmt.Sprintf("head of arc %d is not at state %d", k, a.to)
			}
			if !found {
				return fmt.Sprintf("arc %d cannot be followed from state %d to state %d", k, a.from, a.to)
			}
		}
	}
	for k, n := range seen {
		if n != 1 {
			return fmt.Sprintf("arc %d is drawn %d times", k, n)
		}
	}
	return ""
}

// TestLevels checks all graphs of up to four states: no arc is level, the first
// root comes at the top, and an arc that is not on a cycle runs downwards.
func TestLevels(t *testing.T) {
	for n := 1; n <= 4; n++ {
		var pairs [][2]int
		for u := range n {
			for v := range n {
				if u != v {
					pairs = append(pairs, [2]int{u, v})
				}
			}
		}
		for set := range 1 << len(pairs) {
			var arcs []arc
			reach := make([][]bool, n)
			for u := range reach {
				reach[u] = make([]bool, n)
				reach[u][u] = true
			}
			for k, p := range pairs {
				if set>>k&1 == 1 {
					arcs = append(arcs, arc{from: p[0], to: p[1]})
					reach[p[0]][p[1]] = true
				}
			}
			for k := range n {
				for u := range n {
					for v := range n {
						reach[u][v] = reach[u][v] || reach[u][k] && reach[k][v]
					}
				}
			}
			level := levels(n, arcs, []int{0})
			for _, a := range arcs {
				if level[a.from] == level[a.to] {
					t.Fatalf("%v: arc %v is level: %v", arcs, a, level)
				}
				if !reach[a.to][a.from] && level[a.from] > level[a.to] {
					t.Fatalf("%v: arc %v runs upwards: %v", arcs, a, level)
				}
			}
			for v := range n {
				if reach[0][v] && v != 0 && reach[v][0] && level[v] < level[0] {
					t.Fatalf("%v: state %d is above the root: %v", arcs, v, level)
				}
			}
		}
	}
}

// TestPool compares pooling with all positions on a small grid.
func TestPool(t *testing.T) {
	const grid = 7
	offset := []int{0, 1, 3}
	for a := range grid {
		for b := range grid {
			for c := range grid {
				wishes := [][2]int{{a * 60, 1}, {b * 60, 2}, {c * 60, 3}}
				scaled := []int{0, 60, 180}
				x := pool(wishes, scaled)
				cost := func(x []int) int {
					sum := 0
					for k, w := range wishes {
						sum += w[1] * (x[k] - w[0]) * (x[k] - w[0])
					}
					return sum
				}
				for k := 1; k < 3; k++ {
					if x[k]-x[k-1] < scaled[k]-scaled[k-1] {
						t.Fatalf("%v: too close: %v", wishes, x)
					}
				}
				// Slack: a rounding of at most one per item.
				slack := 2*6*grid*60 + 6
				for i := -grid; i < 2*grid; i++ {
					for j := i + offset[1]; j < 2*grid; j++ {
						for k := j + offset[2] - offset[1]; k < 2*grid; k++ {
							if y := []int{i * 60, j * 60, k * 60}; cost(y)+slack < cost(x) {
								t.Fatalf("%v: %v costs less than %v", wishes, y, x)
							}
						}
					}
				}
			}
		}
	}
}

// TestLarge checks that a chart far beyond what can be read is still drawn.
func TestLarge(t *testing.T) {
	s, err := newSheet(randomInterface(rand.New(rand.NewSource(3)), 150))
	if err != nil {
		t.Fatal(err)
	}
	if problem := misdrawn(newPicture(s)); problem != "" {
		t.Error(problem)
	}
}
