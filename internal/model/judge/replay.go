// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"fmt"
	"slices"

	"github.com/interlock-go/interlock/internal/model/lts"
)

// Replay runs the parts of a composition side by side on exactly these labels, "tau" a hidden step of
// one of them, and reports whether the last leads one to the error. It interprets the parts themselves,
// without their composition.
func Replay(parts []*lts.System, labels []string) bool {
	start := make([]int32, len(parts))
	for k, p := range parts {
		if start[k] = p.Initial; p.Initial == lts.Error {
			return len(labels) == 0
		}
	}
	at := map[string][]int32{fmt.Sprint(start): start}
	errs := false
	for _, label := range labels {
		next := map[string][]int32{}
		errs = false
		for _, v := range at {
			for _, w := range together(parts, v, label) {
				if slices.Contains(w, lts.Error) {
					errs = true
				} else {
					next[fmt.Sprint(w)] = w
				}
			}
		}
		at = next
	}
	return errs
}

// together are the states that a label leads all parts to.
func together(parts []*lts.System, v []int32, label string) [][]int32 {
	if label == "tau" {
		var out [][]int32
		for k, p := range parts {
			for _, e := range p.Edges(v[k]) {
				if e.Action == lts.Hidden {
					w := slices.Clone(v)
					w[k] = e.To
					out = append(out, w)
				}
			}
		}
		return out
	}
	out := [][]int32{slices.Clone(v)}
	took := false
	for k, p := range parts {
		if !slices.Contains(p.Alphabet, label) {
			continue
		}
		took = true
		var more [][]int32
		for _, e := range p.Edges(v[k]) {
			if p.Label(e) == label && e.Action != lts.Hidden {
				for _, w := range out {
					x := slices.Clone(w)
					x[k] = e.To
					more = append(more, x)
				}
			}
		}
		out = more
	}
	if !took {
		return nil
	}
	return out
}
