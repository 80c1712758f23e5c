// Package t has tables whose elements lead to slices and objects that nobody writes, and some of which somebody does.
package t

import (
	"encoding/asn1"
	"errors"
	"slices"
	"sort"
)

var errNone = errors.New("t: none")

type row struct {
	n    int
	path []int
}

type list []int

var (
	first  = []int{1, 2}
	alias  = first
	pair   = [2]int{1, 2}
	second = []int{1}
	third  = []int{1}
	fourth = [2]int{1, 2}
	Fifth  = []int{1}
	kept   []int
	Get    = valueOf
	sent   = make(chan []int, 9)
	byName = map[string][]int{}
)

// Tables of which nothing is written.
var (
	plain    = []row{{1, []int{1}}, {2, nil}}
	others   = []row{{1, first}, {2, alias}}
	parts    = []row{{1, pair[:]}, {2, pair[1:]}}
	nested   = [][][]int{{{1}, {2, 3}}, {first}}
	pointers = []*row{{1, []int{1}}}
	found    = []row{{1, []int{1}}}
	held     = []row{{1, []int{1}}}
	named    = []struct{ path list }{{list{1}}, {list(first)}}
	encoded  = []asn1.ObjectIdentifier{{1, 2}, {1, 3}}
	given    = []row{{1, []int{1}}}
	grid     = [2][]int{{1}, {2}}
	setting  = struct{ paths [][]int }{[][]int{{1}}}
	origin   = &row{1, []int{1}}
)

type T struct {
	own  []int
	rows []row
}

func Make() *T { return new(T) }

// Writes writes all kinds of slices, but not those.
func (t *T) Writes(k int, r row) {
	t.own[0] = k
	t.rows[0] = r
	t.rows[0].path[0] = k
	*(&t.rows[0]) = r
}

func (t *T) OnlyPlain(n int) error {
	for _, r := range plain {
		if len(r.path) > 0 && r.path[0] == n {
			return nil
		}
	}
	return errNone
}

func has(path []int, n int) bool {
	for _, k := range path {
		if k == n {
			return true
		}
	}
	return false
}

func (t *T) OnlyOthers(n int) error {
	for _, r := range others {
		if has(r.path, n) {
			return nil
		}
	}
	return errNone
}

func (t *T) OnlyParts(n int) error {
	for k := range parts {
		if has(parts[k].path, n) {
			return nil
		}
	}
	return errNone
}

func (t *T) OnlyNested(n int) error {
	for _, l := range nested {
		for _, path := range l {
			if slices.Index(path, n) >= 0 {
				return nil
			}
		}
	}
	return errNone
}

func (t *T) OnlyPointers(n int) error {
	for _, r := range pointers {
		if r.n == n || has(r.path, n) {
			return nil
		}
	}
	return errNone
}

func find(n int) ([]int, bool) {
	for _, r := range found {
		if r.n == n {
			return r.path, true
		}
	}
	return nil, false
}

func (t *T) OnlyFound(n int) error {
	path, ok := find(n)
	if !ok || !has(path, n) {
		return errNone
	}
	return nil
}

// OnlyHeld puts what it finds into slices and variables of its own, and writes these.
func (t *T) OnlyHeld(n int) error {
	all := make([][]int, len(held)+1)
	for k, r := range held {
		all[k] = r.path
		r.path = nil
		r.n++
	}
	all[1] = nil
	var copied [4]int
	copy(copied[:], all[0])
	copied[1] = n
	if !has(all[n&1], n) && !has(append([]int{n}, all[0]...), n+1) {
		return errNone
	}
	return nil
}

func (l list) has(n int) bool { return has(l, n) }

func (t *T) OnlyNamed(n int) error {
	for _, r := range named {
		if r.path.has(n) {
			return nil
		}
	}
	return errNone
}

func (t *T) OnlyEncoded(n int) error {
	for _, id := range encoded {
		if len(id) > 0 && id[0] == n {
			return nil
		}
	}
	return errNone
}

// OnlyFirst: the variable has two names, and nobody writes by either.
func (t *T) OnlyFirst(n int) error {
	if has(first, n) && first[0] != alias[0] {
		return nil
	}
	return errNone
}

