// SPDX-License-Identifier: Apache-2.0

package interlock_test

// This file shows the public interface of the module at work.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"os"

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

// inferText is what most examples begin with.
func inferText(text string) *typestate.Interface {
	p, err := interlock.ParseProgram("lock.open", []byte(text))
	if err != nil {
		log.Fatal(err)
	}
	r, err := interlock.Infer(context.Background(), p, nil)
	if err != nil {
		log.Fatal(err)
	}
	return r.Interface
}

// The interface of a component in the text form: its states with what they mean, and what
// is forbidden there.
func ExampleInfer() {
	p, err := interlock.ParseProgram("lock.open", []byte(lock))
	if err != nil {
		log.Fatal(err)
	}
	r, err := interlock.Infer(context.Background(), p, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("safe: %v, permissive: %v\n", r.Safe, r.Permissive)
	for state, cells := range r.Interface.Walk() {
		fmt.Printf("state %d: %s\n", state.ID, state.Label)
		for c := range cells {
			if c.Verdict.Forbidden() {
				fmt.Printf("  %s %v: %s\n", c.Call.ID, c.Verdict, c.Forbidden.Errors[0].Message)
			}
		}
	}
	// Output:
	// safe: proved, permissive: proved
	// state 0: !held
	//   release fails: not held
	// state 1: held
	//   acquire fails: acquired twice
}

// The interface of a Go type, from its source. The go command must be installed.
func ExampleLoadGoType() {
	ctx := context.Background()
	c, err := interlock.LoadGoType(ctx, interlock.LoadConfig{}, "bufio.Scanner", interlock.GoOptions{
		Methods: []string{"Buffer", "Scan", "Text"},
		Errors:  []string{"panic Buffer called"},
	})
	if err != nil {
		log.Fatal(err)
	}
	r, err := interlock.Infer(ctx, c, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range r.Interface.Forbidden {
		fmt.Printf("%s %s in state %d: %s\n", f.Call, f.Verdict, f.State, f.Errors[0].Message)
	}
	// Output:
	// Buffer fails in state 1: Buffer called after Scan
}

// One step at a time, with the state kept by the caller.
func ExampleInfer_step() {
	i := inferText(lock)
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

// A monitor follows an object while a program uses it, and says of each call what would come of it.
func ExampleInfer_monitor() {
	m, err := inferText(lock).Monitor()
	if err != nil {
		log.Fatal(err)
	}
	for _, call := range []struct {
		method  string
		returns []typestate.Value
	}{
		{"new", nil}, {"try", []typestate.Value{typestate.Bool(true)}}, {"acquire", nil},
	} {
		r := m.Call(call.method)
		fmt.Printf("%s: %v\n", call.method, r.Verdict)
		if r.Verdict.Forbidden() {
			fmt.Println(r.Reason)
			break
		}
		m.Return(call.returns...)
	}
	// Output:
	// new: allowed
	// try: allowed
	// acquire: fails
	// acquire fails in state 1: error "acquired twice" at lock.open:4:30
}

// A word with arguments is judged by the guards of its calls.
func ExampleInfer_arguments() {
	i := inferText(`
component Pool
state left uint2 = 0
constructor New(size uint2) { if size == 0 { error "empty pool" } left = size }
method get() { if left == 0 { error "exhausted" } left-- }
`)
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
func ExampleInfer_compare() {
	before := inferText(lock)
	after := inferText(`
component Lock
state depth uint2 = 0
method acquire() { if depth == 3 { error "too deep" } depth++ }
method release() { if depth == 0 { error "not held" } depth-- }
method try() (ok bool) { ok = depth == 0; depth = 1 }
`)
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

// An interface is written in other formats, here that of Aldebaran.
func ExampleFormat_Write() {
	aut, ok := interlock.FindFormat("aut")
	if !ok {
		log.Fatal("no such format")
	}
	if err := aut.Write(os.Stdout, inferText(lock)); err != nil {
		log.Fatal(err)
	}
	// Output:
	// des (0, 4, 2)
	// (0, "acquire", 1)
	// (0, "try", 1)
	// (1, "release", 0)
	// (1, "try", 1)
}

// Limits that do not suffice are an error of its own kind.
func ExampleBudgetError() {
	p, err := interlock.ParseProgram("big.open", []byte("component Big\nstate n uint16 = 0\nmethod up() { n++; if n == 9 { error \"nine\" } }\n"))
	if err != nil {
		log.Fatal(err)
	}
	_, err = interlock.Infer(context.Background(), p, &interlock.Options{Engine: interlock.Direct{}, Limits: interlock.Limits{Steps: 5}})
	var budget *interlock.BudgetError
	if errors.As(err, &budget) {
		fmt.Println(err)
		fmt.Println("calls:", len(budget.Partial.Interface.Calls), "settled:", budget.Partial.Settled())
	}
	// Output:
	// budget exhausted: more than 5 component states
	// calls: 1 settled: false
}

// An engine refuses by name what it cannot do.
func ExampleRefusedError() {
	p, err := interlock.ParseProgram("coin.open", []byte(`
component Coin
state heads bool = false
method toss() { heads = choose }
method pay() { if !heads { error "tails" } }
`))
	if err != nil {
		log.Fatal(err)
	}
	_, err = interlock.Infer(context.Background(), p, &interlock.Options{Engine: interlock.Hide{}})
	var refused *interlock.RefusedError
	if errors.As(err, &refused) {
		fmt.Println(refused.What)
		fmt.Println(refused.Next)
	}
	// Output:
	// engine hide
	// engine auto chooses one that can
}

// Long work tells what goes on.
func ExampleOptions_progress() {
	p, err := interlock.ParseProgram("lock.open", []byte(lock))
	if err != nil {
		log.Fatal(err)
	}
	phases := map[string]bool{}
	_, err = interlock.Infer(context.Background(), p, &interlock.Options{Engine: interlock.Direct{}, Progress: func(e interlock.Event) {
		if !phases[e.Phase] {
			phases[e.Phase] = true
			fmt.Println(e.Phase)
		}
	}})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// exploring states
	// minimizing
	// building the interface
	// judging the interface
}

// Work ends with its context, whose error it returns.
func ExampleInfer_cancel() {
	p, err := interlock.ParseProgram("lock.open", []byte(lock))
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := interlock.Infer(ctx, p, nil)
	fmt.Println(r == nil, errors.Is(err, context.Canceled))
	// Output: true true
}

// Every engine gives the same interface; what is written as a file is read back
// as it was.
func ExampleEngine() {
	ctx := context.Background()
	p, err := interlock.ParseProgram("lock.open", []byte(lock))
	if err != nil {
		log.Fatal(err)
	}
	direct, err := interlock.Infer(ctx, p, &interlock.Options{Engine: interlock.Direct{}})
	if err != nil {
		log.Fatal(err)
	}
	learned, err := interlock.Infer(ctx, p, &interlock.Options{Engine: interlock.Learn{Learner: interlock.TTT}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(typestate.Compare(direct.Interface, learned.Interface).Kind)

	var file bytes.Buffer
	if err := typestate.Write(&file, learned.Interface); err != nil {
		log.Fatal(err)
	}
	again, err := typestate.Read(&file)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(typestate.Compare(learned.Interface, again).Kind)
	// Output:
	// equal
	// equal
}
