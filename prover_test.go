// SPDX-License-Identifier: Apache-2.0

package interlock_test

// This file runs the second prover on the corpus, on components with wide
// integers and loops, and on conjectures that are wrong.

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/internal/cert"
	"github.com/interlock-go/interlock/internal/cli"
	"github.com/interlock-go/interlock/internal/corpus"
	"github.com/interlock-go/interlock/internal/engine/horn"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/solve/smtlib"
)

func needZ3(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("z3"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
}

func TestSpacer(t *testing.T) {
	needZ3(t)
	cases, err := corpus.Load("testdata/corpus")
	if err != nil {
		t.Fatal(err)
	}
	type component struct {
		name string
		conf task
	}
	var list []component
	for n, c := range cases {
		if os.Getenv("CI") == "true" || n%8 == 0 && !corpus.Race || n%24 == 0 {
			conf := task{Filename: c.File, Source: []byte(c.Source), Width: c.Width(), Options: interlock.Options{Serial: c.Has("-serial"), Tight: c.Has("-tight")}}
			list = append(list, component{c.Name, conf})
		}
	}
	for _, w := range wideSources {
		list = append(list, component{w.name, task{Filename: "wide.open", Source: []byte(strings.ReplaceAll(w.source, "intW", "int32")), Options: interlock.Options{Engine: interlock.Cegar{}, Assume: noWrap(true)}}})
	}
	var alone, together, open []string
	for _, c := range list {
		plain, err := c.conf.infer()
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		c.conf.Prover, c.conf.Certificate = interlock.SpacerInvariants, true
		i, err := c.conf.infer()
		var refusal *interlock.RefusedError
		switch {
		case c.conf.Serial && errors.As(err, &refusal):
			continue
		case undecided(err):
			open = append(open, c.name)
			continue
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if i.Stats["hornStrengthened"] > 0 {
			together = append(together, c.name)
		} else {
			alone = append(alone, c.name)
		}
		if !bytes.Equal(i.Core(), plain.Core()) {
			t.Errorf("%s: another core", c.name)
		}
		if g := i.Guarantees; i.Certificate == nil || g.Safe != "proved" || g.Permissive != "proved" {
			t.Errorf("%s: %+v %v", c.name, g, i.Stats)
			continue
		}
		r := certified{c.name, c.conf, i}.check(t, i, cert.Options{})
		if o := r.First(); o != nil {
			t.Errorf("%s: %s: %s", c.name, o.Name, o.Detail)
		}
	}
	t.Logf("alone: %d; with an engine's sets: %q; undecided: %q", len(alone), together, open)
	if !corpus.Race && len(alone) < len(list)/2 || len(open) > len(list)/10 {
		t.Errorf("%d of %d alone, %d with an engine's sets, %d undecided", len(alone), len(list), len(together), len(open))
	}
}

// TestSpacerRefutes makes interfaces unsafe, one cell at a time: the clauses must
// have no solution then.
func TestSpacerRefutes(t *testing.T) {
	needZ3(t)
	for _, w := range wideSources {
		conf := task{Filename: "wide.open", Source: []byte(strings.ReplaceAll(w.source, "intW", "int32")), Options: interlock.Options{Engine: interlock.Cegar{}, Assume: noWrap(true)}}
		i, err := conf.infer()
		if err != nil {
			t.Fatal(err)
		}
		for k := range i.Forbidden {
			p, err := prog.Parse(conf.Filename, conf.Source, prog.Options{})
			if err != nil {
				t.Fatal(err)
			}
			j := i.Clone()
			j.Forbidden = slices.Delete(j.Forbidden, k, k+1) // then it is allowed, and never returns
			c, err := horn.NewConjecture(p, j)
			if err != nil {
				t.Fatal(err)
			}
			r, err := smtlib.SolveHorn(context.Background(), p.Pool, &c.Horn, smtlib.HornOptions{Theory: smtlib.Integers, Steps: 1_000_000})
			if err != nil || r.Verdict != solve.Unsat {
				t.Errorf("%s: %+v allowed: %v %v %v", w.name, i.Forbidden[k], r.Verdict, r.Reason, err)
			}
		}
	}
}

func TestNoProver(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := task{Source: []byte("component C\nmethod m() { }"), Options: interlock.Options{Prover: interlock.SpacerInvariants}}.infer()
	var refused *interlock.RefusedError
	if !errors.As(err, &refused) || !refused.Option || refused.What != "prover spacer" || !strings.Contains(refused.Reason, "needs z3") || refused.Next == "" {
		t.Error(err)
	}
	var out, errs bytes.Buffer
	code := cli.Main(context.Background(), []string{"infer", "-prover", "spacer", "-"}, cli.Streams{In: strings.NewReader("component C\nmethod m() { }"), Out: &out, Err: &errs})
	if want := "interlock infer: -prover spacer: needs z3, which is not installed; install it, or use prover embedded\n"; code != 2 || out.Len() > 0 || errs.String() != want {
		t.Errorf("exit status %d: %s%s", code, out.String(), errs.String())
	}
}
