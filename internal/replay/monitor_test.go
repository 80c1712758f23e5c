// SPDX-License-Identifier: Apache-2.0

package replay

// This file runs monitors: the words of a replay are run on the monitor in place of the real type, with a hook, and what it
// reports is compared with what the interface says of the cell and with what the real type did.

import (
	"bytes"
	"context"
	"flag"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/typestate"
)

// runMonitor runs the words of a replay on a monitor that is made of an interface. Disagreements are those of the replay, and words
// of which the monitor reported a call that is not forbidden, or did not report one that is.
func runMonitor(ctx context.Context, s *Subject, i, of *typestate.Interface, opt Options) (*Report, error) {
	test, err := Generate(s, i, []string{"bytes", "io", "strings"}, opt)
	if err != nil {
		return nil, err
	}
	m, err := Monitor(s, of, MonitorOptions{Package: "replay_test", On: OnHook})
	if err != nil {
		return nil, err
	}
	if test.Source, err = onMonitor(test.Source, m.Name); err != nil {
		return nil, err
	}
	return Run(ctx, ".", s, test, []File{{Name: "monitored_test.go", Data: m.Source}})
}

var objectName = regexp.MustCompile(`type (\w+)Object = `)

// onMonitor changes a test so that it calls the methods of a monitor.
func onMonitor(source []byte, name string) ([]byte, error) {
	prefix := string(objectName.FindSubmatch(source)[1])
	text := string(source)
	replace := func(from, to string) {
		from, to = strings.ReplaceAll(from, "rpl", prefix), strings.ReplaceAll(to, "rpl", prefix)
		if !strings.Contains(text, from) {
			panic("the driver has no " + from)
		}
		text = strings.ReplaceAll(text, from, to)
	}
	replace("func(x rplObject) (", "func(x *"+name+") (")
	replace("\t\tvar x rplObject\n", "\t\tvar x rplObject\n\t\tvar watched *"+name+"\n\t\treported := false\n\t\tOn"+strings.TrimSuffix(name, "Monitor")+"Misuse = func(*"+strings.TrimSuffix(name, "Monitor")+"Misuse) { reported = true }\n")
	replace("return rplCalls[n].call(x) }", "reported = false\nif watched == nil {\nwatched = Watch"+strings.TrimSuffix(name, "Monitor")+"(x, state)\n}\nreturn rplCalls[n].call(watched) }")
	replace("\t\t\tfrom := state\n", `			if k > 0 && reported != forbidden && name != "" {
				say("done %d %q", -1, fmt.Sprintf("the interface says %s, and the monitor says reported: %t", cell.verdict, reported))
				continue words
			}
			if k > 0 && cell.verdict != "may-fail" && cell.verdict != "unknown" && cell.verdict != "uncovered" && reported != seen.errs() {
				say("done %d %q", -1, fmt.Sprintf("it %v, and the monitor says reported: %t", seen, reported))
				continue words
			}
			from := state
`)
	replace("\tfor lines := bufio.NewScanner(in); lines.Scan(); {\n\t\tvar word", "words:\n\tfor lines := bufio.NewScanner(in); lines.Scan(); {\n\t\tvar word")
	return format.Source([]byte(text))
}

// monitorWords is how many words are run on each monitor in continuous integration. 7,000 make 100,000 in all, which takes
// over half an hour: each word that ends in a fatal error or blocks costs a process.
var monitorWords = flag.Int("monitor.words", 300, "words for each monitor, with CI=true")

// TestMonitor runs monitors of a few types, in continuous integration of all.
func TestMonitor(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles tests")
	}
	opt := Options{Words: 150, Random: 150, Limit: 2e9}
	list := []*typestate.Interface{read(t, "scanner"), read(t, "mutex"), read(t, "buffer")}
	if os.Getenv("CI") == "true" {
		list = append(list, monitored(t)...)
		opt.Words, opt.Random = *monitorWords/2, *monitorWords/2
	}
	words := 0
	for _, i := range list {
		s, err := Load(context.Background(), ".", i.Component.Name, "")
		if err != nil {
			t.Fatal(err)
		}
		r, err := runMonitor(context.Background(), s, i, i, opt)
		if err != nil {
			t.Errorf("%s: %v", i.Component.Name, err)
			continue
		}
		words += r.Words
		t.Logf("%s: %d words, %d of %d cells", i.Component.Name, r.Words, r.Cells, r.Of)
		if len(r.Disagreements) > 0 || r.Words < 100 {
			t.Errorf("%s: %d words: %s", i.Component.Name, r.Words, strings.Join(r.Disagreements, "\n"))
		}
	}
	t.Logf("%d words of %d types", words, len(list))
}

// monitored are the interfaces in testdata/monitor, as infer -error panic writes them. All their guards can be evaluated; where one
// cannot, a forbidden call is not reported.
func monitored(t *testing.T) []*typestate.Interface {
	t.Helper()
	files, err := filepath.Glob("testdata/monitor/*.json")
	if err != nil || len(files) < 7 {
		t.Fatalf("%d interfaces, %v", len(files), err)
	}
	var list []*typestate.Interface
	for _, f := range files {
		list = append(list, read(t, "monitor/"+strings.TrimSuffix(filepath.Base(f), ".json")))
	}
	return list
}

// TestMonitorWrong runs monitors of wrong interfaces: what they report too much, or too little, is found.
func TestMonitorWrong(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles tests")
	}
	i := read(t, "scanner")
	s, err := Load(context.Background(), ".", i.Component.Name, "")
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*typestate.Interface){
		"reported: false": func(i *typestate.Interface) {
			f := i.Forbidden[0]
			i.Forbidden = i.Forbidden[1:]
			i.Edges = append(i.Edges, typestate.Edge{From: f.State, Call: f.Call, Outcome: "*", To: f.State})
		},
		"reported: true": func(i *typestate.Interface) {
			i.Edges = slices.DeleteFunc(i.Edges, func(e typestate.Edge) bool { return e.From == 0 && e.Call == "Text" })
			i.Forbidden = append(i.Forbidden, typestate.Forbidden{State: 0, Call: "Text", Verdict: "fails"})
		},
	} {
		of := i.Clone()
		change(of)
		r, err := runMonitor(context.Background(), s, i, of, Options{Words: 150, Random: 20, Limit: 2e9})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Disagreements) == 0 || !strings.Contains(r.Disagreements[0], want) {
			t.Errorf("%v, want %s", r.Disagreements, want)
		}
	}
}

// TestMonitorGolden shows what a monitor looks like, in each way of reporting.
func TestMonitorGolden(t *testing.T) {
	for _, on := range []string{OnPanic, OnError, OnHook} {
		i := read(t, map[string]string{OnPanic: "scanner", OnError: "buffer", OnHook: "mutex"}[on])
		s, err := Load(context.Background(), ".", i.Component.Name, "")
		if err != nil {
			t.Fatal(err)
		}
		m, err := Monitor(s, i, MonitorOptions{On: on})
		if err != nil {
			t.Fatal(err)
		}
		head, _, _ := bytes.Cut(m.Source, []byte("\n// A "+m.Name[:1]))
		head, _, _ = bytes.Cut(head, []byte("\n// A "+strings.TrimSuffix(m.Name, "Monitor")+"Misuse"))
		file := filepath.Join("testdata", "monitor-"+on+".golden")
		if *update {
			if err := os.WriteFile(file, head, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(head, want) {
			t.Errorf("the monitor differs from %s; -update rewrites it:\n%s", file, head)
		}
	}
}
