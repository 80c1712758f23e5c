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
