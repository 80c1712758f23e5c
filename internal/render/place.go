// SPDX-License-Identifier: Apache-2.0

package render

// This file gives the items of a layout their coordinates.
//
// Across: every segment wants to be vertical. Rank by rank, up and down, each
// item is drawn to the weighted mean of its neighbours; the positions next to
// that which keep the items apart are found exactly by pooling items that would
// overlap (isotonic regression by "pool adjacent violators"). A last pass makes
// the chains of long edges straight where there is room. This is the priority
// method with an exact inner step; Brandes and Köpf's (GD 2001) is faster, but
// favours straight lines over states centred among their neighbours, and needs
// care with boxes as unequal as states, labels and points are.
//
// Down: a band is as high as its highest item; a gap is higher the further the
// lines in it have to travel sideways.

import "slices"

const (
	rounds  = 400
	gapMin  = 230
	gapMax  = 700
	sepWide = 180 // between boxes
	sepThin = 130 // between lines, or a line and a box

	kinWeight = 3 // of states next to each other; a segment has 1 to 8
)

func (l *layout) place() {
	for _, rank := range l.ranks { // any feasible position to begin with
		x := 0
		for p, k := range rank {
			if p > 0 {
				x += l.distance(rank[p-1], k)
			}
			l.items[k].x = x
		}
	}
	rounds := l.effort(rounds)
	for n := range rounds {
		for r := range l.ranks {
			if n%2 == 1 {
				r = len(l.ranks) - 1 - r
			}
			// First against one side, to spread the news; in the end, both.
			up, down := true, true
			if n < rounds/2 {
				up, down = n%2 == 0, n%2 == 1
			}
			l.relax(r, up, down)
		}
	}
	for range 4 {
		l.straighten()
		for r := range l.ranks {
			l.settle(r)
		}
	}
	l.straighten()
	l.compact()
	l.attach()
	l.stack()
}

// compact moves parts of the chart that nothing joins to each other together:
// no segment does it.
func (l *layout) compact() {
	part := make([]int, len(l.items)) // number of the part, from 1
	parts := 0
	var mark func(k int)
	mark = func(k int) {
		if part[k] != 0 {
			return
		}
		part[k] = parts
		for _, s := range l.items[k].up {
			mark(l.segs[s].a)
		}
		for _, s := range l.items[k].down {
			mark(l.segs[s].b)
		}
	}
	for k := range l.items {
		if part[k] == 0 {
			parts++
			mark(k)
		}
	}
	least := 1 << 30
	for _, it := range l.items {
		least = min(least, it.x-it.left)
	}
	for range parts { // a part that has moved makes room for others
		for p := 1; p <= parts; p++ {
			room := 1 << 30
			for k, it := range l.items {
				if part[k] != p {
					continue
				}
				room = min(room, it.x-it.left-least)
				if it.pos > 0 {
					if left := l.ranks[it.rank][it.pos-1]; part[left] != p {
						room = min(room, it.x-l.items[left].x-l.distance(left, k))
					}
				}
			}
			for k := range l.items {
				if part[k] == p {
					l.items[k].x -= room
				}
			}
		}
	}
}

// distance returns how far apart two neighbours have to be.
func (l *layout) distance(a, b int) int {
	u, v := &l.items[a], &l.items[b]
	sep := sepWide
	if u.kind == point || v.kind == point {
		sep = sepThin
	}
	return u.right + sep + v.left
}

// wish returns where item k wants to be for the sake of its segments on some
// sides, and how much. States are also drawn to the states next to them, past the
// labels between, so that a row of states is a row.
func (l *layout) wish(k int, up, down bool) (at, weight int) {
	it := &l.items[k]
	sum := 0
	if up {
		for _, s := range it.up {
			g := l.segs[s]
			sum += g.weight * l.items[g.a].x
			weight += g.weight
		}
	}
	if down {
		for _, s := range it.down {
			g := l.segs[s]
			sum += g.weight * l.items[g.b].x
			weight += g.weight
		}
	}
	for _, o := range it.kin {
		if above := l.items[o].rank < it.rank; above && up || !above && down {
			sum += kinWeight * l.items[o].x
			weight += kinWeight
		}
	}
	if weight == 0 {
		return it.x, 0
	}
	return floorDiv(sum, weight), weight
}

