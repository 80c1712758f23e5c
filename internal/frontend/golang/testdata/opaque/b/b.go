// Package b has tables whose elements lead to something.
package b

import (
	"errors"
	"sort"

	"m/o"
)

var errNone = errors.New("b: none")

type row struct {
	n    int
	name string
	bits []int
}

func some() []row { return []row{{1, "one", []int{1}}, {2, "two", nil}} }

var (
	rows    = []row{{1, "one", []int{1}}, {2, "two", nil}} // only looked at
	written = some()
	part    = some()
	kept    = some()
	sorted  = some()
	behind  = []*row{{1, "one", nil}}
	grown   = some()
	Open    = some()
)

// Two names of one slice, array and map, one of which is only looked at.
var (
	numbers   = []int{1}
	numbers2  = numbers
	pair      = [2]int{1, 2}
	pair2     = pair[:]
	names     = map[string]int{}
	names2    = names
	triple    = [3]int{1, 2, 3}
	third     = &triple[2]
	pairs     = []row{{1, "one", nil}}
	pairs2    = pairs
	single    = []int{1} // has no other name
	singles   = len(single) + single[0]
	known     = [2]int{1, 2}
	knownLast = known[1]
)

type B struct {
	own []row
	p   *row
}

func Make() *B { return new(B) }

// Write writes rows, but not those of the table; of these only what they lead to.
func (b *B) Write(k int, r row) {
	b.own[k] = r
	rows[0].bits[0] = k
	written[0].n = k
	p := part[1:]
	p[0].n = k
	b.p = &kept[0]
	sort.Slice(sorted, func(i, j int) bool { return sorted[i].n > sorted[j].n })
	behind[0].n = k
	grown = append(grown, r)
	numbers2[0] = k
	pair2[0] = k
	names2["a"] = k
	*third = k
	pairs2[0].n = k
}

func (b *B) Keep(k int) { b.p.n = k }

func (b *B) OnlyRow(n int) error {
	for _, r := range rows {
		if r.n == n {
			return nil
		}
	}
	return errNone
}

func (b *B) OnlyField(name string) error {
	for k := range rows {
		if rows[k].name == name {
			return nil
		}
	}
	return errNone
}

func (b *B) OnlyCount(n int) error {
	if n < len(rows) {
		return nil
	}
	return errNone
}

// Calls that err by what is written.

func (b *B) Bits(n int) error {
	for _, r := range rows {
		if len(r.bits) > 0 && r.bits[0] == n {
			return nil
		}
	}
	return errNone
}

func has(list []row, n int) error {
	for _, r := range list {
		if r.n == n {
			return nil
		}
	}
	return errNone
}

func (b *B) Own(n int) error { return has(b.own, n) }

func (b *B) Written(n int) error {
	for _, r := range written {
		if r.n == n {
			return nil
		}
	}
	return errNone
}

func (b *B) Part(n int) error {
	for _, r := range part {
		if r.n == n {
			return nil
		}
	}
	return errNone
}

func (b *B) Kept(n int) error {
	for _, r := range kept {
		if r.n == n {
			return nil
		}
	}
	return errNone
}

func (b *B) Sorted(n int) error {
	for k, r := range sorted {
		if r.n == n {
			return nil
		}
		if k > 0 {
			break
		}
	}
	return errNone
}

func (b *B) Behind(n int) error {
	for _, r := range behind {
		if r.n == n {
			return nil
		}
	}
	return errNone
}

func (b *B) Grown(n int) error {
	for _, r := range grown {
		if r.n == n {
			return nil
		}
	}
	return errNone
}

func (b *B) Opened(n int) error {
	for _, r := range Open {
		if r.n == n {
			return nil
		}
	}
	return errNone
}

func (b *B) Numbers(n int) error {
	if numbers[0] != n {
		return errNone
	}
	return nil
}

func (b *B) Pair(n int) error {
	if pair[n&1] != n {
		return errNone
	}
	return nil
}

func (b *B) Names(name string) error {
	if names[name] == 0 {
		return errNone
	}
	return nil
}

func (b *B) Triple(n int) error {
	if triple[2] != n {
		return errNone
	}
	return nil
}

func (b *B) Pairs(n int) error {
	for _, r := range pairs {
		if r.n == n {
			return nil
		}
	}
	return errNone
}

// OnlyKnown: the declarations of other variables only look at these.
func (b *B) OnlyKnown(n int) error {
	if single[0] != n && known[n&1] != n && n < singles && n > knownLast {
		return errNone
	}
	return nil
}

// MayLimit: the limits of another package are its own.
func (b *B) MayLimit(n int) error {
	if n > o.Limit(n) {
		return errNone
	}
	return nil
}

// Limit: they are changed here.
func (b *B) Limit(n int) error {
	o.Shared.Most = n
	return nil
}

func (b *B) Shared(n int) error {
	if n > o.Shared.Most {
		return errNone
	}
	return nil
}
