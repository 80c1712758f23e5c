// SPDX-License-Identifier: Apache-2.0

package interlock_test

// This file checks certificates of the engines that use predicate abstraction
// in another way than cegar: every interface has one, and it passes.

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/internal/cert"
	"github.com/interlock-go/interlock/internal/corpus"
)

func (c certified) passes(t *testing.T) {
	t.Helper()
	if c.iface.Certificate == nil {
		t.Errorf("%s: no certificate", c.name)
		return
	}
	r := c.check(t, c.iface, cert.Options{})
	if o := r.First(); o != nil {
		t.Errorf("%s: %d of %d obligations: %s: %s: %v: %s", c.name, r.Count(cert.Refuted)+r.Count(cert.Unknown), len(r.Obligations), o.Name, o.What, o.Verdict, o.Detail)
	}
}

func TestCertificatesOfWitness(t *testing.T) {
	list := certifiedCorpus(t, "witness")
	for _, c := range list {
		c.passes(t)
	}
	if len(list) < 50 && !corpus.Race {
		t.Errorf("%d interfaces", len(list))
	}
}

func TestCertificatesOfAbstract(t *testing.T) {
	for _, c := range []struct {
		name       string
		predicates []string
		permissive string
	}{
		{"p2", []string{"a == 0", "x == 0"}, "proved"},
		{"p2", []string{"a == 0"}, "open"},
		{"p3-no-outputs", []string{"a == 0"}, "proved"},
		{"list-itr", []string{"lastRet == -1"}, "open"},
		{"signature-buggy", nil, "open"},
	} {
		file := filepath.Join("testdata", "corpus", c.name+".txtar")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		k, err := corpus.Parse(c.name, data)
		if err != nil {
			t.Fatal(err)
		}
		for _, superset := range []interlock.Superset{interlock.ExactSuperset, interlock.OneStepSuperset} {
			conf := task{Filename: k.File, Source: []byte(k.Source), Options: interlock.Options{Engine: interlock.Abstract{Predicates: c.predicates, Superset: superset}, Certificate: true}}
			i, err := conf.infer()
			if err != nil {
				t.Fatal(err)
			}
			certified{c.name, conf, i}.passes(t)
			if i.Guarantees.Safe != "proved" || i.Guarantees.Permissive != c.permissive {
				t.Errorf("%s %v: %+v, want permissive %s", c.name, c.predicates, i.Guarantees, c.permissive)
			}
		}
	}
}
