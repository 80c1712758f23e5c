// SPDX-License-Identifier: Apache-2.0

package typestate_test

import (
	"bytes"
	"fmt"
	"log"
	"os"

	"github.com/interlock-go/interlock/typestate"
)

func open(name string) *typestate.Interface {
	text, err := os.ReadFile("testdata/" + name + ".json")
	if err != nil {
		log.Fatal(err)
	}
	i, err := typestate.Read(bytes.NewReader(text))
	if err != nil {
		log.Fatal(err)
	}
	return i
}

// A file must be opened before it is read, and a file that was opened for
// reading cannot be written.
func ExampleInterface_Accepts() {
	file := open("file")
	word := []typestate.Step{{Call: "ropen"}, {Call: "read"}, {Call: "write"}}
	for n := range len(word) + 1 {
		a := file.Accepts(word[:n])
		fmt.Println(n, a.Kind, a.Forbidden != nil)
	}
	fmt.Println(file.Accepts(word).Reason)
	// Output:
	// 0 next false
	// 1 next false
	// 2 next false
	// 3 forbidden true
	// write fails in state 1: error "not open" at file.open:12
}

// The arguments decide which call is made.
func ExampleInterface_Accepts_guards() {
	pool := open("pool")
	for _, n := range []string{"5", "0", ""} {
		get := typestate.Step{Call: "Get", Args: map[string]string{"m": "open"}}
		if n != "" {
			get.Args["n"] = n
		}
		a := pool.Accepts([]typestate.Step{{Call: "Zero"}, get})
		fmt.Printf("%q: %s, call %q\n", n, a.Kind, a.Call)
	}
	// Output:
	// "5": next, call "Get#3"
	// "0": forbidden, call "Get#2"
	// "": unknown, call ""
}

func ExampleInterface_Step() {
	list := open("listiter")
	fmt.Println(list.Step(0, "next", "true").State)
	fmt.Println(list.Step(0, "next", "").Kind)
	fmt.Println(list.Step(0, "remove", "return").Kind)
	fmt.Println(open("pool").Step(0, "Get#3", "gone").Kind)
	// Output:
	// 1
	// needs an outcome
	// forbidden
	// cannot happen
}

func ExampleCompare() {
	before, after := open("file"), open("file")
	// The new version lets a closed file be closed again.
	after.Forbidden = after.Forbidden[1:]
	after.Edges = append(after.Edges, typestate.Edge{From: 0, Call: "close", Outcome: "*", To: 0})
	d := typestate.Compare(before, after)
	fmt.Println(d.Kind)
	fmt.Println(d.AllowedByA)
	fmt.Println(d.AllowedByB.Word, d.AllowedByB.A, d.AllowedByB.B)
	// Output:
	// different
	// <nil>
	// [new close] fails allowed
}

func ExampleInterface_Validate() {
	i := open("file")
	i.Edges[0].To = 9
	i.Guarantees.Safe = "yes"
	fmt.Println(i.Validate())
	// Output:
	// guarantees.safe: "yes" is not "proved", "claimed", "checked to depth k", "open", "no" or "unknown"
	// edges[0]: no state 9
}

// A monitor follows one object: it is asked before a call is made, and told what the call returned.
func ExampleInterface_Monitor() {
	m, err := open("scanner").Monitor()
	if err != nil {
		log.Fatal(err)
	}
	m.Call("bufio.NewScanner")
	m.Return()
	fmt.Println(m.Call("Buffer").Kind)
	m.Return()
	fmt.Println(m.Call("Scan").Kind)
	m.Return(typestate.Bool(true))
	fmt.Println(m.Call("Buffer").Reason)
	fmt.Println(m.Trail())
	// Output:
	// next
	// next
	// Buffer fails in state 1: panic "Buffer called after Scan" at bufio/scan.go:276
	// [bufio.NewScanner Buffer Scan Buffer]
}

func ExampleInterface_Walk() {
	for state, cells := range open("scanner").Walk() {
		for c := range cells {
			fmt.Println(state.ID, c.Call.ID, c.Verdict)
		}
	}
	// Output:
	// 0 Buffer allowed
	// 0 Scan allowed
	// 0 Split allowed
	// 1 Buffer fails
	// 1 Scan allowed
	// 1 Split fails
}