func count(list []row, n int) (k int) {
	for _, r := range list {
		if has(r.path, n) {
			k++
		}
	}
	return k
}

func (t *T) OnlyGiven(n int) error {
	if count(given, n) > 0 {
		return nil
	}
	return errNone
}

func (t *T) OnlyGrid(n int) error {
	if grid[n&1][0] == n {
		return nil
	}
	return errNone
}

func (t *T) OnlySetting(n int) error {
	if has(setting.paths[0], n) {
		return nil
	}
	return errNone
}

func (r *row) has(n int) bool { return r.n == n || has(r.path, n) }

func (t *T) OnlyOrigin(n int) error {
	if origin.has(n) {
		return nil
	}
	return errNone
}

// Encode gives all of them to code that only reads them, as a contract says.
func (t *T) Encode() []byte {
	var all []asn1.ObjectIdentifier = make([]asn1.ObjectIdentifier, 2)
	for k, id := range encoded {
		all[k] = id
	}
	b, _ := asn1.Marshal(all)
	return b
}

// Tables of which somebody writes something. They are told apart, since what is found out is about one.
var (
	direct    = []row{{1, []int{1}}}
	another   = []row{{1, second}}
	initial   = []row{{1, third}}
	array     = []row{{1, fourth[:]}}
	exported  = []row{{1, Fifth}}
	result    = []row{{1, []int{1}}}
	valued    = []row{{1, []int{1}}}
	out       = []row{{1, []int{1}}}
	appended  = []row{{1, []int{1, 2}}}
	copiedTo  = []row{{1, []int{1}}}
	sorted    = []row{{1, []int{1}}}
	reversed  = []row{{1, []int{1}}}
	inField   = []row{{1, []int{1}}}
	inVar     = []row{{1, []int{1}}}
	early     = []row{{1, []int{1}}}
	captured  = []row{{1, []int{1}}}
	heldOnly  = []row{{1, []int{1}}}
	heldIn    = []row{{1, []int{1}}}
	boxed     = []row{{1, []int{1}}}
	channeled = []row{{1, []int{1}}}
	mapped    = []row{{1, []int{1}}}
	addressed = []row{{1, []int{1}}}
	behind    = []*row{{1, nil}}
	deferred  = []row{{1, []int{1}}}
	whole     = []*row{{1, nil}}
	generic   = []row{{1, []int{1}}}
	method    = []struct{ path list }{{list{1}}}
	computed  = []row{{1, make_()}}
	passed    = []row{{1, []int{1}}}
	asserted  = []row{{1, []int{1}}}
	joined    = []row{{1, []int{1}}}
	cut       = [][]int{{1, 2}}
	ranged    = [][2][]int{{{1}, {2}}}
	twice     = []row{{1, sixth}}
	again     = []row{{1, sixth}}
	given2    = []row{{1, []int{1}}}
	grid2     = [2][]int{{1}, {2}}
	setting2  = struct{ paths [][]int }{[][]int{{1}}}
	origin2   = &row{1, []int{1}}
	origin3   = &row{1, []int{1}}
)

var sixth = []int{1}

var last []int

func make_() []int {
	last = []int{1}
	return last
}

func init() { kept = early[0].path }

func resultOf() []int { return result[0].path }

func valueOf() []int { return valued[0].path }

func set[E any](l []E, x E) { l[0] = x }

func (l list) set(n int) { l[0] = n }

func fill(list []row, n int) { list[0].n = n }

func (r *row) fill(n int) { r.path[0] = n }

// Origin gives clients what the variable has.
func Origin() any { return origin3 }

func put(l []int, n int) { l[0] = n }

func assert(x any, n int) { x.([]int)[0] = n }

// Out gives clients what the table has.
func (t *T) Out() []int { return out[0].path }

