// SPDX-License-Identifier: Apache-2.0

package main

// This file keeps results in a file, one JSON object on a line, so that a sweep that
// was interrupted can go on, and shards of one can be put together.

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
)

// again ends the name of the file with the results of the second run.
const again = ".again"

// A log is a file of results that grows; nil keeps nothing.
type log struct{ f *os.File }

// resume opens the file of results and fills in those that it has.
func (s *sweep) resume(types []string, results []*result) (*log, error) {
	if s.lines == "" {
		return nil, nil
	}
	old, err := readLines(s.lines)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, r := range old {
		if i := slices.Index(types, r.Type); i >= 0 {
			results[i] = r
		}
	}
	// Written anew: the last line may be half a one.
	f, err := os.Create(s.lines)
	if err != nil {
		return nil, err
	}
	l := &log{f}
	for _, r := range old {
		if err := l.add(r); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func (l *log) add(r *result) error {
	if l == nil {
		return nil
	}
	data, err := json.Marshal(r)
	if err == nil {
		_, err = l.f.Write(append(data, '\n'))
	}
	return err
}

func (l *log) close() {
	if l != nil {
		l.f.Close()
	}
}

// readLines reads a file of results. A last line without an end is left out.
func readLines(name string) ([]*result, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var out []*result
	for n := 1; ; n++ {
		line, rest, ok := bytes.Cut(data, []byte("\n"))
		if !ok {
			return out, nil
		}
		r := &result{}
		if err := json.Unmarshal(line, r); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		out, data = append(out, r), rest
	}
}

// readReport reports on files of results, in the order of their types. Second runs
// count where both runs have a type.
func readReport(names []string) (*report, error) {
	if len(names) == 0 {
		return nil, errors.New("-report needs the names of files")
	}
	var first, second []*result
	twice := true
	for _, name := range names {
		part, err := readLines(name)
		if err != nil {
			return nil, err
		}
		first = append(first, part...)
		part, err = readLines(name + again)
		if errors.Is(err, fs.ErrNotExist) {
			twice = false
		} else if err != nil {
			return nil, err
		}
		second = append(second, part...)
	}
	byType := func(a, b *result) int { return cmp.Compare(a.Type, b.Type) }
	slices.SortStableFunc(first, byType)
	first = slices.CompactFunc(first, func(a, b *result) bool { return a.Type == b.Type })
	r := newReport(first)
	if twice {
		r.compare(second)
	}
	return r, nil
}
