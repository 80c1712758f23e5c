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
