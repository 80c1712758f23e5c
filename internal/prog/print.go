// SPDX-License-Identifier: Apache-2.0

package prog

// This file prints programs in the text form. The text is canonical: it depends
// on the program's structure only, not on how its terms came to be built.

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/interlock-go/interlock/internal/term"
)

// PrintOptions change what is printed.
type PrintOptions struct {
	// Positions adds //line comments, so that the printed text, read again,
	// has the program's positions of methods, edges and error sites.
	Positions bool
}

// Print writes p in canonical text form. Reading it again gives a program Equal
// to Canonical(p). It must be given a program that passes Check.
func Print(w io.Writer, p *Program, opt PrintOptions) error {
	p = Canonical(p)
	pr := &printer{p: p, opt: opt}
	pr.line(0, p.Pos, "component "+quoteName(p.Name))
	for _, e := range p.Enums {
		names := make([]string, len(e.Values))
		for i, v := range e.Values {
			names[i] = quoteSegment(v)
		}
		pr.line(0, Pos{}, fmt.Sprintf("enum %s { %s }", quoteName(e.Name), strings.Join(names, ", ")))
	}
	for _, v := range p.State {
		init := "any"
		if v.Init != nil {
			init = FormatExprAs(p, nil, v.Init, v.Type)
		}
		pr.line(0, v.Pos, fmt.Sprintf("state %s %s = %s", quoteName(v.Name), typeText(v.Type), init))
	}
	for _, t := range p.Invariants {
		pr.line(0, Pos{}, "invariant "+FormatExprAs(p, p.State, t, Type{Sort: term.BoolSort}))
	}
	for _, m := range p.Constructors {
		if !m.Implicit {
			pr.method("constructor", m)
		}
	}
	for _, m := range p.Methods {
		pr.method("method", m)
	}
	_, err := w.Write(pr.buf.Bytes())
	return err
}

// String is the canonical text of p without positions.
func (p *Program) String() string {
	var b strings.Builder
	if err := Print(&b, p, PrintOptions{}); err != nil {
		return err.Error()
	}
	return b.String()
}

// Hash names the program: "sha256:" and the hash of its canonical text without
// positions.
func (p *Program) Hash() string {
	sum := sha256.Sum256([]byte(p.String()))
	return "sha256:" + hex.EncodeToString(sum[:])
}

func typeText(t Type) string {
	if e := t.Sort.Enum; e != nil {
		return quoteName(e.Name)
	}
	return t.String()
}

type printer struct {
	p    *Program
	opt  PrintOptions
	buf  bytes.Buffer
	vars []*Var
	f    *formatter
}

// line writes one line, after a //line comment if positions are asked for and
// pos is known.
func (pr *printer) line(indent int, pos Pos, text string) {
	if pr.opt.Positions && pos.Line > 0 {
		fmt.Fprintf(&pr.buf, "//line %s:%d", pos.File, pos.Line)
		if pos.Col > 0 {
			fmt.Fprintf(&pr.buf, ":%d", pos.Col)
		}
		pr.buf.WriteByte('\n')
	}
	for range indent {
		pr.buf.WriteByte('\t')
	}
	pr.buf.WriteString(text)
	pr.buf.WriteByte('\n')
}

