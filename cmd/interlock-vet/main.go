// SPDX-License-Identifier: Apache-2.0

// Interlock-vet is the check of clients as a tool of go vet:
//
//	go vet -vettool=$(command -v interlock-vet) ./...
//
// Flags of the analyzer have its name in front of them: -interlock.may, -interlock.interfaces=DIR. The go command keeps results as long as packages,
// tool and flags are the same; where files of -interlock.interfaces change, give -interlock.digest another value. Command 'interlock check' does that.
package main

import (
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/interlock-go/interlock/analyzer"
)

func main() { unitchecker.Main(analyzer.Analyzer) }
