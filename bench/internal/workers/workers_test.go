// SPDX-License-Identifier: Apache-2.0

package workers

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	var types []string
	for n := range 10 {
		types = append(types, fmt.Sprint("p.T", n))
	}
	for _, c := range []struct {
		run  string
		n    int
		want string
	}{{"", 3, "p.T0 p.T3 p.T6"}, {"T[12]", 0, "p.T1 p.T2"}, {"T[12]", 9, "p.T1 p.T2"}, {"no", 0, ""}} {
		if got := strings.Join(Choose(types, regexp.MustCompile(c.run), c.n), " "); got != c.want {
			t.Errorf("Choose(%q, %d) = %s, want %s", c.run, c.n, got, c.want)
		}
	}
	for name, want := range map[string]bool{"internal/abi.T": true, "crypto/internal/x.T": true, "vendor/a.T": true, "bufio.Scanner": false, "net/internals.T": false} {
		if Hidden(name) != want {
			t.Errorf("Hidden(%s) = %v", name, !want)
		}
	}
	if got := General(`"x \"y\"" (a/b.go:12:3): 256 questions`); got != `"…" (AT): N questions` {
		t.Errorf("general: %s", got)
	}
}
