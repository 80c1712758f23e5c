// SPDX-License-Identifier: Apache-2.0

package golang

import (
	"context"
	"strings"
	"testing"
)

// TestGoWrong checks what is said about subjects, factories and calls that do not
// exist. The package is loaded once.
func TestGoWrong(t *testing.T) {
	dir, lines := unpacked(t, "testdata/wrong.txtar", "wrong")
	all := map[string]*loaded{}
	for line := range strings.Lines(lines) {
		line = strings.TrimSpace(line)
		head, want, ok := strings.Cut(line, " => ")
		if !ok {
			t.Fatalf("expected SUBJECT FLAGS => ERROR: %s", line)
		}
		fields := strings.Split(head, " | ")
		o := Options{Dir: dir}
		s, err := ParseSubject(fields[0])
		if path, ok := strings.CutPrefix(fields[0], "package:"); ok {
			s, err = Subject{Package: path}, nil
		}
		for _, f := range fields[1:] {
			name, value, _ := strings.Cut(f, " ")
			switch name {
			case "-constructor":
				o.Constructors = append(o.Constructors, value)
			case "-factory":
				o.Factories = append(o.Factories, value)
			case "-methods":
				o.Methods = strings.Split(value, ",")
			default:
				t.Fatalf("what is %s?", f)
			}
		}
		l := all[s.Package]
		if l == nil && err == nil {
			if l, err = load(context.Background(), s, o); err == nil {
				all[s.Package] = l
			}
		}
		if err == nil {
			_, err = l.compile(context.Background(), s, o, kinds{panics: true})
		}
		switch {
		case err == nil:
			t.Errorf("%s: no error", head)
		case err.Error() != want:
			t.Errorf("%s\n     got %s\nexpected %s", head, err, want)
		}
	}
}
