// SPDX-License-Identifier: Apache-2.0

package interlock_test

// This file shows the public interface of the module at work.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/typestate"
)

const lock = `
component Lock
state held bool = false
method acquire() { if held { error "acquired twice" } held = true }
method release() { if !held { error "not held" } held = false }
method try() (ok bool) { ok = !held; held = true }
`

// The interface of a small component: its states with what they mean, and what
// is forbidden there.
func ExampleSynthesize() {
	i, err := interlock.Synthesize(context.Background(), interlock.Config{
		Filename: "lock.open",
		Source:   []byte(lock),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: safe: %s, permissive: %s\n", i.Component.Name, i.Guarantees.Safe, i.Guarantees.Permissive)
	for _, s := range i.States {
		fmt.Printf("state %d: %s\n", s.ID, s.Label)
	}
	for _, f := range i.Forbidden {
		fmt.Printf("%s %s in state %d: %s\n", f.Call, f.Verdict, f.State, f.Errors[0].Message)
	}
	// Output:
	// Lock: safe: proved, permissive: proved
	// state 0: !held
	// state 1: held
	// release fails in state 0: not held
	// acquire fails in state 1: acquired twice
}

// A monitor keeps the state of the interface beside the component and asks
// before each call.
func ExampleSynthesize_step() {
	i, err := interlock.Synthesize(context.Background(), interlock.Config{Filename: "lock.open", Source: []byte(lock)})
	if err != nil {
		log.Fatal(err)
	}
	state := i.Start("new", "").State
	for _, call := range []struct{ id, outcome string }{
		{"try", "true"}, {"try", "false"}, {"release", ""}, {"release", ""},
	} {
		r := i.Step(state, call.id, call.outcome)
		fmt.Printf("%s in state %d: %v\n", call.id, state, r.Kind)
		if r.Kind != typestate.StepNext {
			fmt.Println(r.Reason)
			break
		}
		state = r.State
	}
	// Output:
	// try in state 0: next
	// try in state 1: next
	// release in state 1: next
	// release in state 0: forbidden
	// release fails in state 0: error "not held" at lock.open:5:31
}

// A word with arguments is judged by the guards of its calls.
func ExampleSynthesize_arguments() {
	i, err := interlock.Synthesize(context.Background(), interlock.Config{
		Source: []byte(`
component Pool
state left uint2 = 0
constructor New(size uint2) { if size == 0 { error "empty pool" } left = size }
method get() { if left == 0 { error "exhausted" } left-- }
`)})
	if err != nil {
		log.Fatal(err)
	}
	for _, size := range []string{"0", "1", "2"} {
		a := i.Accepts([]typestate.Step{
			{Call: "New", Args: map[string]string{"size": size}},
			{Call: "get"},
			{Call: "get"},
		})
		fmt.Printf("size %s: %v at call %d\n", size, a.Kind, a.Pos+1)
	}
	// Output:
	// size 0: forbidden at call 1
	// size 1: forbidden at call 3
	// size 2: next at call 4
}

// Two versions of a component differ in a word that one of them allows.
func ExampleSynthesize_compare() {
	ctx := context.Background()
	before, err := interlock.Synthesize(ctx, interlock.Config{Source: []byte(lock)})
	if err != nil {
		log.Fatal(err)
	}
	after, err := interlock.Synthesize(ctx, interlock.Config{Source: []byte(`
component Lock
state depth uint2 = 0
method acquire() { if depth == 3 { error "too deep" } depth++ }
method release() { if depth == 0 { error "not held" } depth-- }
method try() (ok bool) { ok = depth == 0; depth = 1 }
`)})
	if err != nil {
		log.Fatal(err)
	}
	d := typestate.Compare(before, after)
	fmt.Println(d.Kind)
	if s := d.AllowedByB; s != nil {
		fmt.Println("allowed only after the change:", s.Word)
	}
	fmt.Println("allowed only before:", d.AllowedByA != nil)
	// Output:
	// different
	// allowed only after the change: [new acquire acquire]
	// allowed only before: false
}

// An answer that does not come is an error of its own kind.
func ExampleSynthesize_undecided() {
	_, err := interlock.Synthesize(context.Background(), interlock.Config{
		Source: []byte("component Big\nstate n uint16 = 0\nmethod up() { n++; if n == 9 { error \"nine\" } }\n"),
		Budget: 5,
		Engine: "direct",
	})
	fmt.Println(errors.Is(err, interlock.ErrUndecided), err)
	// Output: true budget exhausted: more than 5 component states
}

// Every engine gives the same interface; what is written as a file is read back
// as it was.
func ExampleConfig() {
	ctx := context.Background()
	direct, err := interlock.Synthesize(ctx, interlock.Config{Source: []byte(lock), Engine: "direct"})
	if err != nil {
		log.Fatal(err)
	}
	learned, err := interlock.Synthesize(ctx, interlock.Config{Source: []byte(lock), Engine: "learn", Learner: "ttt"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(typestate.Compare(direct, learned).Kind)

	var file bytes.Buffer
	if err := typestate.Write(&file, learned); err != nil {
		log.Fatal(err)
	}
	again, err := typestate.Read(&file)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(typestate.Compare(learned, again).Kind)
	// Output:
	// equal
	// equal
}
