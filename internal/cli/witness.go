// SPDX-License-Identifier: Apache-2.0

package cli

// This file is verify -witness: an automaton that somebody gives is judged against a component, without a
// certificate.

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/interlock-go/interlock/internal/model"
	"github.com/interlock-go/interlock/internal/model/judge"
	"github.com/interlock-go/interlock/internal/model/lts"
	"github.com/interlock-go/interlock/typestate"
)

// judgeWitness is 'verify -witness FILE COMPONENT'.
func (o *verifyOptions) judgeWitness(ctx context.Context, c *invocation) (int, error) {
	if len(c.args) != 1 {
		return exitWrong, c.expected("one COMPONENT with -witness")
	}
	component := c.args[0]
	if isGo(component) {
		return exitWrong, usagef("-witness: %s is a Go type; expected a model or a program in the text form. The interface of a Go type is compared by 'interlock compare'", component)
	}
	i, err := o.givenInterface(ctx, c)
	if err != nil {
		return exitWrong, err
	}
	s, err := (&composeOptions{width: o.width, errorKinds: o.code.errorKinds, model: o.model}).components(ctx, c, []string{component})
	if err != nil {
		return exitWrong, err
	}
	for _, call := range i.Calls {
		if name := strings.ReplaceAll(call.ID, "%23", "#"); !hasAction(s[0], name) {
			return exitWrong, usagef("-witness %s: %s has no action %s; it has %s", o.witness, s[0].Name, name, strings.Join(s[0].Alphabet, ", "))
		}
	}
	r, err := judge.Judge(ctx, s[0], i, 0)
	if err != nil {
		return exitWrong, modelError(err)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s as an interface of %s over %s\n", i.Component.Name, s[0].Name, count(len(i.Calls), "action"))
	for _, f := range []struct {
		name string
		judge.Finding
	}{{"safe", r.Safe}, {"permissive", r.Permissive}, {"full", r.Full}, {"tight", r.Tight}} {
		fmt.Fprintf(&b, "  %-11s %v\n", f.name+":", f.Answer)
		if f.Answer == judge.Yes {
			continue
		}
		word := strings.Join(f.Word, " ")
		if len(f.Word) == 0 {
			word = "the start"
		}
		fmt.Fprintf(&b, "    %s: %s\n", word, f.Why)
		if len(f.Trace) > len(f.Word) {
			fmt.Fprintf(&b, "    a run: %s\n", strings.Join(f.Trace, " "))
		}
	}
	code := exitNo
	switch {
	case r.Safe.Answer == judge.Yes && r.Permissive.Answer == judge.Yes:
		code = exitDone
	case r.Safe.Answer != judge.No && r.Permissive.Answer != judge.No:
		code = exitUndecided
	}
	return code, c.print(b.Bytes())
}

func hasAction(s *lts.System, name string) bool {
	_, ok := s.Action(name)
	return ok
}

// givenInterface reads the automaton.
func (o *verifyOptions) givenInterface(ctx context.Context, c *invocation) (*typestate.Interface, error) {
	var s *lts.System
	knownApart := !isModel(o.witness)
	if isModel(o.witness) {
		m, err := readModel(ctx, c, o.witness, model.Source{})
		if err != nil {
			return nil, err
		}
		s = m.System
	} else {
		data, err := c.read(o.witness)
		if err != nil {
			return nil, err
		}
		if !isInterface(data) {
			return nil, usagef("-witness %s: expected an automaton: a model (%s) or an interface file", o.witness, strings.Join(model.Extensions(), ", "))
		}
		i, err := readInterface(o.witness, data)
		if err != nil {
			return nil, err
		}
		if s, err = model.Component(i); err != nil {
			return nil, usagef("-witness %s: %v", o.witness, err)
		}
	}
	i, err := model.Given(s, knownApart)
	if err != nil {
		return nil, usagef("-witness %s: %s; an interface is deterministic", o.witness, strings.TrimPrefix(err.Error(), "property "))
	}
	return i, nil
}
