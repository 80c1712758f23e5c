// SPDX-License-Identifier: Apache-2.0

package flow_test

import (
	"errors"
	"hash/fnv"
	"os"
	"testing"

	"github.com/interlock-go/interlock/internal/jvm/classfile"
	"github.com/interlock-go/interlock/internal/jvm/flow"
	"github.com/interlock-go/interlock/internal/jvm/hierarchy"
	"github.com/interlock-go/interlock/internal/jvm/internal/jdktest"
)

// TestJDK infers types for the methods of the JDKs that are installed: all in continuous
// integration, a part otherwise. The compiler made them, so there are types, and the result that a
// method returns is of the type that it declares.
func TestJDK(t *testing.T) {
	every := uint32(40)
	if os.Getenv("CI") == "true" {
		every = 4
	}
	for _, jdk := range jdktest.All(t) {
		names, err := jdk.Classes()
		if err != nil {
			t.Fatal(err)
		}
		w := hierarchy.New(jdk)
		methods, blocks := 0, 0
		for _, name := range names {
			h := fnv.New32a()
			h.Write([]byte(name))
			if h.Sum32()%every != 0 {
				continue
			}
			for _, m := range w.Class(name).Methods {
				if m.Code == nil {
					continue
				}
				b, err := flow.Analyse(w, m)
				if err != nil {
					var sub *classfile.SubroutineError
					if !errors.As(err, &sub) {
						t.Errorf("%v: %v", m, err)
					}
					continue
				}
				methods++
				blocks += len(b.Blocks)
			}
		}
		if w.Err() != nil {
			t.Error(w.Err())
		}
		if methods < 100 || blocks < methods {
			t.Errorf("%s: only %d methods, %d blocks", jdk.Version, methods, blocks)
		}
		t.Logf("%s: %d methods, %d blocks", jdk.Version, methods, blocks)
	}
}
