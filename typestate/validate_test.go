// SPDX-License-Identifier: Apache-2.0

package typestate

// This file tests that what is wrong is rejected: a table of mistakes with
// their messages, and all single changes to the golden files. Of the latter
// those that are accepted are listed in testdata/mutants.txt, to be read by
// people: each must be either another well-formed interface or the same one
// with another annotation.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestValidate(t *testing.T) {
	seven := 7
	zero := 0
	for _, c := range []struct {
		want   string // a part of the message
		file   string
		change func(*Interface)
	}{
		{`format: "interlock/0" is not "interlock/1"`, "file", func(i *Interface) { i.Format = "interlock/0" }},
		{"component: no language", "file", func(i *Interface) { i.Component.Language = "" }},
		{"component: no name", "file", func(i *Interface) { i.Component.Name = "" }},
		{"component.errors[0]: empty", "file", func(i *Interface) { i.Component.Errors[0] = "" }},
		{"component.program: \"sha256:12\"", "file", func(i *Interface) { i.Component.Program = "sha256:12" }},
		{"constructors: there is none", "file", func(i *Interface) { i.Constructors = nil }},
		{`constructors[0]: id "New" should be "new"`, "file", func(i *Interface) { i.Constructors[0].ID = "New" }},
		{`constructors: "read" is also a method`, "file", func(i *Interface) { i.Constructors[0].Method = "read" }},
		{"constructors[0]: no state 7", "file", func(i *Interface) { i.Constructors[0].State = &seven }},
		{`the only outcome of new is written "*"`, "file", func(i *Interface) { i.Constructors[0].Outcome = "return" }},
		{`outcome "*" leads nowhere`, "file", func(i *Interface) { i.Constructors[0].State = nil }},
		{"leads to a state without an outcome", "file", func(i *Interface) { i.Constructors[0].Outcome = "" }},
		{"verdict fails, but it leads to a state", "file", func(i *Interface) { i.Constructors[0].Verdict = "fails" }},
		{`verdict "" is not`, "file", func(i *Interface) { i.Constructors[0].Verdict = "" }},
		{"a reason is given iff", "file", func(i *Interface) { i.Constructors[0].Reason = "none" }},
		{"a reason is given iff", "pool", func(i *Interface) { i.Constructors[3].Reason = "" }},
		{"it has errors or a witness", "pool", func(i *Interface) { i.Constructors[1].Errors = []ErrorSite{{Kind: "error"}} }},
		{"differs from another entry of Make#2", "pool", func(i *Interface) { i.Constructors[2].Guard = "max >= 1" }},
		{"parameters or results differ from those of Make", "pool", func(i *Interface) { i.Constructors[2].Params = []string{"m"} }},
		{"constructors[1]: same guard as Make", "pool", func(i *Interface) { i.Constructors[0].Guard = "max > 0" }},
		{"all outcomes of Make#2 lead to the same state", "pool", func(i *Interface) { i.Constructors[2].State = &zero }},
		{`outcome "*" of Make#2 is not its only entry`, "pool", func(i *Interface) { i.Constructors[2].Outcome = "*" }},
		{`second entry for outcome "nil" of Make#2`, "pool", func(i *Interface) { i.Constructors[2].Outcome = "nil" }},
		{`calls[1]: id "Get#3" should be "Get#2"`, "pool", func(i *Interface) { i.Calls[1], i.Calls[2] = i.Calls[2], i.Calls[1] }},
		{`calls[0]: id "get" should be "Get"`, "pool", func(i *Interface) { i.Calls[0].ID = "get" }},
		{`calls[1]: id "Get" is used twice`, "pool", func(i *Interface) { i.Calls[1].ID = "Get" }},
		{"calls[2]: same guard as Get#2", "pool", func(i *Interface) { i.Calls[2].Guard = i.Calls[1].Guard }},
		{"calls[0]: no guard", "pool", func(i *Interface) { i.Calls[0].Guard = "" }},
		{"1 types for 2 parameters", "pool", func(i *Interface) { i.Calls[0].Types = []string{"int8"} }},
		{`two parameters "n"`, "pool", func(i *Interface) { i.Calls[0].Params[1] = "n" }},
		{"parameter 2 has no name", "pool", func(i *Interface) { i.Calls[0].Params[1] = "" }},
		{"parameter 2 has no type", "pool", func(i *Interface) { i.Calls[0].Types[1] = "" }},
		{"calls[0]: no outcomes", "file", func(i *Interface) { i.Calls[0].Outcomes = nil }},
		{`"*" is not the name of an outcome`, "file", func(i *Interface) { i.Calls[0].Outcomes[0] = "*" }},
		{`two outcomes "ok"`, "pool", func(i *Interface) { i.Calls[0].Outcomes[1] = "ok" }},
		{"parameters, results or outcomes differ from those of Get", "pool", func(i *Interface) { i.Calls[1].Outcomes[1] = "none" }},
		{`contains "#"`, "file", func(i *Interface) { i.Calls[0].Method = "a#b" }},
		{"calls[0]: no method", "file", func(i *Interface) { i.Calls[0].Method = "" }},
		{"states[0]: id 7 is not the index", "file", func(i *Interface) { i.States[0].ID = 7 }},
		{"states[2]: id 1 is used twice", "file", func(i *Interface) { i.States[2].ID = 1 }},
		{"states[2]: not reachable", "file", func(i *Interface) { i.Edges[1].To = 1 }},
		{`two registers "next"`, "ticket", func(i *Interface) { i.States[0].Registers = append(i.States[0].Registers, i.States[0].Registers[0]) }},
		{"register 1 has no name or no type", "ticket", func(i *Interface) { i.States[0].Registers[0].Type = "" }},
		{`register "next" of the target gets no value`, "ticket", func(i *Interface) { i.Constructors[0].Update = nil }},
		{`register "next" of the target gets no value`, "ticket", func(i *Interface) { i.States[1].Registers[0].Type = "int16" }},
		{`update of "last", which is no register`, "ticket", func(i *Interface) { i.Edges[1].Update["last"] = "1" }},
		{`register "next" has type int16, and int8 in another state`, "ticket", func(i *Interface) { i.States[1].Registers[0].Type = "int16" }},
		{`update of "next": "next +" is not an expression`, "ticket", func(i *Interface) { i.Edges[1].Update["next"] = "next +" }},
		{`update of "next" mentions register "next", which the source does not have`, "ticket", func(i *Interface) {
			i.States[1].Registers = nil
			i.Edges = append(i.Edges, Edge{From: 1, Call: "use", Outcome: "*", To: 0, Update: map[string]string{"next": "next + 1"}})
			i.Forbidden = i.Forbidden[:1]
		}},
		{`the guard mentions register "next", which has no value yet`, "ticket", func(i *Interface) { i.Constructors[0].Guard = "first > next" }},
		{`result "k" has the name of another parameter or result`, "ticket", func(i *Interface) {
			i.Calls[1].Results = []Register{{"k", "int8"}}
			i.Calls[2].Results = i.Calls[1].Results
		}},
		{"parameters, results or outcomes differ from those of use", "ticket", func(i *Interface) { i.Calls[1].Results = []Register{{"r", "int8"}} }},
		{`use has no result "r" that an update mentions`, "ticket", func(i *Interface) { i.Forbidden[0].Witness[1].Results = map[string]string{"r": "1"} }},
		{`update of "next" is empty`, "ticket", func(i *Interface) { i.Edges[1].Update["next"] = "" }},
		{"edges[0]: no state -1", "file", func(i *Interface) { i.Edges[0].From = -1 }},
		{"edges[0]: no state 7", "file", func(i *Interface) { i.Edges[0].To = 7 }},
		{`edges[0]: no call "fly"`, "file", func(i *Interface) { i.Edges[0].Call = "fly" }},
		{`edges[0]: ropen has no outcome "nil"`, "file", func(i *Interface) { i.Edges[0].Outcome = "nil" }},
		{`edges[0]: all outcomes of ropen in state 0 lead to state 1`, "file", func(i *Interface) { i.Edges[0].Outcome = "return" }},
		{`all outcomes of next in state 0`, "listiter", func(i *Interface) { i.Edges[1].To = 0 }},
		{`outcome "*" of next in state 0 is not its only edge`, "listiter", func(i *Interface) { i.Edges[1].Outcome = "*" }},
		{`second edge for outcome "true" of next in state 0`, "listiter", func(i *Interface) { i.Edges[2].Outcome = "true" }},
		{"forbidden call close has an edge from state 0", "file", func(i *Interface) {
			i.Edges = append(i.Edges, Edge{From: 0, Call: "close", Outcome: "*", To: 0})
		}},
		{`verdict "allowed" is not fails or may-fail`, "file", func(i *Interface) { i.Forbidden[0].Verdict = "allowed" }},
		{"forbidden[0]: no state 7", "file", func(i *Interface) { i.Forbidden[0].To = &seven }},
		{"is forbidden twice", "file", func(i *Interface) { i.Forbidden[1] = i.Forbidden[0] }},
		{"error site 1 has no kind", "file", func(i *Interface) { i.Forbidden[0].Errors[0].Kind = "" }},
		{`no method "fly"`, "file", func(i *Interface) { i.Forbidden[4].Witness[0].Call = "fly" }},
		{`no method "new"`, "file", func(i *Interface) { i.Forbidden[4].Witness[1].Call = "new" }},
		{`read has no parameter "k"`, "file", func(i *Interface) { i.Forbidden[1].Witness[0].Args["k"] = "1" }},
		{`has no outcome "nil"`, "file", func(i *Interface) { i.Forbidden[3].Witness[0].Outcome = "nil" }},
		{"does not end with a call of close", "file", func(i *Interface) { i.Forbidden[0].Witness[0].Call = "read" }},
		{"does not end with a call of close without an outcome", "file", func(i *Interface) { i.Forbidden[0].Witness[0].Outcome = "return" }},
		{"forbidden[0]: the witness is allowed", "file", func(i *Interface) {
			i.Forbidden[0].Witness = []Step{{Call: "ropen"}, {Call: "close"}}
		}},
		{"witness step 1 calls read in state 0", "file", func(i *Interface) {
			i.Forbidden[0].Witness = []Step{{Call: "read"}, {Call: "close"}}
		}},
		{"forbidden[3]: witness step 2 calls ropen in state 2", "file", func(i *Interface) { i.Forbidden[3].Witness[0].Call = "rwopen" }},
		{"both forbidden and unknown", "pool", func(i *Interface) { i.Unknown[0].Call = "Get" }},
		{"unknown[1]: Tune in state 2 is unknown twice", "pool", func(i *Interface) { i.Unknown = append(i.Unknown, i.Unknown[0]) }},
		{"unknown[0]: no reason", "pool", func(i *Interface) { i.Unknown[0].Reason = "" }},
		{"unknown[0]: no state 7", "pool", func(i *Interface) { i.Unknown[0].State = 7 }},
		{`uncovered[0]: no call "x"`, "scanner", func(i *Interface) { i.Uncovered[0].Call = "x" }},
		{"uncovered[0]: no reason", "scanner", func(i *Interface) { i.Uncovered[0].Reason = "" }},
		{"uncovered[0]: error site 1 has no kind", "scanner", func(i *Interface) { i.Uncovered[0].Site.Kind = "" }},
		{`guarantees.safe: "yes"`, "file", func(i *Interface) { i.Guarantees.Safe = "yes" }},
		{`guarantees.permissive: "checked to depth k"`, "file", func(i *Interface) { i.Guarantees.Permissive = "checked to depth k" }},
		{`guarantees.tight: ""`, "file", func(i *Interface) { i.Guarantees.Tight = "" }},
		{"guarantees.depth: 7, but nothing", "file", func(i *Interface) { i.Guarantees.Depth = &seven }},
		{"guarantees.open: of 7 cells 0 are unknown and 1 uncovered, not 1 of 10 and 2", "scanner", func(i *Interface) {
			i.Guarantees.Open = &Open{Cells: 10, Unknown: 1, Uncovered: 2}
		}},
		{"guarantees.depth: should be 6", "listiter", func(i *Interface) { i.Guarantees.Depth = &seven }},
		{"guarantees.depth: should be 3", "listiter", func(i *Interface) { i.Guarantees.Safe = "checked to depth 3" }},
		{`conventions[1]: "no-wrap" is listed twice`, "scanner", func(i *Interface) { i.Conventions[1] = "no-wrap" }},
		{"contracts[0]: empty", "scanner", func(i *Interface) { i.Contracts[0] = "" }},
		{"approximations[0]", "scanner", func(i *Interface) { i.Approximations[0].What = "" }},
		{"stats.predicates: -1", "scanner", func(i *Interface) { i.Stats["predicates"] = -1 }},
		{"certificate.program: it speaks of another", "scanner", func(i *Interface) { i.Certificate.Program = "" }},
		{"certificate.nodes: there is none", "scanner", func(i *Interface) { i.Certificate.Nodes = nil }},
		{"certificate.nodes[0]: the first node", "scanner", func(i *Interface) { i.Certificate.Nodes[0].State = 0 }},
		{"certificate.nodes[1]: no state 7", "scanner", func(i *Interface) { i.Certificate.Nodes[1].State = 7 }},
		{`certificate.nodes[1].heads[0]: no call "scan"`, "scanner", func(i *Interface) { i.Certificate.Nodes[1].Heads[0].Call = "scan" }},
		{`certificate.nodes[1].next[0]: no node 0 after a call`, "scanner", func(i *Interface) { i.Certificate.Nodes[1].Next[0].Node = 0 }},
		{`certificate.nodes[2].sets[0]: no call "x"`, "scanner", func(i *Interface) { i.Certificate.Nodes[2].Sets[0].Errs[0].Call = "x" }},
		{`certificate.nodes[2].sets[0].from[0]: edge 9`, "scanner", func(i *Interface) { i.Certificate.Nodes[2].Sets[0].From[0].Edge = 9 }},
		{`certificate.nodes[2].sets[0].from[0]: no node 9`, "scanner", func(i *Interface) { i.Certificate.Nodes[2].Sets[0].From[0].Node = 9 }},
		{`certificate.nodes[2].sets[0].from[0]: node 1 has no set 9`, "scanner", func(i *Interface) { i.Certificate.Nodes[2].Sets[0].From[0].Set = 9 }},
	} {
		i := read(t, c.file)
		c.change(i)
		err := i.Validate()
		if err == nil {
			t.Errorf("%s: accepted", c.want)
			continue
		}
		if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got\n%v", c.want, err)
		}
	}
}

