// SPDX-License-Identifier: Apache-2.0

package cli

// This file holds the command diff.

import (
	"context"
	"strings"

	"github.com/interlock-go/interlock/internal/diff"
	"github.com/interlock-go/interlock/typestate"
)

func diffCommand() command {
	return command{
		name: "diff", args: "OLD NEW",
		short: "say what a new version forbids and newly allows",
		long: `Diff compares the interfaces of two versions of a component, for a release note
or a gate in continuous integration: what a client may no longer do, what it
newly may, and what errs differently, each with a shortest word.

	interlock diff old.json new.json
	interlock diff -format markdown old.json new.json
	interlock diff example.com/store.Tx@v1.2.0 @v1.3.0
	interlock diff example.com/store.Tx@v1.3.0 ./store.Tx

OLD and NEW are interface files, components, or Go types; PKG.TYPE@VERSION is a
type of a module in the module cache ('go get' puts it there; the network is not
used), and @VERSION alone the same type as OLD. Compare says only whether two
interfaces are equal; diff lists every call that differs.

Cells that are unknown in one version are said apart and never counted. Exit
status 0: what was allowed still is, 1: something that was allowed is not,
3: nothing like that is known, but not everything is kno.`,
		options: func() options { return &diffOptions{} },
	}
}

// diffOptions are those of diff.
type diffOptions struct {
	synthesis      synthesisOptions
	code           goOptions
	format, output string
}

func (o *diffOptions) flags(fs *flagSet) {
	o.synthesis.flags(fs)
	o.code.flags(fs)
	fs.choice(&o.format, "format", "output format: `name` is "+alternatives(diff.Formats())+" (default "+diff.Formats()[0]+")", diff.Formats())
	fs.StringVar(&o.output, "o", "", "write to `file` instead of standard output; it is written whole or not at all")
}

func (o *diffOptions) check() error { return o.synthesis.check() }

func (o *diffOptions) run(ctx context.Context, c *invocation) (int, error) {
	if len(c.args) != 2 {
		return exitWrong, c.expected("two versions OLD and NEW")
	}
	names := c.args
	if strings.HasPrefix(names[1], "@") {
		old, version := splitVersion(names[0])
		if version == "" {
			return exitWrong, usagef("%s: of which type? %s has no version; expected PKG.TYPE@VERSION before it", names[1], shown(names[0]))
		}
		names[1] = old + names[1]
	}
	var sides [2]diff.Side
	for k, name := range names {
		i, err := o.load(ctx, c, name)
		if err != nil {
			return exitWrong, err
		}
		sides[k] = diff.Side{Name: shown(name), Interface: i}
	}
	for _, s := range sides {
		if err := s.Validate(); err != nil {
			return exitWrong, usagef("%s: %w", s.Name, err)
		}
	}
	r := diff.Of(sides[0], sides[1])
	text, err := r.Write(o.format)
	if err != nil {
		return exitWrong, err
	}
	if o.output != "" && o.output != "-" {
		err = writeFile(o.output, text)
	} else {
		err = c.print(text)
	}
	if err != nil {
		return exitWrong, err
	}
	return answerStatus[r.Answer], nil
}

// load reads an interface file, or synthesizes the interface of a component or type.
func (o *diffOptions) load(ctx context.Context, c *invocation, name string) (*typestate.Interface, error) {
	if isGo(name) {
		r, err := o.synthesis.synthesizeGo(ctx, c, &o.code, name)
		if err != nil {
			return nil, err
		}
		return r.Interface, nil
	}
	return o.synthesis.load(ctx, c, name)
}

var answerStatus = map[diff.Answer]int{diff.AnswerKept: exitDone, diff.AnswerLost: exitNo, diff.AnswerUndecided: exitUndecided}
