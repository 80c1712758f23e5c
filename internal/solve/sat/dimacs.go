// SPDX-License-Identifier: Apache-2.0

package sat

// This file reads and writes the DIMACS format of conjunctive normal forms.

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A CNF is a formula as data.
type CNF struct {
	Vars    int
	Clauses [][]Lit
}

// maxDIMACSVars bounds what a header or literal can make a reader allocate.
const maxDIMACSVars = 1 << 28

// ParseDIMACS reads a formula. The number of clauses in the header must be right;
// that of variables may be too large. A line "%" ends the input, as in the SATLIB
// files.
func ParseDIMACS(r io.Reader) (*CNF, error) {
	f := &CNF{}
	declared := -1
	var clause []Lit
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 1<<26)
	line := 0
scan:
	for sc.Scan() {
		line++
		fields := strings.Fields(sc.Text())
		if len(fields) == 0 || strings.HasPrefix(fields[0], "c") {
			continue
		}
		if fields[0] == "p" {
			if declared >= 0 || len(fields) != 4 || fields[1] != "cnf" {
				return nil, fmt.Errorf("dimacs: line %d: want one header \"p cnf VARIABLES CLAUSES\"", line)
			}
			n, err1 := strconv.Atoi(fields[2])
			m, err2 := strconv.Atoi(fields[3])
			if err1 != nil || err2 != nil || n < 0 || m < 0 || n > maxDIMACSVars {
				return nil, fmt.Errorf("dimacs: line %d: bad number in header", line)
			}
			f.Vars, declared = n, m
			continue
		}
		if declared < 0 {
			return nil, fmt.Errorf("dimacs: line %d: clause before the header", line)
		}
		for _, w := range fields {
			if w == "%" {
				break scan
			}
			n, err := strconv.Atoi(w)
			switch {
			case err != nil:
				return nil, fmt.Errorf("dimacs: line %d: %q is not a literal", line, w)
			case n > f.Vars || -n > f.Vars:
				return nil, fmt.Errorf("dimacs: line %d: literal %d of %d variables", line, n, f.Vars)
			case n == 0:
				f.Clauses = append(f.Clauses, clause)
				clause = nil
			case n > 0:
				clause = append(clause, Pos(n-1))
			default:
				clause = append(clause, Neg(-n-1))
			}
		}
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("dimacs: line %d: %w", line+1, err)
	}
	switch {
	case declared < 0:
		return nil, fmt.Errorf("dimacs: no header")
	case clause != nil:
		return nil, fmt.Errorf("dimacs: line %d: last clause does not end with 0", line)
	case len(f.Clauses) != declared:
		return nil, fmt.Errorf("dimacs: header declares %d clauses, found %d", declared, len(f.Clauses))
	}
	return f, nil
}

// WriteDIMACS writes f.
func WriteDIMACS(w io.Writer, f *CNF) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "p cnf %d %d\n", f.Vars, len(f.Clauses))
	for _, c := range f.Clauses {
		for _, l := range c {
			b.WriteString(l.String())
			b.WriteByte(' ')
		}
		b.WriteString("0\n")
	}
	return b.Flush()
}

// Load adds the variables and clauses of f to s, which must have no variables,
// and returns what the last AddClause did.
func (s *Solver) Load(f *CNF) bool {
	if s.NumVars() != 0 {
		panic("sat.Load: solver is not empty")
	}
	for range f.Vars {
		s.NewVar()
	}
	for _, c := range f.Clauses {
		s.AddClause(c...)
	}
	return s.ok
}