func TestValidateReportsAll(t *testing.T) {
	i := read(t, "file")
	i.Component.Name = ""
	i.Edges[0].To = 7
	i.Guarantees.Tight = "maybe"
	err := i.Validate()
	if err == nil || len(strings.Split(err.Error(), "\n")) != 3 {
		t.Errorf("got\n%v", err)
	}
}

// A mutant is one change to a JSON text.
type mutant struct {
	where string // path without indices
	what  string
	text  []byte
}

// mutants returns all single changes to a JSON text.
func mutants(t *testing.T, text []byte) []mutant {
	var root any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&root); err != nil {
		t.Fatal(err)
	}
	same, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	var all []mutant
	emit := func(where, what string) {
		b, err := json.Marshal(root)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Equal(b, same) {
			return
		}
		all = append(all, mutant{where, what, b})
	}
	// visit changes v in place through set, and restores it.
	var visit func(where string, v any, set func(any))
	visit = func(where string, v any, set func(any)) {
		try := func(what string, w any) {
			set(w)
			emit(where, what)
			set(v)
		}
		if v != nil {
			try("null", nil)
		}
		try("type", map[bool]any{true: json.Number("1"), false: "bogus"}[fmt.Sprintf("%T", v) == "string"])
		switch v := v.(type) {
		case map[string]any:
			try("list", []any{})
			for _, key := range slices.Sorted(maps.Keys(v)) {
				old := v[key]
				delete(v, key)
				emit(where+"."+key, "missing")
				v[strings.ToUpper(key)] = old
				emit(where+"."+key, "upper case")
				delete(v, strings.ToUpper(key))
				v[key] = old
				visit(where+"."+key, old, func(w any) { v[key] = w })
			}
			v["bogus"] = "1"
			emit(where, "extra")
			delete(v, "bogus")
		case []any:
			for k, old := range v {
				try("drop", slices.Delete(slices.Clone(v), k, k+1))
				try("twice", append(slices.Clone(v), old))
				visit(where+"[]", old, func(w any) { v[k] = w })
			}
		case string:
			try("empty", "")
			try("other", v+"x")
		case json.Number:
			try("negative", json.Number("-1"))
			try("large", json.Number("99"))
			try("fraction", json.Number("0.5"))
			for _, n := range []string{"0", "1", "2"} {
				if n != v.String() {
					try("other", json.Number(n))
				}
			}
		}
	}
	visit("", root, func(any) {})
	return all
}

