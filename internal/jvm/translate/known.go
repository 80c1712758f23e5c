// SPDX-License-Identifier: Apache-2.0

package translate

// This file has what the specification of the JDK says of methods that are not followed: the file jdk.contracts, one method or class
// with methods on a line.

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed prelude.contracts
var preludeContracts string

// preludeAnswers are functions of the prelude without bodies that the environment answers.
var preludeAnswers = []string{"classOf", "someText", "unknownText", "unknownMessage", "unknownCause", "identityHash", "sameBox"}

//go:embed jdk.contracts
var jdkContracts string

var primitivesByGo = map[string]string{"bool": "Z", "int8": "B", "uint16": "C", "int16": "S", "int32": "I", "int64": "J", "float32": "F", "float64": "D", "string": "text"}

// readContracts gives what is known by "class.method" with slashes.
var readContracts = sync.OnceValue(func() map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for line := range strings.Lines(jdkContracts) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "//") {
			continue
		}
		name, properties, _ := strings.Cut(line, ":")
		k := strings.LastIndexByte(name, '.')
		class, methods := strings.ReplaceAll(name[:k], ".", "/"), strings.Split(name[k+1:], "|")
		for _, m := range methods {
			key := class + "." + m
			if out[key] == nil {
				out[key] = map[string]bool{}
			}
			for p := range strings.SplitSeq(properties, ";") {
				out[key][strings.TrimSpace(p)] = true
			}
		}
	}
	return out
})

// isNeverNull reports whether the result of a method of the environment is never null.
func isNeverNull(of Name) bool {
	return of.Member == "<init>" || of.Descriptor != "" && readContracts()[of.Class+"."+of.Member]["not null"]
}