func params(vars []*Var) string {
	var parts []string
	for _, v := range vars {
		parts = append(parts, quoteName(v.Name)+" "+typeText(v.Type))
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

func (pr *printer) method(what string, m *Method) {
	pr.buf.WriteByte('\n')
	head := what + " " + quoteName(m.Name) + params(m.Params)
	if len(m.Results) > 0 {
		head += " " + params(m.Results)
	}
	pr.vars = pr.p.Vars(m)
	pr.f = newFormatter(pr.p, pr.vars)
	body := structure(m)
	if len(m.Locals) == 0 && len(body) == 0 {
		pr.line(0, m.Pos, head+" {}")
		return
	}
	pr.line(0, m.Pos, head+" {")
	for _, v := range m.Locals {
		pr.line(1, v.Pos, "var "+quoteName(v.Name)+" "+typeText(v.Type))
	}
	pr.list(1, body)
	pr.line(0, Pos{}, "}")
}

func (pr *printer) list(indent int, list []*node) {
	for _, n := range list {
		pr.node(indent, n)
	}
}

func (pr *printer) node(indent int, n *node) {
	switch n.kind {
	case labelNode:
		pr.line(indent-1, Pos{}, labelName(n.loc)+":")
	case gotoNode:
		pr.line(indent, Pos{}, "goto "+labelName(n.loc))
	case breakNode:
		pr.line(indent, Pos{}, "break")
	case continueNode:
		pr.line(indent, Pos{}, "continue")
	case stopNode:
		pr.line(indent, Pos{}, "stop")
	case errorNode:
		text := "error "
		if n.site.Kind != "error" {
			text += quoteName(n.site.Kind) + " "
		}
		text += strconv.Quote(n.site.Message)
		if n.site.Blamed {
			text += " environment"
		}
		pr.line(indent, n.site.Pos, text)
	case returnNode:
		if n.edge == nil {
			pr.line(indent, Pos{}, "return")
		} else {
			pr.line(indent, n.edge.Pos, "return "+pr.exprs(n.edge))
		}
	case edgeNode:
		pr.line(indent, n.edge.Pos, pr.edge(n.edge))
	case whileNode:
		if n.edge == nil {
			pr.line(indent, Pos{}, "while {")
		} else {
			pr.line(indent, n.edge.Pos, "while "+pr.cond(n.edge)+" {")
		}
		pr.list(indent+1, n.body)
		pr.line(indent, Pos{}, "}")
	case choiceNode:
		for i, alt := range n.alts {
			if i == 0 {
				pr.line(indent, Pos{}, "choice {")
			} else {
				pr.line(indent, Pos{}, "} or {")
			}
			pr.list(indent+1, alt)
		}
		pr.line(indent, Pos{}, "}")
	case ifNode:
		pr.ifNode(indent, "", n)
	}
}

// ifNode writes an if, or the next of a chain "} else if".
func (pr *printer) ifNode(indent int, before string, n *node) {
	pos := n.edge.Pos
	if before != "" {
		pos = Pos{} // a comment cannot stand before "} else if"
	}
	pr.line(indent, pos, before+"if "+pr.cond(n.edge)+" {")
	pr.list(indent+1, n.body)
	switch {
	case len(n.els) == 0:
	case len(n.els) == 1 && n.els[0].kind == ifNode && !pr.opt.Positions:
		pr.ifNode(indent, "} else ", n.els[0])
		return
	default:
		pr.line(indent, Pos{}, "} else {")
		pr.list(indent+1, n.els)
	}
	pr.line(indent, Pos{}, "}")
}

func (pr *printer) cond(e *Edge) string { return pr.f.top(e.Exprs[0], false) }

func (pr *printer) exprs(e *Edge) string {
	var parts []string
	for i, t := range e.Exprs {
		parts = append(parts, pr.f.top(t, e.Vars[i].Type.Signed))
	}
	return strings.Join(parts, ", ")
}

// edge writes one edge as a statement.
func (pr *printer) edge(e *Edge) string {
	if e.Kind == AssumeEdge {
		return "assume " + pr.cond(e)
	}
	if len(e.Vars) == 0 {
		return "skip"
	}
	var names []string
	for _, v := range e.Vars {
		names = append(names, quoteName(v.Name))
	}
	left := strings.Join(names, ", ") + " = "
	switch {
	case e.Kind == AssignEdge:
		return left + pr.exprs(e)
	case e.Origin == Hidden:
		return left + "choose"
	case e.Origin == Guess:
		return left + "guess"
	}
	return left + "any"
}

func labelName(loc int) string { return "L" + strconv.Itoa(loc) }
