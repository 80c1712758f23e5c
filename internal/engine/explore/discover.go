// SPDX-License-Identifier: Apache-2.0

package explore

// This file finds the classes of argument tuples that behave alike, and the
// results that occur, by one exploration with all arguments. The partition is
// refined state by state; it does not depend on the order of the states.

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
)

func (c *Component) discover(ctx context.Context, tuplesOf [][][]uint64, classes [][]int, results []map[string][]uint64) error {
	var probes [2][]probe
	nctor := len(c.Prog.Constructors)
	total := 0
	for body, code := range c.codes {
		phase := 1
		if body < nctor {
			phase = 0
		}
		for i, args := range tuplesOf[body] {
			probes[phase] = append(probes[phase], probe{code, args, i, body})
			total++
		}
	}
	width := c.table.width
	type behaviour struct {
		results []uint64
		site    uint64
		to      int32
	}
	var list []behaviour
	merge := func(id int32, rec []uint64) error {
		phase := c.phase(id)
		for at := 0; at < len(probes[phase]); {
			// All probes of one body, then refine its classes.
			body := probes[phase][at].body
			n := len(tuplesOf[body])
			keys := make([]string, n)
			for i := range n {
				list = list[:0]
				p := &probes[phase][at+i]
				for len(rec) > 0 && rec[0] == uint64(at+i) {
					if rec[1] != noSite {
						list = append(list, behaviour{site: rec[1]})
						rec = rec[2:]
						continue
					}
					nres := len(p.code.results)
					res := rec[2 : 2+nres]
					if k := resultKey(res); results[body][k] == nil {
						results[body][k] = append(make([]uint64, 0, nres+1), res...)
						if len(results[body]) > maxDomain {
							return &BudgetError{"distinct results of " + p.code.method.Name, maxDomain}
						}
					}
					list = append(list, behaviour{res, noSite, c.table.intern(rec[2+nres : 2+nres+width])})
					rec = rec[2+nres+width:]
				}
				slices.SortFunc(list, func(a, b behaviour) int {
					return cmp.Or(cmp.Compare(a.site, b.site), slices.Compare(a.results, b.results), cmp.Compare(a.to, b.to))
				})
				var key []byte
				for j, b := range list {
					if j > 0 && b.site == list[j-1].site && b.to == list[j-1].to && slices.Equal(b.results, list[j-1].results) {
						continue
					}
					key = binary.LittleEndian.AppendUint64(key, b.site)
					for _, r := range b.results {
						key = binary.LittleEndian.AppendUint64(key, r)
					}
					key = binary.LittleEndian.AppendUint32(key, uint32(b.to))
				}
				keys[i] = string(key)
			}
			refine(classes[body], keys)
			at += n
		}
		return c.addSpans()
	}
	for from := 0; from < c.table.n; {
		var ids []int32
		for ; from < c.table.n; from++ {
			ids = append(ids, int32(from))
		}
		if err := c.batch(ctx, ids, &probes, merge); err != nil {
			return err
		}
	}
	return nil
}

// refine splits classes by keys. Class numbers are those of first occurrence.
func refine(class []int, keys []string) {
	if len(class) == 1 {
		return
	}
	type pair struct {
		class int
		key   string
	}
	next := map[pair]int{}
	for i, k := range keys {
		p := pair{class[i], k}
		n, ok := next[p]
		if !ok {
			n = len(next)
			next[p] = n
		}
		class[i] = n
	}
}
