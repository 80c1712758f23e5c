// SPDX-License-Identifier: Apache-2.0

package analyzer_test

import (
	"fmt"
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
	analysistest.Run(withoutFacts{t}, analysistest.TestData(), analyzer.New(nil), "scanner")
}
