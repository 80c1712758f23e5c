// SPDX-License-Identifier: Apache-2.0

package workers

// This file keeps results in a file, one JSON object on a line, so that a run that
// was interrupted can go on, and parts of one can be put together.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
)

// A log is a file of results that grows; nil keeps nothing.
type log struct{ f *os.File }

// resume opens the file of results and fills in those that it has.
func resume[R any](name string, k Kind[R], types []string, results []*R) (*log, error) {
	if name == "" {
		return nil, nil
	}
	old, err := ReadLines[R](name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, r := range old {
		if i := slices.Index(types, k.Type(r)); i >= 0 {
			results[i] = r
		}
	}
	// Written anew: the last line may be half a one.
	f, err := os.Create(name)
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

func (l *log) add(r any) error {
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

// ReadLines reads a file of results. A last line without an end is left out.
func ReadLines[R any](name string) ([]*R, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var out []*R
	for n := 1; ; n++ {
		line, rest, ok := bytes.Cut(data, []byte("\n"))
		if !ok {
			return out, nil
		}
		r := new(R)
		if err := json.Unmarshal(line, r); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		out, data = append(out, r), rest
	}
}
