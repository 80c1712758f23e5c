// SPDX-License-Identifier: Apache-2.0

package cli

// This file holds conform -table: every Go type of protocol files is synthesized
// and compared. One entry cannot spoil the table: an error, a time limit or a
// crash of it is a row, with the verdict unknown.

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/internal/compat"
	"github.com/interlock-go/interlock/internal/replay"
	"github.com/interlock-go/interlock/typestate"
)

// A tableRow is one entry of the table.
type tableRow struct {
	ID         string         `json:"id"`
	Difficulty string         `json:"difficulty"`
	Regular    bool           `json:"regular"`
	Verdict    compat.Verdict `json:"verdict"`
	Reason     string         `json:"reason"`
	Word       []string       `json:"word"`
	Replay     string         `json:"replay,omitempty"` // agrees, disagrees or why it was not run
	Result     *compat.Result `json:"-"`
	ran                       // with -run
}

// entryTimeout is the time for one entry, if the flag does not say.
const entryTimeout = 5 * time.Minute

func (o *conformOptions) conformTable(ctx context.Context, c *invocation) (int, error) {
	if len(c.args) == 0 {
		return exitWrong, c.expected("protocol files")
	}
	if o.running.mode != "" && o.replayed {
		return exitWrong, usagef("-run: expected it without -replay")
	}
	var entries []tableEntry
	for _, file := range c.args {
		list, err := c.protocols(file)
		if err != nil {
			return exitWrong, err
		}
		for _, p := range list {
			if (p.Language == "go" || p.Language == "java" && o.running.mode == "") && (o.id == "" || p.ID == o.id) {
				entries = append(entries, tableEntry{file, p})
			}
		}
	}
	if len(entries) == 0 {
		return exitWrong, usagef("no entry of a Go type or Java class in %s", strings.Join(c.args, ", "))
	}
	rows, err := o.tableRows(ctx, c, entries)
	if err != nil {
		return exitWrong, err
	}
	if o.running.mode != "" {
		return o.ranTable(c, rows)
	}
	code := exitDone
	for _, r := range rows {
		switch {
		case strings.HasPrefix(r.Replay, replayDisagrees):
			code = exitNo
		case r.Replay != "" && !strings.HasPrefix(r.Replay, replayAgrees) && code == exitDone:
			code = exitUndecided
		}
		switch r.Verdict {
		case compat.Wrong:
			code = exitNo
		case compat.Exact:
		default:
			if code == exitDone {
				code = exitUndecided
			}
		}
	}
	if o.json {
		text, err := json.MarshalIndent(rows, "", "  ")
		if err != nil {
			return exitWrong, err
		}
		return code, c.print(append(text, '\n'))
	}
	return code, c.print(tableText(rows))
}

// A tableEntry is an entry of a protocol file.
type tableEntry struct {
	file     string
	protocol *compat.Protocol
}

// tableRows makes the rows of entries, several at a time.
func (o *conformOptions) tableRows(ctx context.Context, c *invocation, entries []tableEntry) ([]tableRow, error) {
	rows := make([]tableRow, len(entries))
	var next atomic.Int64
	var wait sync.WaitGroup
	var output sync.Mutex
	done := 0
	for range max(1, o.jobs) {
		wait.Go(func() {
			for k := int(next.Add(1)) - 1; k < len(entries) && ctx.Err() == nil; k = int(next.Add(1)) - 1 {
				rows[k] = o.entry(ctx, c, entries[k].file, entries[k].protocol)
				output.Lock()
				if done++; ctx.Err() == nil && (c.Terminal || o.running.mode != "") && o.isolate {
					fmt.Fprintf(c.Err, "%d of %d: %s\n", done, len(entries), rows[k].short())
				}
				output.Unlock()
			}
		})
	}
	wait.Wait()
	return rows, ctx.Err()
}

// entryGrace is the time that an entry has beyond its limit to notice it.
const entryGrace = 20 * time.Second

func (o *conformOptions) entryLimit() time.Duration {
	if limit := o.perEntry; limit > 0 {
		return limit
	}
	return entryTimeout
}