func floorDiv[T int | int64](a, b T) T {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// relax moves the items of a rank as near as possible, in the sense of least
// squares, to where their segments want them.
func (l *layout) relax(r int, up, down bool) {
	wishes := make([][2]int, len(l.ranks[r]))
	for p, k := range l.ranks[r] {
		at, weight := l.wish(k, up, down)
		wishes[p] = [2]int{at, max(1, 4*weight)} // without wish: stay, weakly
	}
	l.pool(r, wishes)
}

// settle is relax for the states and labels of a rank only: points stay on the
// straight lines they were put on, unless they must give way.
func (l *layout) settle(r int) {
	wishes := make([][2]int, len(l.ranks[r]))
	for p, k := range l.ranks[r] {
		if l.items[k].kind == point {
			wishes[p] = [2]int{l.items[k].x, 1000}
		} else {
			at, weight := l.wish(k, true, true)
			wishes[p] = [2]int{at, max(1, weight)}
		}
	}
	l.pool(r, wishes)
}

// pool gives the items of rank r the positions nearest to wishes that keep
// them apart.
func (l *layout) pool(r int, wishes [][2]int) {
	offset := make([]int, len(wishes))
	for p, k := range l.ranks[r] {
		if p > 0 {
			offset[p] = offset[p-1] + l.distance(l.ranks[r][p-1], k)
		}
	}
	for p, x := range pool(wishes, offset) {
		l.items[l.ranks[r][p]].x = x
	}
}

// pool returns the positions that minimize the weighted sum of squared
// distances from wishes (position, weight) such that each two neighbours are at
// least as far apart as their offsets are.
func pool(wishes [][2]int, offset []int) []int {
	type block struct {
		first       int
		sum, weight int64 // more than 32 bits for wide ranks
		at          int
	}
	var blocks []block
	for p, w := range wishes {
		at := w[0] - offset[p]
		blocks = append(blocks, block{p, int64(at) * int64(w[1]), int64(w[1]), at})
		for n := len(blocks); n > 1 && blocks[n-2].at >= blocks[n-1].at; n = len(blocks) {
			a, b := blocks[n-2], blocks[n-1]
			a.sum += b.sum
			a.weight += b.weight
			a.at = int(floorDiv(a.sum, a.weight))
			blocks = append(blocks[:n-2], a)
		}
	}
	x := make([]int, len(wishes))
	for n, b := range blocks {
		end := len(wishes)
		if n+1 < len(blocks) {
			end = blocks[n+1].first
		}
		for p := b.first; p < end; p++ {
			x[p] = b.at + offset[p]
		}
	}
	return x
}

// attach spreads the lines at each state over its upper and lower side, in the
// order of their other ends and as nearly opposite to them as possible.
func (l *layout) attach() {
	for k, n := range l.nodes {
		for side, segs := range [][]int{l.items[k].up, l.items[k].down} {
			other := func(s int) *item {
				if side == 0 {
					return &l.items[l.segs[s].a]
				}
				return &l.items[l.segs[s].b]
			}
			slices.SortFunc(segs, func(s, t int) int { return other(s).pos - other(t).pos })
			reach := n.w/2 - portMin
			gap := 0
			if len(segs) > 1 {
				gap = min(portGap, 2*reach/(len(segs)-1))
			}
			var wishes [][2]int
			var offset []int
			for i, s := range segs {
				// Within the reach that the lines to either side leave.
				lo, hi := -reach+i*gap, reach-(len(segs)-1-i)*gap
				at := other(s).x - l.items[k].x
				wishes = append(wishes, [2]int{min(max(at, lo), hi), 1})
				offset = append(offset, i*gap)
			}
			for i, at := range pool(wishes, offset) {
				if side == 0 {
					l.segs[segs[i]].pb = at
				} else {
					l.segs[segs[i]].pa = at
				}
			}
		}
	}
}

// straighten moves runs of points of one edge, with its label, onto a vertical
// line, as long a run as there is room for.
func (l *layout) straighten() {
	for n := range l.bundles {
		chain := l.chainItems(n)
		for first := 0; first < len(chain); {
			lo, hi := l.room(chain[first])
			sum, end := l.items[chain[first]].x, first+1
			for end < len(chain) {
				a, b := l.room(chain[end])
				if max(lo, a) > min(hi, b) {
					break
				}
				lo, hi = max(lo, a), min(hi, b)
				sum += l.items[chain[end]].x
				end++
			}
			x := min(max(floorDiv(sum, end-first), lo), hi)
			for _, k := range chain[first:end] {
				l.items[k].x = x
			}
			first = end
		}
	}
}

// chainItems returns the trunk of a bundle, from one end to the other.
func (l *layout) chainItems(n int) []int {
	var list []int
	for _, s := range l.bundles[n].chain {
		for _, k := range []int{l.segs[s].a, l.segs[s].b} {
			if l.items[k].kind != stateItem {
				list = append(list, k)
			}
		}
	}
	slices.SortFunc(list, func(a, b int) int { return l.items[a].rank - l.items[b].rank })
	return slices.Compact(list)
}

// room returns how far an item can move while its neighbours stay.
func (l *layout) room(k int) (lo, hi int) {
	it := &l.items[k]
	rank := l.ranks[it.rank]
	lo, hi = -1<<30, 1<<30
	if it.pos > 0 {
		left := rank[it.pos-1]
		lo = l.items[left].x + l.distance(left, k)
	}
	if it.pos+1 < len(rank) {
		right := rank[it.pos+1]
		hi = l.items[right].x - l.distance(k, right)
	}
	return lo, hi
}

// stack gives the ranks their height and moves everything into the first
// quadrant.
func (l *layout) stack() {
	least := 1 << 30
	for _, it := range l.items {
		least = min(least, it.x-it.left)
	}
	for k := range l.items {
		l.items[k].x -= least - margin
	}
	y := margin
	for r, rank := range l.ranks {
		h, far := l.band(r), 0
		for _, k := range rank {
			l.items[k].y = y + h/2
			for _, s := range l.items[k].down {
				g := l.segs[s]
				d := l.items[g.a].x + g.pa - l.items[g.b].x - g.pb
				far = max(far, d, -d)
			}
		}
		y += h
		if far > 0 || r+1 < len(l.ranks) {
			y += min(gapMax, max(gapMin, far/4))
		}
	}
}

// band returns the height of a rank.
func (l *layout) band(r int) int {
	h := 0
	for _, k := range l.ranks[r] {
		h = max(h, l.items[k].h)
	}
	return h
}

// draw reads the drawing off the finished layout.
func (l *layout) draw() *drawing {
	d := &drawing{loops: make([]rect, len(l.nodes)), starts: make([]rect, len(l.nodes))}
	for k, n := range l.nodes {
		it := l.items[k]
		d.nodes = append(d.nodes, rect{it.x, it.y, n.w, n.h})
		if n.loopW > 0 {
			d.loops[k] = rect{it.x + n.w/2 + loopReach + labelGap + n.loopW/2, it.y, n.loopW, n.loopH}
		}
		if s := l.starts[k]; s >= 0 {
			from := l.items[l.segs[s].a]
			d.starts[k] = rect{from.x, from.y + startLead/2, n.startW, n.startH}
			d.wires = append(d.wires, wire{
				lines: []line{l.line(s)},
				head:  head{it.x + l.segs[s].pb, it.y - n.h/2, false},
			})
		}
	}
	for _, b := range l.bundles {
		it := l.items[b.label]
		w := wire{arcs: b.arcs, label: rect{it.x, it.y, it.left + it.right, it.h}}
		to := l.items[b.to]
		g := l.segs[b.target]
		if b.back {
			w.head = head{to.x + g.pa, to.y + l.nodes[b.to].h/2, true}
		} else {
			w.head = head{to.x + g.pb, to.y - l.nodes[b.to].h/2, false}
		}
		for _, s := range b.chain {
			w.lines = append(w.lines, l.line(s))
		}
		d.wires = append(d.wires, w)
	}
	for _, it := range l.items {
		d.w = max(d.w, it.x+it.right+margin)
		d.h = max(d.h, it.y+it.h/2+margin)
	}
	return d
}

// line returns the line of a segment, from the lower edge of one item to the
// upper edge of the other.
func (l *layout) line(s int) line {
	g := l.segs[s]
	a, b := l.items[g.a], l.items[g.b]
	ln := line{
		x1: a.x + g.pa, top: a.y + a.h/2, y1: a.y + l.band(a.rank)/2,
		x2: b.x + g.pb, bottom: b.y - b.h/2, y2: b.y - l.band(b.rank)/2,
	}
	if a.kind == stateItem {
		ln.top = a.y + l.nodes[g.a].h/2
	}
	if b.kind == stateItem {
		ln.bottom = b.y - l.nodes[g.b].h/2
	}
	if a.kind == startItem {
		ln.top = a.y + startLead/2 + l.nodes[a.of].startH/2
	}
	return ln
}
