// SPDX-License-Identifier: Apache-2.0

package main

// This file puts files of results together.

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"

	"github.com/interlock-go/interlock/bench/internal/workers"
)

// again ends the name of the file with the results of the second run.
const again = ".again"

// readReport reports on files of results, in the order of their types. Second runs
// count where both runs have a type.
func readReport(names []string) (*report, error) {
	if len(names) == 0 {
		return nil, errors.New("-report needs the names of files")
	}
	var first, second []*result
	twice := true
	for _, name := range names {
		part, err := workers.ReadLines[result](name)
		if err != nil {
			return nil, err
		}
		first = append(first, part...)
		part, err = workers.ReadLines[result](name + again)
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
