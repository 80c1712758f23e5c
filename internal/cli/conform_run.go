// SPDX-License-Identifier: Apache-2.0

package cli

// This file is conform -table -run: the types of protocols are read and run, and the cells of the protocols are counted,
// those that are proved and those that are only seen.

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/interlock-go/interlock/internal/compat"
	"github.com/interlock-go/interlock/typestate"
)

// ran is what a row has with -run.
type ran struct {
	Tally     *compat.Tally `json:"tally,omitempty"`     // of the cells of the protocol
	NotRun    string        `json:"notRun,omitempty"`    // why the type was not run
	NotDriven []string      `json:"notDriven,omitempty"` // calls, and why
	Defects   []string      `json:"defects,omitempty"`   // runs that contradict what is proved
}

// counted sees to it that the cells of an entry are counted even if it was given up.
func (row *tableRow) counted(p *compat.Protocol) {
	if row.Tally == nil {
		t := p.Tally()
		row.Tally = &t
	}
}

// short is a row in a line, while others are worked on.
func (row *tableRow) short() string {
	if row.Tally == nil {
		return fmt.Sprintf("%s: %v", row.ID, row.Verdict)
	}
	t := row.Tally.Total()
	return fmt.Sprintf("%s: %d of %d cells proved, %d seen, %d open, %d wrong", row.ID, t.Proved, t.All, t.Seen+t.Claimed, t.Open(), t.Wrong)
}

// runLimit is the time for running one entry.
func (o *conformOptions) runLimit() time.Duration {
	if o.running.mode != "" {
		return o.entryLimit()
	}
	return 0
}

// args are the flags for the process of an entry.
func (o *runOptions) args() (args []string) {
	if o.mode == "" {
		return nil
	}
	args = append(args, map[string]string{runJoin: "-run", runOnly: "-run=only"}[o.mode])
	if o.words.words > 0 {
		args = append(args, "-words", fmt.Sprint(o.words.words))
	}
	if o.extra > 0 {
		args = append(args, "-extra", fmt.Sprint(o.extra-1))
	}
	if o.words.seed > 0 {
		args = append(args, "-seed", fmt.Sprint(o.words.seed))
	}
	if o.words.limit > 0 {
		args = append(args, "-limit", o.words.limit.String())
	}
	return args
}

// runEntry reads and runs the type that an entry is about, and compares.
func (o *conformOptions) runEntry(ctx context.Context, c *invocation, p *compat.Protocol) (row tableRow) {
	row = tableRow{ID: p.ID, Difficulty: p.Difficulty, Regular: p.Regular}
	defer row.counted(p)
	var i *typestate.Interface
	q, err := p.Question()
	if err != nil {
		row.Reason = err.Error()
		return row
	}
	var unread error
	if o.running.mode == runJoin {
		one, cancel := context.WithTimeout(ctx, o.entryLimit())
		if i, unread = o.entryInterface(one, c, q); one.Err() != nil {
			i, unread = nil, fmt.Errorf("no interface within %v", o.entryLimit())
		} else if unread != nil {
			i = nil
		}
		cancel()
	}
	one, cancel := context.WithTimeout(ctx, o.runLimit())
	defer cancel()
	read := i != nil
	if joined := o.learnedEntry(one, c, p, i, q, &row); joined != nil {
		i = joined
	}
	if i == nil {
		row.Reason = row.NotRun
		if unread != nil {
			row.Reason, _, _ = strings.Cut(unread.Error(), "\n")
		}
		return row
	}
	r, err := compat.Conform(ctx, i, p)
	if err != nil {
		row.Reason = err.Error()
		return row
	}
	row.compared(r)
	list := []compat.Compared{{Interface: i, Result: r}}
	t := p.Tally(list...)
	if read && t.Total().Open() > 0 && len(q.Others) == 0 && one.Err() == nil {
		// What was read may be of no use for what is open, where it depends on values that runs do not tell.
		alone := *o
		alone.running.mode = runOnly
		var other tableRow
		if seen := alone.learnedEntry(one, c, p, nil, q, &other); seen != nil {
			if r, err := compat.Conform(ctx, seen, p); err == nil {
				list = append(list, compat.Compared{Interface: seen, Result: r})
				t = p.Tally(list...)
			}
		}
	}
	row.Tally = &t
	if o.keep != "" {
		if err := o.keepEntry(p, i, r); err != nil {
			row.Reason = err.Error()
		}
	}
	return row
}

