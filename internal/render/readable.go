// SPDX-License-Identifier: Apache-2.0

package render

// This file writes labels and guards of Go types as Go code. The text form of
// programs, in which interface files have them, quotes names that are no identifiers
// and has an enum for what may be nil.

import (
	"regexp"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

var (
	quotedName = regexp.MustCompile("`((len|cap)\\([\\w.]+\\)|[\\w.]+)`")
	notNil     = regexp.MustCompile("== `non-nil`")
	isNil      = regexp.MustCompile("!= `non-nil`")
)

// GoText is a formula of a Go type as Go code, as far as it can be.
func GoText(formula string) string {
	if !strings.Contains(formula, "`") {
		return formula
	}
	formula = notNil.ReplaceAllString(formula, "!= nil")
	formula = isNil.ReplaceAllString(formula, "== nil")
	return quotedName.ReplaceAllString(formula, "$1")
}

// readable is the interface as it is shown to people.
func readable(i *typestate.Interface) *typestate.Interface {
	if i.Component.Language != "go" {
		return i
	}
	i = i.Clone()
	for k := range i.States {
		i.States[k].Label = GoText(i.States[k].Label)
	}
	for k := range i.Calls {
		i.Calls[k].Guard = GoText(i.Calls[k].Guard)
	}
	for k := range i.Constructors {
		i.Constructors[k].Guard = GoText(i.Constructors[k].Guard)
	}
	return i
}
