// SPDX-License-Identifier: Apache-2.0

package sat

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

func TestDIMACSRoundTrip(t *testing.T) {
	for seed := range 50 {
		rng := rand.New(rand.NewPCG(uint64(seed), 7))
		f := &CNF{Vars: 9}
		for range rng.IntN(10) {
			f.Clauses = append(f.Clauses, randomClause(rng, 9, 4))
		}
		var b bytes.Buffer
		if err := WriteDIMACS(&b, f); err != nil {
			t.Fatal(err)
		}
		g, err := ParseDIMACS(&b)
		if err != nil || !reflect.DeepEqual(f, g) {
			t.Fatalf("wrote %v, read %v, %v", f, g, err)
		}
	}
}

func TestParseDIMACS(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"c hello\n\np cnf 3 2\n1 -3\n0 2 0\n", ""},
		{"p cnf 1 1\n1 0\n%\n0\n", ""},
		{"p cnf 0 1\n0\n", ""},
		{"", "no header"},
		{"1 0\n", "line 1: clause before the header"},
		{"p cnf 1\n", "line 1: want one header"},
		{"p cnf 1 0\np cnf 1 0\n", "line 2: want one header"},
		{"p cnf 1 -1\n", "line 1: bad number"},
		{"p cnf 999999999999 1\n", "line 1: bad number"},
		{"p cnf 1 1\n2 0\n", "line 2: literal 2 of 1 variables"},
		{"p cnf 1 1\n-2 0\n", "line 2: literal -2 of 1 variables"},
		{"p cnf 1 1\nx 0\n", `line 2: "x" is not a literal`},
		{"p cnf 1 1\n1\n", "does not end with 0"},
		{"p cnf 1 2\n1 0\n", "header declares 2 clauses, found 1"},
	} {
		_, err := ParseDIMACS(strings.NewReader(tt.in))
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%q: error %v, want %q", tt.in, err, tt.want)
		}
	}
}
