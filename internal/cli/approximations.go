// SPDX-License-Identifier: Apache-2.0

package cli

// This file prints what an interface file rests on: what was assumed, and where
// the program is not exactly the code.

import (
	"bytes"
	"fmt"
)

func (c *invocation) explainApproximations() (int, error) {
	if len(c.args) != 1 {
		return exitWrong, c.expected("one interface file with -approximations")
	}
	i, err := c.interfaceFile(c.args[0])
	if err != nil {
		return exitWrong, err
	}
	var w bytes.Buffer
	section := func(title string, lines []string) {
		if len(lines) == 0 {
			return
		}
		fmt.Fprintf(&w, "%s\n", title)
		for _, l := range lines {
			fmt.Fprintf(&w, "  %s\n", l)
		}
	}
	section("conventions", i.Conventions)
	section("contracts", i.Contracts)
	var lines []string
	for _, a := range i.Approximations {
		line := a.What
		if a.At != "" {
			line = a.At + ": " + line
		}
		lines = append(lines, line)
	}
	section("approximations", lines)
	if w.Len() == 0 {
		fmt.Fprintln(&w, "nothing is assumed, and everything is modelled exactly")
	}
	return exitDone, c.print(w.Bytes())
}