func (t *T) Write(k int) {
	direct[0].path[0] = k
	second[0] = k
	fourth[0] = k
	resultOf()[0] = k
	_ = append(appended[0].path[:1], k)
	copy(copiedTo[0].path, t.own)
	sort.Ints(sorted[0].path)
	slices.Reverse(reversed[0].path)
	t.own = inField[0].path
	last = inVar[0].path
	path := captured[0].path
	func() { path[0] = k }()
	all := make([][]int, 1)
	all[0] = heldOnly[0].path
	all[0][0] = k
	more := []row{{}}
	more[0].path = heldIn[0].path
	t.rows = more
	var x any = boxed[0].path
	x.([]int)[0] = k
	sent <- channeled[0].path
	byName["a"] = mapped[0].path
	*(&addressed[0].path[0]) = k
	behind[0].n = k
	defer put(deferred[0].path, k)
	*whole[0] = row{n: k}
	set(generic[0].path, k)
	method[0].path.set(k)
	put(passed[0].path, k)
	assert(asserted[0].path, k)
	l := t.own
	if k > 2 {
		l = joined[0].path
	}
	l[0] = k
	cut[0][1:][0] = k
	r := ranged[0]
	r[1][0] = k
	again[0].path[0] = k
	fill(given2, k)
	grid2[1][0] = k
	setting2.paths[0] = t.own
	origin2.fill(k)
}

// Start writes what is put together when the package is initialized.
func (t *T) Start(k int) { third[0], kept[0], last[0] = k, k, k }

func check(path []int, n int) error {
	if has(path, n) {
		return nil
	}
	return errNone
}

func (t *T) Direct(n int) error    { return check(direct[0].path, n) }
func (t *T) Another(n int) error   { return check(another[0].path, n) }
func (t *T) Initial(n int) error   { return check(initial[0].path, n) }
func (t *T) Array(n int) error     { return check(array[0].path, n) }
func (t *T) Exported(n int) error  { return check(exported[0].path, n) }
func (t *T) Result(n int) error    { return check(result[0].path, n) }
func (t *T) Valued(n int) error    { return check(valued[0].path, n) }
func (t *T) Given(n int) error     { return check(out[0].path, n) }
func (t *T) Appended(n int) error  { return check(appended[0].path, n) }
func (t *T) CopiedTo(n int) error  { return check(copiedTo[0].path, n) }
func (t *T) Sorted(n int) error    { return check(sorted[0].path, n) }
func (t *T) Reversed(n int) error  { return check(reversed[0].path, n) }
func (t *T) InField(n int) error   { return check(inField[0].path, n) }
func (t *T) InVar(n int) error     { return check(inVar[0].path, n) }
func (t *T) Early(n int) error     { return check(early[0].path, n) }
func (t *T) Captured(n int) error  { return check(captured[0].path, n) }
func (t *T) HeldOnly(n int) error  { return check(heldOnly[0].path, n) }
func (t *T) HeldIn(n int) error    { return check(heldIn[0].path, n) }
func (t *T) Boxed(n int) error     { return check(boxed[0].path, n) }
func (t *T) Channeled(n int) error { return check(channeled[0].path, n) }
func (t *T) Mapped(n int) error    { return check(mapped[0].path, n) }
func (t *T) Addressed(n int) error { return check(addressed[0].path, n) }
func (t *T) Deferred(n int) error  { return check(deferred[0].path, n) }
func (t *T) Generic(n int) error   { return check(generic[0].path, n) }
func (t *T) Method(n int) error    { return check(method[0].path, n) }
func (t *T) Computed(n int) error  { return check(computed[0].path, n) }
func (t *T) Passed(n int) error    { return check(passed[0].path, n) }
func (t *T) Asserted(n int) error  { return check(asserted[0].path, n) }
func (t *T) Joined(n int) error    { return check(joined[0].path, n) }
func (t *T) Cut(n int) error       { return check(cut[0], n) }
func (t *T) Twice(n int) error     { return check(twice[0].path, n) }
func (t *T) Ranged(n int) error    { return check(ranged[0][1], n) }

func (t *T) Given2(n int) error {
	if count(given2, n) > 0 {
		return nil
	}
	return errNone
}

func (t *T) Grid2(n int) error    { return check(grid2[n&1], n) }
func (t *T) Setting2(n int) error { return check(setting2.paths[0], n) }

func (t *T) Origin2(n int) error {
	if origin2.has(n) {
		return nil
	}
	return errNone
}

func (t *T) Origin3(n int) error {
	if origin3.has(n) {
		return nil
	}
	return errNone
}

func (t *T) Behind(n int) error {
	if behind[0].n == n {
		return nil
	}
	return errNone
}

func (t *T) Whole(n int) error {
	if whole[0].n == n {
		return nil
	}
	return errNone
}
