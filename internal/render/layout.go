// SPDX-License-Identifier: Apache-2.0

package render

// This file and rank.go, order.go, place.go lay out a state diagram in layers,
// after Sugiyama, Tagawa and Toda (IEEE SMC, 1981). Terms:
//
// An ITEM is a box or a point in a RANK, a horizontal band. States stand in
// every second rank; the ranks between hold the labels of edges and of starts,
// so that a label has room of its own from the beginning. A SEGMENT joins items
// of neighbouring ranks. An edge is a chain of segments: from state to label to
// state, through POINTS in the ranks it passes.
//
// Lines run vertically inside bands and bend only in the GAPS between bands,
// where nothing else is. So no line can touch a box that it does not belong
// to, and boxes, which keep their distance inside a band, cannot touch each other.
//
// A BUNDLE is all edges into one state, from one direction, that bear the same
// label: they share their points and one label, and their lines join on the
// way. "close" from ten states back to the start is one line with ten
// tributaries rather than ten lines with ten labels.
//
// Splines fitted around obstacles (as Graphviz does) give rounder curves, but no
// such guarantee. Force-directed layouts were not chosen: they do not show
// where a protocol begins and which way it runs.
//
// All lengths are integers in tenths of a pixel; sizes of boxes are even.

// A chart is what is to be laid out: boxes and arcs, without content.
type chart struct {
	nodes []node
	arcs  []arc // from != to
}

type node struct {
	w, h         int // of the box
	loopW, loopH int // of the label of its self-loop; 0 for none
	startW       int // of the label of its start arrow; 0 for none
	startH       int
}

// An arc is an edge. Arcs with the same key have the same label.
type arc struct {
	from, to int
	key      string
	w, h     int // of the label
}

// A rect is a box with its centre.
type rect struct{ x, y, w, h int }

// A drawing is a chart with positions. The slices run parallel to the chart.
type drawing struct {
	w, h   int
	nodes  []rect
	loops  []rect // of labels; w == 0 for none
	starts []rect // of labels; w == 0 for none
	wires  []wire
}

// A wire is the lines of a bundle of arcs and their common label.
type wire struct {
	arcs  []int
	label rect
	lines []line
	head  head
}

// A line runs from top to bottom: straight to y1, in a curve to y2, and
// straight again.
type line struct{ x1, top, y1, x2, y2, bottom int }

// A head is the tip of an arrow.
type head struct {
	x, y int
	up   bool
}

// Distances.
const (
	loopReach = 260 // how far a self-loop goes out
	labelGap  = 60  // between a self-loop and its label
	startLead = 160 // dot and stem above the label of a start arrow
	portGap   = 160 // between lines at a node, if there is room
	portMin   = 110 // at least
	headLen   = 90
	margin    = 200
)

type kind uint8

const (
	point kind = iota // an edge passes
	stateItem
	labelItem
	startItem
)

type item struct {
	kind        kind
	of          int // state, or bundle
	rank        int
	pos         int // within the rank
	left, right int // extent from x
	h           int
	x, y        int
	up, down    []int // segments
	kin         []int // states one level away that an arc joins to this one
}

type segment struct {
	a, b   int // items; b is one rank below a
	pa, pb int // where the segment is attached, from x of the item
	weight int // how much it wants to be vertical
}

type bundle struct {
	to     int
	back   bool // it runs upwards
	arcs   []int
	label  int   // item
	chain  []int // segments
	target int   // segment at the target
}

// A layout is a chart being laid out.
type layout struct {
	chart
	level   []int // by state: its rank is 2*level+1
	items   []item
	segs    []segment
	bundles []bundle
	ranks   [][]int // items from left to right
	starts  []int   // by state: segment of its start arrow, or -1
}

func layOut(c chart) *drawing {
	l := &layout{chart: c}
	l.level = levels(len(c.nodes), c.arcs, l.roots())
	l.build()
	l.reduceCrossings()
	l.place()
	return l.draw()
}

// roots returns the states with a start arrow.
func (l *layout) roots() []int {
	var list []int
	for k, n := range l.nodes {
		if n.startW > 0 {
			list = append(list, k)
		}
	}
	return list
}

func (l *layout) rankOf(state int) int { return 2*l.level[state] + 1 }

func (l *layout) addItem(it item) int {
	l.items = append(l.items, it)
	return len(l.items) - 1
}