func TestMutants(t *testing.T) {
	accepted := map[string]bool{}
	count, rejected := 0, 0
	for name, text := range golden(t) {
		core := read(t, name).Core()
		for _, m := range mutants(t, text) {
			count++
			i, err := Read(bytes.NewReader(m.text))
			if err != nil {
				rejected++
				if i != nil {
					t.Errorf("%s: %s %s: an interface and an error", name, m.where, m.what)
				}
				exercise(m.text)
				continue
			}
			kind := "annotation"
			if !bytes.Equal(i.Core(), core) {
				kind = "core"
			}
			accepted[fmt.Sprintf("%-10s %s: %s", kind, strings.TrimPrefix(m.where, "."), m.what)] = true
			again := write(t, i)
			j, err := Read(bytes.NewReader(again))
			if err != nil || !bytes.Equal(write(t, j), again) {
				t.Errorf("%s: %s %s: not stable: %v", name, m.where, m.what, err)
			}
		}
	}
	if count < 3000 || rejected < count/2 {
		t.Errorf("%d mutants, %d rejected", count, rejected)
	}
	got := strings.Join(slices.Sorted(maps.Keys(accepted)), "\n") + "\n"
	const file = "testdata/mutants.txt"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("accepted mutants (go test -update rewrites %s):\n%s", file, got)
	}
}

// exercise calls what must not panic on an interface that is not valid.
func exercise(text []byte) {
	i := new(Interface)
	if json.Unmarshal(text, i) != nil {
		return
	}
	for _, f := range i.Forbidden {
		i.Accepts(f.Witness)
		i.Step(f.State, f.Call, "")
	}
	for _, c := range i.Constructors {
		i.Start(c.ID, "")
		for _, d := range i.Calls {
			i.Accepts([]Step{{Call: c.Method}, {Call: d.Method}, {Call: d.Method}})
			i.Accepts([]Step{{Call: d.Method}, {Call: d.Method}})
		}
	}
	i.Canonical()
	i.Canonicalize()
	Compare(i, i)
}
