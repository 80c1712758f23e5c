// SPDX-License-Identifier: Apache-2.0

package cli

// This file declares the flags that commands share. Their values check
// themselves, so that a wrong one is reported with what was expected before
// any file is read; package flag would say "parse error".

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/interlock-go/interlock/internal/render"
)

// A flagSet is the flags of a command.
type flagSet struct {
	*flag.FlagSet
	wrong   error         // the first value that a flag does not accept
	timeout time.Duration // of the command; 0 is none
}

// newFlagSet declares the flags of a command.
func newFlagSet(name string, o options) *flagSet {
	fs := &flagSet{FlagSet: flag.NewFlagSet(name, flag.ContinueOnError)}
	fs.SetOutput(io.Discard)
	o.flags(fs)
	return fs
}

// value adds a flag whose value is set by a function, which reports whether it accepts it; expected says what it accepts.
func (fs *flagSet) value(name, usage, expected string, set func(string) bool) {
	fs.Func(name, usage, func(text string) error {
		if set(text) {
			return nil
		}
		err := usagef("-%s %q: expected %s", name, text, expected)
		if fs.wrong == nil {
			fs.wrong = err
		}
		return err
	})
}

// A countRange is what a flag that counts accepts: 1 to most, with the words for it.
type countRange struct {
	most     int
	expected string
}

// anyCount accepts every positive number of things.
func anyCount(things string) countRange {
	return countRange{1<<31 - 1, "a positive number of " + things}
}

// upTo accepts 1 to most things.
func upTo(most int, things string) countRange {
	return countRange{most, fmt.Sprintf("a number of %s from 1 to %d", things, most)}
}

// count adds a flag whose value is a positive number.
func (fs *flagSet) count(p *int, name, usage string, r countRange) {
	fs.value(name, usage, r.expected, func(text string) bool {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > r.most {
			return false
		}
		*p = n
		return true
	})
}

// choice adds a flag whose value is one of a few words.
func (fs *flagSet) choice(p *string, name, usage string, choices []string) {
	fs.value(name, usage, "one of "+strings.Join(choices, ", "), func(text string) bool {
		*p = text
		return slices.Contains(choices, text)
	})
}

// list adds a flag that may be repeated.
func (fs *flagSet) list(p *[]string, name, usage, expected string, accepts func(string) bool) {
	fs.value(name, usage, expected, func(text string) bool {
		*p = append(*p, text)
		return accepts(text)
	})
}

// notBlank and notEmpty are what flags accept.
func notBlank(text string) bool { return strings.TrimSpace(text) != "" }
func notEmpty(text string) bool { return text != "" }

// duration adds a flag whose value is a positive duration, such as the example.
func (fs *flagSet) duration(p *time.Duration, name, usage, example string) {
	fs.value(name, usage, "a positive duration such as "+example, func(text string) bool {
		d, err := time.ParseDuration(text)
		*p = d
		return err == nil && d > 0
	})
}

// limit adds -timeout, which limits the command.
func (fs *flagSet) limit() {
	fs.duration(&fs.timeout, "timeout", "give up after this `time`, e.g. 90s (default: never)", "90s or 5m")
}

// given says of a flag whether it was set.
type given struct {
	name string
	set  bool
}

// firstGiven is the first flag of a list that was set, or "".
func firstGiven(list []given) string {
	for _, f := range list {
		if f.set {
			return f.name
		}
	}
	return ""
}

func formatNames() []string {
	var all []string
	for _, f := range render.Formats() {
		all = append(all, f.Name)
	}
	return all
}

// names are those of a list of values.
func names[T fmt.Stringer](list []T) []string {
	var all []string
	for _, v := range list {
		all = append(all, v.String())
	}
	return all
}

// choices are the values of a type of the library, in order.
func choices[T interface {
	~uint8
	fmt.Stringer
}]() []T {
	var all []T
	for v := T(0); v.String() != "unknown"; v++ {
		all = append(all, v)
	}
	return all
}

// find is the value of that name in a list; the first if there is none.
func find[T fmt.Stringer](list []T, name string) T {
	for _, v := range list {
		if v.String() == name {
			return v
		}
	}
	return list[0]
}

// alternatives returns "a, b or c".
func alternatives(list []string) string {
	n := len(list) - 1
	if n < 1 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:n], ", ") + " or " + list[n]
}
