// SPDX-License-Identifier: Apache-2.0

package replay

// This file reads fixture files: what a type needs to be driven, kept as data. A
// fixture file is a txtar archive. Its comment has one setting to a line, a name
// of a flag of interlock replay and its value, and says which component it is for:
//
//	component database/sql.Tx
//	arg Open.driverName="fake"
//	-- fake.go --
//	package fake
//	...
//
// The Go files of the archive are compiled with the test.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/interlock-go/interlock/typestate"
	"golang.org/x/tools/txtar"
)

// A Settings is what a fixture file says.
type Settings struct {
	Components []string
	Fixtures   []string            // EXPRESSION or CONSTRUCTOR=EXPRESSION
	Args       map[string][]string // by parameter
	Types      map[string][]string // by type
	Imports    []string
	As         string
	Words      int
	Random     int
	Length     int
	Limit      time.Duration
	Files      []File
}

// ParseSettings reads a fixture file.
func ParseSettings(data []byte) (*Settings, error) {
	s, err := parseSettings(data)
	if err == nil && len(s.Components) == 0 {
		return nil, fmt.Errorf("it does not say which component it is for")
	}
	return s, err
}

// parseSettings reads a fixture file, which may be for any component.
func parseSettings(data []byte) (*Settings, error) {
	a := txtar.Parse(data)
	s := &Settings{Args: map[string][]string{}, Types: map[string][]string{}}
	n := 0
	for line := range strings.Lines(string(a.Comment)) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, value, _ := strings.Cut(line, " ")
		value = strings.TrimSpace(value)
		if value == "" {
			return nil, fmt.Errorf("line %d: expected a setting and its value, got %s", n, line)
		}
		var err error
		switch key {
		case "component":
			s.Components = append(s.Components, value)
		case "fixture":
			s.Fixtures = append(s.Fixtures, value)
		case "arg":
			name, expr, ok := strings.Cut(value, "=")
			if !ok || expr == "" {
				return nil, fmt.Errorf("line %d: expected arg NAME=EXPRESSION, got %s", n, line)
			}
			s.Args[name] = append(s.Args[name], expr)
		case "type":
			name, expr, ok := strings.Cut(value, "=")
			if !ok || expr == "" {
				return nil, fmt.Errorf("line %d: expected type TYPE=EXPRESSION, got %s", n, line)
			}
			s.Types[name] = append(s.Types[name], expr)
		case "import":
			s.Imports = append(s.Imports, value)
		case "as":
			s.As = value
		case "words":
			s.Words, err = strconv.Atoi(value)
		case "random":
			s.Random, err = strconv.Atoi(value)
		case "length":
			s.Length, err = strconv.Atoi(value)
		case "limit":
			s.Limit, err = time.ParseDuration(value)
		default:
			return nil, fmt.Errorf("line %d: unknown setting %s; there are component, fixture, arg, type, import, as, words, random, length and limit", n, key)
		}
		if err != nil || s.Words < 0 || s.Random < 0 || s.Length < 0 || s.Limit < 0 {
			return nil, fmt.Errorf("line %d: %s is no value of %s", n, value, key)
		}
	}
	for _, f := range a.Files {
		if !strings.HasSuffix(f.Name, ".go") {
			return nil, fmt.Errorf("%s is no Go file", f.Name)
		}
		s.Files = append(s.Files, File{f.Name, f.Data})
	}
	return s, nil
}

// SplitFixture divides CONSTRUCTOR=EXPRESSION. Without the name of a constructor of the
// interface it is all an expression, for any.
func SplitFixture(i *typestate.Interface, text string) (constructor, expr string) {
	if name, expr, ok := strings.Cut(text, "="); ok && slices.ContainsFunc(i.Constructors, func(k typestate.Constructor) bool { return k.ID == name || k.Method == name }) {
		return name, expr
	}
	return "", text
}

// A FixtureError says that the type cannot be driven without a fixture or
// arguments.
type FixtureError struct{ text string }

func (e *FixtureError) Error() string { return e.text }
