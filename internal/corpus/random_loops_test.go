// SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"testing"

	"github.com/interlock-go/interlock/internal/prog"
)

// TestRandomLoops parses what is generated, at the least width and at a wide one, and wants the same text but for the width.
func TestRandomLoops(t *testing.T) {
	looping := 0
	for seed := range int64(2000) {
		for _, width := range []int{MinWidth, 8, 64} {
			source := RandomLoops(seed, width)
			p, err := prog.Parse("loops.open", []byte(source), prog.Options{})
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, source)
			}
			if source != RandomLoops(seed, width) {
				t.Fatalf("seed %d: two texts", seed)
			}
			if width == MinWidth && len(p.Methods) > 1 {
				looping++
			}
		}
	}
	if looping != 2000 {
		t.Errorf("%d of 2000 components have a method besides turn", looping)
	}
}
