// SPDX-License-Identifier: Apache-2.0

package prog

// This file parses the examples of doc/format.md.

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

func TestFormatDocument(t *testing.T) {
	data, err := os.ReadFile("../../doc/format.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?ms)^```open *(wrong: ([^\n]*))?\n(.*?)^```$").FindAllStringSubmatch(string(data), -1)
	good, wrong := 0, 0
	for _, b := range blocks {
		p, err := Parse("doc/format.md", []byte(b[3]), Options{})
		switch {
		case b[2] == "" && err != nil:
			t.Errorf("%s\n%s", err.(ErrorList).Lines(), b[3])
		case b[2] == "":
			good++
			roundTrip(t, p)
		case err == nil:
			t.Errorf("no error, want %q\n%s", b[2], b[3])
		case len(err.(ErrorList)) != 1 || !strings.Contains(err.Error(), b[2]):
			t.Errorf("%s\nwant %q\n%s", err.(ErrorList).Lines(), b[2], b[3])
		default:
			wrong++
		}
	}
	if n := strings.Count(string(data), "```open"); n != good+wrong || good < 7 || wrong < 4 {
		t.Errorf("%d good and %d wrong examples of %d", good, wrong, n)
	}
	// The document lists the reserved words that the parser has.
	words := regexp.MustCompile("(?s)Reserved words\\*\\* are `(.*?)`").FindStringSubmatch(string(data))
	if words == nil {
		t.Fatal("no reserved words")
	}
	listed := strings.Fields(words[1])
	for _, w := range listed {
		if !reserved[w] {
			t.Errorf("%s is listed as reserved and is not", w)
		}
	}
	if len(listed) != len(reserved) {
		t.Errorf("%d reserved words listed, there are %d", len(listed), len(reserved))
	}
}
