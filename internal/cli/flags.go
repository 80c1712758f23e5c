// SPDX-License-Identifier: Apache-2.0

package cli

// This file declares the flags that commands share. Their values check
// themselves, so that a wrong one is reported with what was expected before
// any file is read; package flag would say "parse error".

import (
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/internal/render"
)

// duration is the value of a time limit.
type duration time.Duration

func (d duration) std() time.Duration { return time.Duration(d) }

// flagValue adds a flag whose value is set by a function; the error of the
// function says what was expected.
func flagValue(fs *flag.FlagSet, o *options, name, usage, expected string, set func(string) bool) {
	fs.Func(name, usage, func(text string) error {
		if set(text) {
			return nil
		}
		err := usagef("-%s %q: expected %s", name, text, expected)
		if o.wrong == nil {
			o.wrong = err
		}
		return err
	})
}

func countFlag(fs *flag.FlagSet, o *options, p *int, name string, most int, usage, expected string) {
	flagValue(fs, o, name, usage, expected, func(text string) bool {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > most {
			return false
		}
		*p = n
		return true
	})
}

func choiceFlag(fs *flag.FlagSet, o *options, p *string, name string, choices []string, usage string) {
	flagValue(fs, o, name, usage, "one of "+strings.Join(choices, ", "), func(text string) bool {
		*p = text
		return slices.Contains(choices, text)
	})
}

func synthesisFlags(fs *flag.FlagSet, o *options) {
	const any = 1<<31 - 1
	engines, learners := names(interlock.Engines()), names(interlock.Learners())
	choiceFlag(fs, o, &o.engine, "engine", engines, "how to synthesize: `name` is "+alternatives(engines)+" (default "+engines[0]+")")
	choiceFlag(fs, o, &o.learner, "learner", learners, "learner of engines learn, abstract and symbolic: `name` is "+alternatives(learners)+" (default "+learners[0]+")")
	flagValue(fs, o, "predicate", "predicate of engine abstract, or to start engine witness with: a condition `p` over the state variables, e.g. 'n == 0' (repeatable)", "a condition", func(text string) bool {
		o.predicates = append(o.predicates, text)
		return strings.TrimSpace(text) != ""
	})
	supersets := interlock.Supersets()
	choiceFlag(fs, o, &o.superset, "superset", supersets, "superset question of engine abstract: `name` is "+alternatives(supersets)+" (default "+supersets[0]+")")
	countFlag(fs, o, &o.depth, "depth", 1000, "engine symbolic: claim no more than is checked on words of `k` calls (default: prove it for all)", "a number of calls from 1 to 1000")
	fs.BoolVar(&o.serial, "serial", false, "infinite-word reading: forbid calls after which every continuation errs")
	fs.BoolVar(&o.tight, "tight", false, "keep apart states that differ only in which outcomes can happen")
	provers := names(interlock.Provers())
	choiceFlag(fs, o, &o.prover, "prover", provers, "what finds the invariants of the proof: `name` is "+alternatives(provers)+", z3's, if z3 is installed (default "+provers[0]+")")
	conventions := []string{"no-wrap", "ends"}
	flagValue(fs, o, "assume", "assume a `convention`: no-wrap (counters of 32 bits or more do not overflow) or ends (loops of which that is not known end); repeatable", "one of "+strings.Join(conventions, ", "), func(text string) bool {
		o.assume = append(o.assume, text)
		return slices.Contains(conventions, text)
	})
	countFlag(fs, o, &o.width, "width", 64, "narrow every integer type to `n` bits; that is another component", "a number of bits from 1 to 64")
	countFlag(fs, o, &o.budget, "budget", any, fmt.Sprintf("give up after `n` steps (default %d)", interlock.DefaultBudget), "a positive number of steps")
	countFlag(fs, o, &o.workers, "workers", 1024, "explore with `n` goroutines (default: one per processor; the result is the same)", "a number of goroutines from 1 to 1024")
	fs.BoolVar(&o.slice, "slice", true, "drop variables that cannot matter (default; -slice=false keeps them)")
	flagValue(fs, o, "timeout", "give up after this `time`, e.g. 90s (default: never)", "a positive duration such as 90s or 5m", func(text string) bool {
		d, err := time.ParseDuration(text)
		o.timeout = duration(d)
		return err == nil && d > 0
	})
}

func outputFlags(fs *flag.FlagSet, o *options) {
	formats := formatNames()
	choiceFlag(fs, o, &o.format, "format", formats, "output format: `name` is "+alternatives(formats)+" (default: by the extension of -o, else "+formats[0]+")")
	fs.BoolVar(&o.checks, "checks", false, "list the run-time checks that are not covered (format text)")
	fs.BoolVar(&o.assumptions, "assumptions", false, "list what is assumed (conventions, contracts) and what is approximated (format text)")
	fs.StringVar(&o.output, "o", "", "write to `file` instead of standard output; it is written whole or not at all")
}

func formatNames() []string {
	var all []string
	for _, f := range render.Formats() {
		all = append(all, f.Name)
	}
	return all
}

func names(list []interlock.Choice) []string {
	var all []string
	for _, c := range list {
		all = append(all, c.Name)
	}
	return all
}

// alternatives returns "a, b or c".
func alternatives(list []string) string {
	n := len(list) - 1
	if n < 1 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:n], ", ") + " or " + list[n]
}
