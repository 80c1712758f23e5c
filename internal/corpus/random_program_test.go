// SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"regexp"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/prog"
)

// TestRandomProgram checks that random programs parse at several widths, that
// the same seed gives the same text but for the width, that their size is as
// promised and that every construct occurs.
func TestRandomProgram(t *testing.T) {
	words := []string{" any", " choose", "assume ", "while ", "while {", "error ", "error io", "constructor New0", "constructor New1", "(r0 bool)", "(r0 phase)",
		"(r0 int3)", "(r0 uint3)", "(r0 bool, r1 int3)", "a0 bool", "a0 int3", "a0 uint3", "a0 phase", "a1 ", "++", "--", "else", "constructor New0(a0"}
	count := map[string]int{}
	integers := regexp.MustCompile(`int\d+`)
	const n = 1000
	for seed := range int64(n) {
		text := RandomProgram(seed, MinWidth)
		if text != RandomProgram(seed, MinWidth) {
			t.Fatalf("seed %d: two texts", seed)
		}
		wide := RandomProgram(seed, 32)
		if integers.ReplaceAllString(wide, "int3") != text {
			t.Fatalf("seed %d: the width changes the program\n%s\n%s", seed, text, wide)
		}
		p, err := prog.Parse("program.open", []byte(text), prog.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		if _, err := prog.Parse("program.open", []byte(wide), prog.Options{}); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, wide)
		}
		if v, m := len(p.State), len(p.Methods); v < 3 || v > 6 || m < 3 || m > 6 {
			t.Fatalf("seed %d: %d state variables and %d methods", seed, v, m)
		}
		for _, w := range words {
			if strings.Contains(text, w) {
				count[w]++
			}
		}
	}
	for _, w := range words {
		if count[w] < n/50 {
			t.Errorf("%q occurs in %d of %d programs", w, count[w], n)
		}
	}
	if loops := count["while "]; loops < n*2/5 || loops > n*3/5 {
		t.Errorf("%d of %d programs have a loop, want about half", loops, n)
	}
}
