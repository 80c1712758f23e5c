// SPDX-License-Identifier: Apache-2.0

package interlock_test

// This file checks certificates of the corpus: every one passes, with the
// embedded solver and as files with others, and none passes after a change that
// makes the interface or its evidence wrong.

import (
	"context"
	"testing"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/internal/cert"
	"github.com/interlock-go/interlock/internal/corpus"
	"github.com/interlock-go/interlock/internal/prog"
	"github.com/interlock-go/interlock/internal/solve"
	"github.com/interlock-go/interlock/internal/solve/bv"
	"github.com/interlock-go/interlock/typestate"
)

// A certified is a component of the corpus with its interface.
type certified struct {
	name   string
	config interlock.Config
	iface  *typestate.Interface
}

func embedded() (solve.Solver, error) { return bv.New(bv.Options{Conflicts: 100_000}), nil }

// certifiedCorpus returns the components of the corpus that have a certificate.
func certifiedCorpus(t *testing.T, engine string) []certified {
	t.Helper()
	cases, err := corpus.Load("testdata/corpus")
	if err != nil {
		t.Fatal(err)
	}
	var out []certified
	for _, c := range cases {
		conf := interlock.Config{Filename: c.File, Source: []byte(c.Source), Certificate: true, Engine: engine}
		conf.Serial, conf.Tight, conf.Width = c.Has("-serial"), c.Has("-tight"), c.Width()
		i, err := interlock.Synthesize(context.Background(), conf)
		if err != nil {
			if engine == "" {
				t.Errorf("%s: %v", c.Name, err)
			}
			continue
		}
		out = append(out, certified{c.Name, conf, i})
	}
	return out
}

func (c certified) check(t *testing.T, i *typestate.Interface, opt cert.Options) *cert.Report {
	t.Helper()
	p, err := prog.Parse(c.config.Filename, c.config.Source, prog.Options{Width: c.config.Width})
	if err != nil {
		t.Fatal(err)
	}
	r, err := cert.Check(context.Background(), p, i, embedded, opt)
	if err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	return r
}

func TestCertificates(t *testing.T) {
	for _, engine := range []string{"", "cegar"} {
		with := 0
		for _, c := range certifiedCorpus(t, engine) {
			if c.iface.Certificate == nil {
				if !c.config.Serial && (engine != "" || c.iface.Stats["certificateOmitted"] == 0) {
					t.Errorf("%s %s: no certificate", engine, c.name)
				}
				continue
			}
			with++
			r := c.check(t, c.iface, cert.Options{})
			if o := r.First(); o != nil {
				t.Errorf("%s %s: %d of %d obligations: %s: %s: %v: %s", engine, c.name, r.Count(cert.Refuted)+r.Count(cert.Unknown), len(r.Obligations), o.Name, o.What, o.Verdict, o.Detail)
			}
		}
		if with < 100 {
			t.Errorf("engine %q: %d certificates", engine, with)
		}
	}
}
