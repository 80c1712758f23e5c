// SPDX-License-Identifier: Apache-2.0

package interlock_test

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/internal/corpus"
	"github.com/interlock-go/interlock/typestate"
)

// TestConcurrent answers for several components at once, each twice, and checks that all answers are the
// same: a program that uses the library may ask in several goroutines. The race detector runs it too.
func TestConcurrent(t *testing.T) {
	names := []string{"examples/file.open", "examples/queue.open"}
	sources := map[string][]byte{}
	for _, name := range names {
		b, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil {
			t.Fatal(err)
		}
		sources[name] = b
	}
	sources["piped.open"] = []byte(corpus.PipedOutputStream(4))
	sources["iterator.open"] = []byte(corpus.ListIterator(3))
	type answer struct {
		name string
		file []byte
	}
	var mu sync.Mutex
	var all []answer
	var wait sync.WaitGroup
	for name, source := range sources {
		for _, engine := range []string{"", "cegar", "direct", "cegar"} {
			wait.Go(func() {
				i, err := task{Filename: name, Source: source, Options: interlock.Options{Engine: engineNamed(engine), Limits: interlock.Limits{Workers: 3}}}.infer()
				if err != nil {
					t.Errorf("%s %s: %v", name, engine, err)
					return
				}
				var b bytes.Buffer
				if err := typestate.Write(&b, i); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				mu.Lock()
				all = append(all, answer{name + " " + engine, b.Bytes()})
				mu.Unlock()
			})
		}
	}
	wait.Wait()
	first := map[string][]byte{}
	for _, a := range all {
		if f := first[a.name]; f != nil && !bytes.Equal(f, a.file) {
			t.Errorf("%s: two answers", a.name)
		}
		first[a.name] = a.file
	}
	for name, source := range sources {
		i, err := task{Filename: name, Source: source}.infer()
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := typestate.Write(&b, i); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b.Bytes(), first[name+" "]) {
			t.Errorf("%s: alone the answer is another one", name)
		}
	}
}