// entry makes the row of an entry, in a process of its own if it can: one that
// runs out of memory or does not notice its time limit cannot spoil the others.
func (o *conformOptions) entry(ctx context.Context, c *invocation, file string, p *compat.Protocol) (row tableRow) {
	self, err := os.Executable()
	if !o.isolate || file == "-" || err != nil {
		if o.running.mode != "" {
			return o.runEntry(ctx, c, p)
		}
		return o.conformEntry(ctx, c, p)
	}
	row = tableRow{ID: p.ID, Difficulty: p.Difficulty, Regular: p.Regular}
	limit := o.entryLimit()
	ctx, cancel := context.WithTimeout(ctx, limit+o.replayLimit()+o.runLimit()+entryGrace)
	defer cancel()
	if o.running.mode != "" {
		defer row.counted(p)
	}
	args := []string{"conform", "-table", "-isolate=false", "-json", "-id", p.ID, "-entry-timeout", limit.String()}
	if o.keep != "" {
		args = append(args, "-keep", o.keep)
	}
	if o.dir != "" {
		args = append(args, "-dir", o.dir)
	}
	if o.replayed {
		args = append(args, "-replay")
	}
	if files := o.running.driving.fixtureFiles; files != "" {
		args = append(args, "-fixtures", files)
	}
	args = append(args, o.running.args()...)
	for _, name := range o.scope.contracts {
		args = append(args, "-contracts", name)
	}
	for _, pattern := range o.scope.inline {
		args = append(args, "-inline="+pattern)
	}
	if o.java.jdk != "" {
		args = append(args, "-jdk", o.java.jdk)
	}
	if o.java.classPath != "" {
		args = append(args, "-cp", o.java.classPath)
	}
	if o.budget > 0 {
		args = append(args, "-budget", fmt.Sprint(o.budget))
	}
	cmd := exec.CommandContext(ctx, self, append(args, "--", file)...)
	cmd.WaitDelay = entryGrace
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it ends what it has started
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	var rows []tableRow
	switch {
	case ctx.Err() != nil:
		row.Reason = fmt.Sprintf("no interface within %v", limit)
	case json.Unmarshal(out.Bytes(), &rows) == nil && len(rows) == 1:
		return rows[0]
	default:
		row.Reason = "it crashed"
		for _, line := range strings.Split(errs.String(), "\n") {
			if line = strings.TrimSpace(line); line != "" {
				row.Reason += ": " + line
				break
			}
		}
		if err != nil && errs.Len() == 0 {
			row.Reason += ": " + err.Error()
		}
	}
	return row
}

// conformEntry synthesizes the interface that an entry is about and compares it.
func (o *conformOptions) conformEntry(ctx context.Context, c *invocation, p *compat.Protocol) (row tableRow) {
	row = tableRow{ID: p.ID, Difficulty: p.Difficulty, Regular: p.Regular}
	var q compat.Question
	var err error
	if p.Language != "java" {
		q, err = p.Question()
	}
	if err != nil {
		row.Reason = err.Error()
		return row
	}
	limit := o.entryLimit()
	one, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	i, err := o.interfaceOf(one, c, p, q)
	switch {
	case one.Err() != nil:
		row.Reason = fmt.Sprintf("no interface within %v", limit)
		return row
	case err != nil:
		row.Reason, _, _ = strings.Cut(err.Error(), "\n")
		return row
	}
	r, err := compat.Conform(one, i, p)
	if err != nil {
		row.Reason = err.Error()
		return row
	}
	row.compared(r)
	if o.keep != "" {
		if err := o.keepEntry(p, i, r); err != nil {
			row.Verdict, row.Reason = compat.Unknown, err.Error()
		}
	}
	if o.replayed && row.Verdict == compat.Exact {
		row.Replay = o.replayEntry(ctx, c, p, i, false)
		if len(r.LeftOut) > 0 && strings.HasPrefix(row.Replay, replayAgrees) {
			o.replayReading(ctx, c, p, i, r, &row)
		}
	}
	return row
}

