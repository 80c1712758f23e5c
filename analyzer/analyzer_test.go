// SPDX-License-Identifier: Apache-2.0

package analyzer_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/interlock-go/interlock/analyzer"
)

// withoutFacts passes on what analysistest finds, but for facts, which the tests do not list.
type withoutFacts struct{ *testing.T }

func (t withoutFacts) Errorf(format string, args ...any) {
	t.Helper()
	if text := fmt.Sprintf(format, args...); !strings.Contains(text, "unexpected fact: ") {
		t.T.Error(text)
	}
}

func TestClients(t *testing.T) {
	a := analyzer.New(nil)
	if err := a.Flags.Set("interfaces", filepath.Join(analysistest.TestData(), "protocols")); err != nil {
		t.Fatal(err)
	}
	pkgs := []string{"clients"}
	if os.Getenv("CI") == "true" { // it imports half of the standard library, which is analyzed, too
		pkgs = append(pkgs, "wide")
	}
	analysistest.Run(withoutFacts{t}, analysistest.TestData(), a, pkgs...)
}
