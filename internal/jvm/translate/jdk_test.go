// SPDX-License-Identifier: Apache-2.0

package translate_test

// This file translates the classes of the JDKs that are installed and checks the types of the Go text.

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"hash/fnv"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/jvm/hierarchy"
	"github.com/interlock-go/interlock/internal/jvm/internal/jdktest"
	"github.com/interlock-go/interlock/internal/jvm/translate"
)

// typeCheck gives the first errors in the types of a translation, which must not be runnable: it imports nothing then.
func typeCheck(tr *translate.Translation) []string {
	fset := token.NewFileSet()
	var files []*ast.File
	var out []string
	for _, f := range tr.Files {
		file, err := parser.ParseFile(fset, f.Name, f.Text, parser.SkipObjectResolution)
		if err != nil {
			return []string{err.Error()}
		}
		files = append(files, file)
	}
	conf := types.Config{Error: func(err error) {
		e := err.(types.Error)
		p := e.Fset.PositionFor(e.Pos, false)
		line := ""
		for _, f := range tr.Files {
			if f.Name == p.Filename {
				line = strings.Split(string(f.Text), "\n")[p.Line-1]
			}
		}
		out = append(out, fmt.Sprintf("%s:%d: %s: %s", p.Filename, p.Line, e.Msg, line))
	}}
	conf.Check(tr.Package, fset, files, nil)
	return out
}

// TestJDK translates each class of java.base with all its methods. The text must have types, or the class is refused with
// the construct that cannot be translated.
func TestJDK(t *testing.T) {
	every := uint32(200)
	if os.Getenv("CI") == "true" {
		every = 8 // all take about ten minutes
	}
	for _, jdk := range jdktest.All(t) {
		names, err := jdk.Classes()
		if err != nil {
			t.Fatal(err)
		}
		translated, interfaces := 0, 0
		refused := map[string]int{}
		for _, name := range names {
			h := fnv.New32a()
			h.Write([]byte(name))
			if h.Sum32()%every != 0 || !isBase(name) {
				continue
			}
			tr, err := translate.Class(jdk, name, translate.Options{Reach: hierarchy.Alone, Whole: true})
			var no *translate.Unsupported
			switch {
			case err == nil:
				translated++
				if errs := typeCheck(tr); len(errs) > 0 {
					t.Errorf("%s: %d errors: %s", name, len(errs), errs[0])
				}
			case errors.As(err, &no):
				refused[no.Construct]++
			case strings.Contains(err.Error(), "is an interface"):
				interfaces++
			default:
				t.Errorf("%s: %v", name, err)
			}
		}
		n := 0
		for _, construct := range slices.Sorted(maps.Keys(refused)) {
			n += refused[construct]
			if testing.Verbose() {
				t.Logf("%4d %s", refused[construct], construct)
			}
		}
		t.Logf("%s: %d classes translated, %d refused, %d interfaces", jdk.Version, translated, n, interfaces)
		if translated < 10 || n > translated {
			t.Errorf("%s: too few classes are translated", jdk.Version)
		}
	}
}

// isBase reports whether a class is one of the packages of java.base, by its name.
func isBase(name string) bool {
	for _, p := range []string{"java/lang/", "java/util/", "java/io/", "java/net/", "java/nio/", "java/security/", "java/math/", "java/text/", "java/time/", "javax/crypto/", "javax/net/", "jdk/internal/", "sun/invoke/", "sun/net/", "sun/nio/", "sun/security/", "sun/util/"} {
		if strings.HasPrefix(name, p) && !strings.HasPrefix(name, "java/util/logging/") && !strings.HasPrefix(name, "java/lang/management/") && !strings.HasPrefix(name, "jdk/internal/net/http") {
			return true
		}
	}
	return false
}

// TestClass translates one class, for development: its text is written where INTERLOCK_TRANSLATE_OUT says.
func TestClass(t *testing.T) {
	name, out := os.Getenv("INTERLOCK_TRANSLATE"), os.Getenv("INTERLOCK_TRANSLATE_OUT")
	if name == "" {
		name = "java/util/ArrayList$ListItr"
	}
	tr, err := translate.Class(jdktest.All(t)[0], name, translate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if out != "" {
		for _, f := range tr.Files {
			if err := os.WriteFile(filepath.Join(out, f.Name), f.Text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, e := range typeCheck(tr) {
		t.Error(e)
	}
}
