// SPDX-License-Identifier: Apache-2.0

package cert

// This file writes obligations as SMT-LIB files. Choices are written as those
// that were found, so every file is free of quantifiers; an obligation with
// choices that was not proved has no file of its own and is named in the note.

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/interlock-go/interlock/internal/term"
)

// A File is an obligation as SMT-LIB text.
type File struct {
	Name string
	Data []byte
}

// SMT2 returns one file for each obligation, each with the answer that proves
// it as its status, and the note NOTES.txt of what has no file.
func (r *Report) SMT2() ([]File, error) {
	var files []File
	var notes strings.Builder
	fmt.Fprintf(&notes, "%d obligations. Each file is answered by its :status if the obligation holds.\n", len(r.Obligations))
	for _, text := range r.Assumed {
		fmt.Fprintf(&notes, "assumed of states before calls and at loop heads: %s\n", text)
	}
	for k := range r.Obligations {
		o := &r.Obligations[k]
		switch {
		case o.Kind == "form":
			fmt.Fprintf(&notes, "no file, nothing to solve: %s: %s (%s)\n", o.Name, o.What, o.Verdict)
			continue
		case o.Goal != nil && o.Verdict != Proved:
			fmt.Fprintf(&notes, "no file, no choices are known: %s: %s (%s)\n", o.Name, o.What, o.Verdict)
			continue
		}
		var b bytes.Buffer
		fmt.Fprintf(&b, "; %s\n(set-logic QF_BV)\n(set-info :status %v)\n", strings.ReplaceAll(o.What, "\n", " "), o.Expect)
		q := r.pool.And(o.Query(r.pool)...)
		if err := term.Declare(&b, term.FreeVars(q)); err != nil {
			return nil, fmt.Errorf("obligation %s: %w", o.Name, err)
		}
		b.WriteString("(assert ")
		if err := term.WriteSMT(&b, q); err != nil {
			return nil, err
		}
		b.WriteString(")\n(check-sat)\n")
		files = append(files, File{fmt.Sprintf("%05d-%s.smt2", k, o.Kind), b.Bytes()})
	}
	return append(files, File{"NOTES.txt", []byte(notes.String())}), nil
}
