// SPDX-License-Identifier: Apache-2.0

package render

// This file writes a state diagram for Mermaid (stateDiagram-v2). Mermaid has
// no string syntax; what saves a text from its lexer is the entity #NN; with
// the code of a character. Only letters, digits, spaces and a few harmless
// marks are written as they are: Mermaid gives a meaning to surprisingly many
// sequences (-->, :::, %%, <<, [*]). The lines of a state are descriptions of
// their own, "s0 : text": joined by <br/> they would be read as Markdown.
// The title knows no entities and loses what looks like a tag, so angle
// brackets in it become quotation marks.

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/interlock-go/interlock/typestate"
)

func writeMermaid(w io.Writer, i *typestate.Interface, _ Options) error {
	s, err := newShown(i)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	// The title is YAML, in which a JSON string is a string.
	fmt.Fprintf(&b, "---\ntitle: %s\n---\n", yamlQuote(strings.Join(slices.Concat([]string{s.title()}, s.guarantees(), s.lineLegend()), "   ")))
	b.WriteString("stateDiagram-v2\n")
	for _, st := range s.shown() {
		for _, l := range s.nodeText(st, 30) {
			fmt.Fprintf(&b, "  s%d : %s\n", st.ID, mermaidText([]string{l}))
		}
	}
	for _, st := range s.starts {
		if len(st.names) == 0 {
			fmt.Fprintf(&b, "  [*] --> s%d\n", st.state)
		} else {
			fmt.Fprintf(&b, "  [*] --> s%d : %s\n", st.state, mermaidText(st.names))
		}
	}
	for _, st := range s.shown() {
		for _, a := range st.arrows {
			fmt.Fprintf(&b, "  s%d --> s%d : %s\n", st.ID, a.to, mermaidText(s.texts(a.entries)))
		}
	}
	_, err = w.Write(b.Bytes())
	return err
}

func mermaidText(lines []string) string {
	var b strings.Builder
	for k, l := range lines {
		if k > 0 {
			b.WriteString("<br/>")
		}
		for _, r := range l {
			switch {
			case r == ' ' || r == ',' || r == '.' || r == '(' || r == ')' ||
				r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r)):
				b.WriteRune(r)
			default:
				b.WriteString("#" + strconv.Itoa(int(r)) + ";")
			}
		}
	}
	return b.String()
}

// yamlQuote returns a printable text as a double-quoted scalar for the title.
func yamlQuote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "<", "‹", ">", "›").Replace(s) + `"`
}