func (l *layout) addSegment(a, b, weight int) int {
	s := len(l.segs)
	l.segs = append(l.segs, segment{a: a, b: b, weight: weight})
	l.items[a].down = append(l.items[a].down, s)
	l.items[b].up = append(l.items[b].up, s)
	return s
}

// build makes items, bundles and segments. The item of a state has its number.
func (l *layout) build() {
	top := 0
	for k, n := range l.nodes {
		it := item{kind: stateItem, of: k, rank: l.rankOf(k), left: n.w / 2, right: n.w - n.w/2, h: n.h}
		if n.loopW > 0 {
			it.right += loopReach + labelGap + n.loopW
			it.h = max(it.h, n.loopH)
		}
		l.addItem(it)
		top = max(top, it.rank)
	}
	l.starts = make([]int, len(l.nodes))
	for k, n := range l.nodes {
		l.starts[k] = -1
		if n.startW > 0 {
			s := l.addItem(item{kind: startItem, of: k, rank: l.rankOf(k) - 1,
				left: n.startW / 2, right: n.startW - n.startW/2, h: n.startH + startLead})
			l.starts[k] = l.addSegment(s, k, 4)
		}
	}

	index := map[bundleKey]int{}
	for k, a := range l.arcs {
		key := bundleKey{a.to, l.level[a.from] > l.level[a.to], a.key}
		b, ok := index[key]
		if !ok {
			b = len(l.bundles)
			index[key] = b
			l.bundles = append(l.bundles, bundle{to: a.to, back: key.back})
		}
		l.bundles[b].arcs = append(l.bundles[b].arcs, k)
	}
	for _, a := range l.arcs {
		if d := l.level[a.from] - l.level[a.to]; d == 1 || d == -1 {
			l.items[a.from].kin = append(l.items[a.from].kin, a.to)
			l.items[a.to].kin = append(l.items[a.to].kin, a.from)
		}
	}
	load := make([]int, top+2) // width of the labels of a rank
	for b := range l.bundles {
		l.thread(b, load)
	}

	l.ranks = make([][]int, top+1)
	for k := range l.items {
		it := &l.items[k]
		it.pos = len(l.ranks[it.rank])
		l.ranks[it.rank] = append(l.ranks[it.rank], k)
	}
	// Lines leave a state side by side.
	for k := range l.nodes {
		it := &l.items[k]
		if lines := max(len(it.up), len(it.down)); lines > 1 {
			grow := even(max(0, (lines-1)*portMin+2*portMin-l.nodes[k].w))
			l.nodes[k].w += grow
			it.left += grow / 2
			it.right += grow - grow/2
		}
	}
}

type bundleKey struct {
	to   int
	back bool
	key  string
}

// thread makes the items and segments of a bundle. The ranks that all its arcs
// pass lie next to the target; the label goes to the least crowded of them.
func (l *layout) thread(n int, load []int) {
	b := &l.bundles[n]
	dir := -1 // from target towards sources
	if b.back {
		dir = 1
	}
	target := l.rankOf(b.to)
	near, far := 1<<30, 0 // distance of sources
	for _, k := range b.arcs {
		d := (l.rankOf(l.arcs[k].from) - target) * dir
		near, far = min(near, d), max(far, d)
	}
	a := l.arcs[b.arcs[0]]
	best := -1
	for d := near - 1; d > 0; d -= 2 { // nearest to the source first
		if r := target + d*dir; best < 0 || load[r] < load[target+best*dir] {
			best = d
		}
	}
	load[target+best*dir] += a.w

	join := func(upper, lower, weight int) int {
		if b.back {
			upper, lower = lower, upper
		}
		s := l.addSegment(upper, lower, weight)
		b.chain = append(b.chain, s)
		return s
	}
	trunk := make([]int, far)
	for d := 1; d < far; d++ {
		it := item{kind: point, of: n, rank: target + d*dir, left: 10, right: 10}
		if d == best {
			it = item{kind: labelItem, of: n, rank: it.rank, left: a.w / 2, right: a.w - a.w/2, h: a.h}
		}
		trunk[d] = l.addItem(it)
		if d == best {
			b.label = trunk[d]
		}
		if d == 1 {
			b.target = join(trunk[d], b.to, 2)
		} else {
			join(trunk[d], trunk[d-1], 8)
		}
	}
	for _, k := range b.arcs {
		from := l.arcs[k].from
		d := (l.rankOf(from) - target) * dir
		weight := 2
		if d < far { // a tributary takes what it gets
			weight = 1
		}
		join(from, trunk[d-1], weight)
	}
}