// compared says how an interface compares with the protocol.
func (row *tableRow) compared(r *compat.Result) {
	row.Verdict, row.Result = r.Verdict, r
	if r.Shortest != nil {
		row.Word = r.Shortest.Word
		row.Reason = r.Shortest.Reason
		if r.Verdict != compat.Unknown || row.Reason == "" {
			row.Reason = fmt.Sprintf("%s, interface %s", r.Shortest.Protocol, r.Shortest.Interface)
			if r.Shortest.Reason != "" {
				row.Reason += ": " + r.Shortest.Reason
			}
		}
	} else if len(r.Reasons) > 0 {
		row.Reason = r.Reasons[0]
	} else if len(r.LeftOut) > 0 {
		row.Reason = "read without " + strings.Join(leftOut(r), ", ")
	}
}

// leftOut lists the outcomes that a reading leaves out in some state.
func leftOut(r *compat.Result) (list []string) {
	for _, e := range r.LeftOut {
		list = append(list, e.Call+"="+e.Outcome)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// replayReading runs the type of an entry against its interface without the outcomes that the reading of the protocol leaves out. If
// one of them is seen, the interface is not known to be exact.
func (o *conformOptions) replayReading(ctx context.Context, c *invocation, p *compat.Protocol, i *typestate.Interface, r *compat.Result, row *tableRow) {
	seen := o.replayEntry(ctx, c, p, r.Narrow(i), true)
	if strings.HasPrefix(seen, replayAgrees) {
		row.Replay += "; never " + strings.Join(leftOut(r), ", ") + ", without which it is read"
		return
	}
	row.Verdict, row.Replay = compat.Unknown, ""
	if word, ok := strings.CutPrefix(seen, replayDisagrees+" "); ok {
		row.Reason = "an outcome was seen that the reading leaves out: " + word
	} else {
		row.Reason = "whether an outcome is seen that the reading leaves out: " + seen
	}
}

// What the result of a replay begins with.
const (
	replayAgrees    = "agrees"
	replayDisagrees = "disagrees"
)

// replayLimit is the time for the replay of one entry.
func (o *conformOptions) replayLimit() time.Duration {
	if o.replayed {
		return o.entryLimit()
	}
	return 0
}

// replayEntry runs the type of an entry against its interface; only: with slices that are as long as the protocol says.
func (o *conformOptions) replayEntry(ctx context.Context, c *invocation, p *compat.Protocol, i *typestate.Interface, only bool) string {
	ctx, cancel := context.WithTimeout(ctx, o.replayLimit())
	defer cancel()
	d := drive{i: i, dir: cmp.Or(o.dir, ".")}
	d.opt.Hints, d.opt.Only = p.Arguments(), only
	if err := o.running.driving.settings(c, &d, wordOptions{}); err != nil {
		return "could not run: " + err.Error()
	}
	r, err := d.run(ctx)
	var fixture *replay.FixtureError
	switch {
	case errors.As(err, &fixture):
		return "needs a fixture: " + err.Error()
	case err != nil && ctx.Err() != nil:
		return fmt.Sprintf("no result within %v", o.replayLimit())
	case err != nil:
		return "could not run: " + err.Error()
	case len(r.Disagreements) > 0:
		return replayDisagrees + " after " + r.Disagreements[0]
	}
	_, cells, _ := strings.Cut(r.Summary, "; ")
	text := replayAgrees + ": " + cells
	if len(r.Notes) > 0 {
		text += "; " + r.Notes[0]
	}
	return text
}

// entryInterface synthesizes an interface. A crash is an error: the table goes on.
func (o *conformOptions) entryInterface(ctx context.Context, c *invocation, q compat.Question) (i *typestate.Interface, err error) {
	defer func() {
		if r := recover(); r != nil {
			i, err = nil, fmt.Errorf("internal error: %v", r)
		}
	}()
	files, err := o.scope.files(c)
	if err != nil {
		return nil, err
	}
	kinds := q.Errors
	if len(kinds) == 0 {
		kinds = []string{"panic"} // the protocol tells of no other error
	}
	t := goType{q.Name, interlock.LoadConfig{Dir: o.dir, Env: os.Environ()}, interlock.GoOptions{Contracts: files, Inline: o.scope.inline, Package: q.Package, Errors: kinds,
		Constructors: q.Constructors, Factories: q.Factories, Methods: slices.Concat(q.Methods, q.Others)}}
	// What the front end does not know is asked for no more: calls that are not
	// methods, then calls that make the object. The first error says why.
	tries := []func(){
		func() {},
		func() { t.how.Methods = q.Methods },
		func() { t.how.Constructors, t.how.Factories = nil, nil },
	}
	var first error
	for k, change := range tries {
		if k == 1 && len(q.Others) == 0 || k == 2 && len(q.Constructors)+len(q.Factories) == 0 {
			continue
		}
		change()
		err = withModules(ctx, t, func(t goType) error {
			r, err := t.infer(ctx, &interlock.Options{Limits: interlock.Limits{Steps: o.budget}})
			if err == nil {
				i = r.Interface
			}
			return err
		})
		if err == nil || undecided(err) || noModule(err) || ctx.Err() != nil {
			return i, err
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

var unsafeName = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)

// keepEntry writes the interface of an entry and the result to files.
func (o *conformOptions) keepEntry(p *compat.Protocol, i *typestate.Interface, r *compat.Result) error {
	if err := os.MkdirAll(o.keep, 0o777); err != nil {
		return fmt.Errorf("-keep %s: %v", o.keep, reason(err))
	}
	name := filepath.Join(o.keep, strings.Trim(unsafeName.ReplaceAllString(p.ID, "-"), "-"))
	var b bytes.Buffer
	if err := typestate.Write(&b, i); err != nil {
		return err
	}
	if err := writeNamed("-keep", name+".json", b.Bytes()); err != nil {
		return err
	}
	return writeNamed("-keep", name+".txt", conformText(r, false))
}

// tableText prints the rows, and how many of each kind have which verdict.
func tableText(rows []tableRow) []byte {
	var w bytes.Buffer
	table := [][]string{{"entry", "difficulty", "regular", "verdict", "shortest word, or reason"}}
	for _, r := range rows {
		why := r.Reason
		if r.Replay != "" {
			why = "replay " + r.Replay
		}
		if len(r.Word) > 0 && r.Verdict != compat.Exact {
			why = strings.Join(r.Word, " ") + ": " + why
		}
		if runes := []rune(why); len(runes) > 200 {
			why = string(runes[:200]) + "…"
		}
		table = append(table, []string{r.ID, r.Difficulty, yesNo(r.Regular), r.Verdict.String(), why})
	}
	w.Write(aligned(table))
	fmt.Fprintln(&w)
	var kinds []string
	counts := map[string]map[compat.Verdict]int{}
	for _, r := range rows {
		regular := "regular"
		if !r.Regular {
			regular = "not regular"
		}
		for _, k := range []string{regular + ", " + r.Difficulty, "all"} {
			if counts[k] == nil {
				kinds, counts[k] = append(kinds, k), map[compat.Verdict]int{}
			}
			counts[k][r.Verdict]++
		}
	}
	slices.SortFunc(kinds, func(a, b string) int { return strings.Compare(kindOrder(a), kindOrder(b)) })
	verdicts := []compat.Verdict{compat.Exact, compat.Coarser, compat.Unknown, compat.Wrong}
	sums := [][]string{{""}}
	for _, v := range verdicts {
		sums[0] = append(sums[0], v.String())
	}
	sums[0] = append(sums[0], "entries")
	for _, k := range kinds {
		line, total := []string{k}, 0
		for _, v := range verdicts {
			line, total = append(line, fmt.Sprint(counts[k][v])), total+counts[k][v]
		}
		sums = append(sums, append(line, fmt.Sprint(total)))
	}
	w.Write(aligned(sums))
	return w.Bytes()
}

// kindOrder sorts the sums: regular ones first, easy before medium before hard,
// the total last.
func kindOrder(kind string) string {
	if kind == "all" {
		return "z"
	}
	regular, difficulty, _ := strings.Cut(kind, ", ")
	order := map[string]string{"easy": "1", "medium": "2", "hard": "3"}[difficulty]
	return map[string]string{"regular": "a", "not regular": "b"}[regular] + order + difficulty
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