// learnedEntry runs the type of an entry; nil if it cannot. A crash is no result: the table goes on.
func (o *conformOptions) learnedEntry(ctx context.Context, c *invocation, p *compat.Protocol, i *typestate.Interface, q compat.Question, row *tableRow) (joined *typestate.Interface) {
	defer func() {
		if r := recover(); r != nil {
			joined, row.NotRun = nil, fmt.Sprintf("internal error: %v", r)
		}
	}()
	d := drive{i: i, dir: cmp.Or(o.dir, "."), kinds: q.Errors, methods: q.Methods, scratch: o.dir == ""}
	d.opt.Hints = p.Arguments()
	joined, wrong, notes, err := o.running.learned(ctx, c, &d, q.Name, nil)
	switch {
	case ctx.Err() != nil:
		joined, row.NotRun = nil, fmt.Sprintf("no result within %v", o.runLimit())
	case err != nil:
		joined = nil
		row.NotRun, _, _ = strings.Cut(err.Error(), "\n")
	}
	for _, w := range wrong {
		row.Defects = append(row.Defects, w.String())
	}
	row.NotDriven = notes
	return joined
}

// ranTable prints the table of -run.
func (o *conformOptions) ranTable(c *invocation, rows []tableRow) (int, error) {
	var t compat.Tally
	closed, code := 0, exitDone
	for _, r := range rows {
		t.Forbidden, t.Allowed = t.Forbidden.Sum(r.Tally.Forbidden), t.Allowed.Sum(r.Tally.Allowed)
		switch total := r.Tally.Total(); {
		case total.Wrong > 0 || len(r.Defects) > 0:
			code = exitNo
		case total.Open() == 0:
			closed++
		case code == exitDone:
			code = exitUndecided
		}
	}
	if o.json {
		text, err := json.MarshalIndent(rows, "", "  ")
		if err != nil {
			return exitWrong, err
		}
		return code, c.print(append(text, '\n'))
	}
	var w bytes.Buffer
	table := [][]string{{"entry", "proved", "seen", "open", "wrong", "forbidden", "allowed", "what is open first, or why"}}
	for _, r := range rows {
		n := r.Tally.Total()
		share := func(s compat.Share) string { return fmt.Sprintf("%d/%d", s.Found(), s.All) }
		table = append(table, []string{r.ID, fmt.Sprint(n.Proved), fmt.Sprint(n.Seen + n.Claimed), fmt.Sprint(n.Open()), fmt.Sprint(n.Wrong),
			share(r.Tally.Forbidden), share(r.Tally.Allowed), shortened(r.why(), 160)})
	}
	w.Write(aligned(table))
	fmt.Fprintln(&w)
	for _, s := range []struct {
		name string
		compat.Share
	}{{"forbidden", t.Forbidden}, {"allowed", t.Allowed}} {
		fmt.Fprintf(&w, "%s cells found: %d of %d (%s): %d proved, ", s.name, s.Found(), s.All, percent(s.Found(), s.All), s.Proved)
		if s.Claimed > 0 {
			fmt.Fprintf(&w, "%d claimed, ", s.Claimed)
		}
		fmt.Fprintf(&w, "%d only seen; %d open, of them %d coarser; %d wrong\n", s.Seen, s.Open(), s.Coarser, s.Wrong)
	}
	fmt.Fprintf(&w, "entries with no open cell: %d of %d\n", closed, len(rows))
	for _, r := range rows {
		for _, d := range r.Defects {
			fmt.Fprintf(&w, "a defect of Interlock: %s: %s\n", r.ID, d)
		}
	}
	return code, c.print(w.Bytes())
}

// why says what is open in a row.
func (r *tableRow) why() string {
	if len(r.Defects) > 0 {
		return "a run contradicts what is proved: " + r.Defects[0]
	}
	if n := r.Tally.Total(); n.Open()+n.Wrong == 0 {
		return ""
	}
	parts := []string{r.Reason}
	if len(r.Word) > 0 {
		parts[0] = strings.Join(r.Word, " ") + ": " + r.Reason
	}
	if r.NotRun != "" && r.NotRun != r.Reason {
		parts = append(parts, "not run: "+r.NotRun)
	}
	if len(r.NotDriven) > 0 {
		parts = append(parts, r.NotDriven[0])
	}
	return strings.TrimPrefix(strings.Join(parts, "; "), "; ")
}

func shortened(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n]) + "…"
	}
	return text
}

func percent(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100*float64(n)/float64(of))
}
