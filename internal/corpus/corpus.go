// SPDX-License-Identifier: Apache-2.0

// Package corpus holds components with known interfaces: the files of
// testdata/corpus, families of growing size, and seeded random components and Go types.
//
// A case is one txtar archive NAME.txtar. Its comment says what the component
// is, where it comes from and why the expected interface is what it is; lines
// of the comment may set flags. The archive holds the component in the text
// form, NAME.open, and its expected interface, expect, a table in the language
// that ParseExpect reads.
//
// The tables were derived by hand, the large ones by an exploration that shares
// no code with this module, so they are evidence about the engines and not a
// record of what some engine once printed. For that reason there is no flag
// that rewrites them.
package corpus

// This file reads cases. Flags are a list of words and not a struct of options:
// the corpus must not know the options of the program that runs it.

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"
)

// A Case is a component with its expected interface.
type Case struct {
	Name    string   // file name without extension
	Comment string   // what the component is and what is expected, without flag lines
	Source  string   // the component in the text form
	File    string   // name of the source in the archive: Name + ".open"
	Flags   []string // of `interlock infer`: "-width", "4", "-serial", "-tight"
	// Oracle holds flags under which exhaustive exploration is possible and has
	// the same interface; nil if exploration needs none beyond Flags.
	Oracle []string
	Expect *Expect
}

// Load reads every case of a directory, sorted by name.
func Load(dir string) ([]Case, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("corpus: no .txtar files in %s", dir)
	}
	slices.Sort(names)
	var cases []Case
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		c, err := Parse(strings.TrimSuffix(filepath.Base(name), ".txtar"), text)
		if err != nil {
			return nil, err
		}
		cases = append(cases, c)
	}
	return cases, nil
}

// Parse reads one case.
func Parse(name string, text []byte) (Case, error) {
	a := txtar.Parse(text)
	c := Case{Name: name, File: name + ".open"}
	var comment []string
	for line := range strings.Lines(string(a.Comment)) {
		line = strings.TrimRight(line, "\r\n")
		if rest, ok := strings.CutPrefix(line, "flags:"); ok {
			c.Flags = strings.Fields(rest)
		} else if rest, ok := strings.CutPrefix(line, "oracle:"); ok {
			c.Oracle = strings.Fields(rest)
		} else {
			comment = append(comment, line)
		}
	}
	c.Comment = strings.TrimSpace(strings.Join(comment, "\n"))
	if c.Comment == "" {
		return Case{}, fmt.Errorf("%s.txtar: no comment: say what the component is and why the table is right", name)
	}
	seen := map[string]bool{}
	for _, f := range a.Files {
		if seen[f.Name] {
			return Case{}, fmt.Errorf("%s.txtar: two files %s", name, f.Name)
		}
		seen[f.Name] = true
		switch f.Name {
		case c.File:
			c.Source = string(f.Data)
		case "expect":
			e, err := ParseExpect(string(f.Data))
			if err != nil {
				return Case{}, fmt.Errorf("%s.txtar: expect:%w", name, err)
			}
			c.Expect = e
		default:
			return Case{}, fmt.Errorf("%s.txtar: unexpected file %s: want %s and expect", name, f.Name, c.File)
		}
	}
	if c.Source == "" || c.Expect == nil {
		return Case{}, fmt.Errorf("%s.txtar: want the files %s and expect", name, c.File)
	}
	return c, nil
}

// Has reports whether a flag such as "-serial" is set.
func (c *Case) Has(flag string) bool { return slices.Contains(c.Flags, flag) }

// Width is the value of -width in Flags, or 0.
func (c *Case) Width() int { return width(c.Flags) }

// OracleWidth is the width at which the component can be explored
// exhaustively with the same interface: that of Oracle, or else of Flags.
func (c *Case) OracleWidth() int {
	if c.Oracle != nil {
		return width(c.Oracle)
	}
	return c.Width()
}

func width(flags []string) int {
	k := slices.Index(flags, "-width")
	if k < 0 || k+1 == len(flags) {
		return 0
	}
	n, err := strconv.Atoi(flags[k+1])
	if err != nil {
		return 0
	}
	return n
}
