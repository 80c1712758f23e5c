// SPDX-License-Identifier: Apache-2.0

package term

// This file reads SMT-LIB 2 scripts in the logic QF_BV, command by command.
// Commands are delivered, not executed; what the reader itself keeps is what
// the meaning of later text depends on: declarations and definitions, and
// their scopes. Functions of the user are expanded where they are applied.

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A CommandKind tells commands apart.
type CommandKind uint8

const (
	SetLogic         CommandKind = iota + 1 // Text
	SetOption                               // Keyword, Text
	SetInfo                                 // Keyword, Text
	DeclareVar                              // Name, Term
	Define                                  // Name; Term if it has no parameters
	Assert                                  // Term; Name if named
	CheckSat                                //
	CheckSatAssuming                        // Terms, Texts
	Push                                    // N
	Pop                                     // N
	GetModel                                //
	GetValue                                // Terms, Texts
	GetUnsatCore                            //
	GetUnsatAssumptions
	GetAssertions
	GetAssignment
	GetInfo   // Keyword
	GetOption // Keyword
	Echo      // Text
	Reset
	ResetAssertions
	Exit
)

// A Command is one command of a script.
type Command struct {
	Kind      CommandKind
	Name      string
	Keyword   string // without the colon
	Text      string
	N         int
	Term      *Term
	Terms     []*Term
	Texts     []string // the source text of Terms
	Line, Col int
}

// A Script is a sequence of commands.
type Script struct{ Commands []Command }

// ParseScript reads a whole script; name is for messages.
func ParseScript(p *Pool, name string, src []byte) (*Script, error) {
	r := NewReader(p, name, bytes.NewReader(src))
	var s Script
	for {
		c, err := r.Next()
		if err == io.EOF {
			return &s, nil
		}
		if err != nil {
			return nil, err
		}
		s.Commands = append(s.Commands, c)
	}
}

// A Reader reads commands from a stream. It reads no further than it must, so
// the other end may wait for the answer to one command before it sends another.
type Reader struct {
	pool   *Pool
	scan   scanner
	global map[string]*definition
	scopes [][]string // the names defined since each push
	keep   bool       // :global-declarations
	locals map[string][]*Term
	fresh  []string // defined by the current command
	funs   int      // for names of parameters
}

// A definition is what a symbol means: a sort (term is nil), or a term with
// parameters. A declared variable is defined as itself.
type definition struct {
	term   *Term
	params []*Term
	sort   Sort
}

// paramPrefix starts the names of parameters; the scanner has no such symbol.
const paramPrefix = "\x00"

// NewReader returns a reader of the script in src; name is for messages.
func NewReader(p *Pool, name string, src io.Reader) *Reader {
	r := &Reader{pool: p, scan: scanner{name: name, r: bufio.NewReader(src), line: 1, col: 1}}
	r.reset()
	return r
}

func (r *Reader) reset() {
	r.global = make(map[string]*definition)
	r.scopes = nil
	r.keep = false
	r.locals = make(map[string][]*Term)
}

func (r *Reader) lookup(name string) *definition { return r.global[name] }

// define gives a meaning to a symbol until the current scope ends.
func (r *Reader) define(n *node, d *definition) error {
	name := n.text
	if r.global[name] != nil {
		return r.errorf(n, "%s is already declared", name)
	}
	if reserved(name) {
		return r.errorf(n, "%s has a meaning of its own", name)
	}
	r.global[name] = d
	r.fresh = append(r.fresh, name)
	if k := len(r.scopes); k > 0 && !r.keep {
		r.scopes[k-1] = append(r.scopes[k-1], name)
	}
	return nil
}

func (r *Reader) pop(n int) {
	for ; n > 0; n-- {
		k := len(r.scopes) - 1
		for _, name := range r.scopes[k] {
			delete(r.global, name)
		}
		r.scopes = r.scopes[:k]
	}
}

// Next reads the next command. The error is io.EOF after the last one, a
// [*ReadError] for what is wrong with the text. A command with an error has no
// effect, and reading may go on after it unless the error is lexical.
func (r *Reader) Next() (Command, error) {
	n, err := r.scan.expr()
	if err != nil {
		return Command{}, err
	}
	if n.kind != tokOpen || len(n.kids) == 0 || n.kids[0].kind != tokSymbol {
		return Command{}, r.errorf(n, "want a command, have %s", clip(n))
	}
	r.fresh = r.fresh[:0]
	depth := len(r.scopes)
	c, err := r.command(n)
	if err != nil {
		clear(r.locals)
		for _, name := range r.fresh { // names inside of a term that is wrong further on
			delete(r.global, name)
			if depth > 0 && !r.keep {
				r.scopes[depth-1] = r.scopes[depth-1][:len(r.scopes[depth-1])-1]
			}
		}
		return Command{}, err
	}
	c.Line, c.Col = n.line, n.col
	return c, nil
}

// commandForms gives for each command its kind and its arguments: y symbol, k
// keyword, a any values, n optional numeral, t term, s string, - none.
var commandForms = map[string]struct {
	kind CommandKind
	args string
}{
	"set-logic":             {SetLogic, "y"},
	"set-option":            {SetOption, "ka"},
	"set-info":              {SetInfo, "ka"},
	"declare-const":         {DeclareVar, "y?"},
	"declare-fun":           {DeclareVar, "y??"},
	"define-const":          {Define, "y??"},
	"define-fun":            {Define, "y???"},
	"define-sort":           {Define, "y??"},
	"assert":                {Assert, "?"},
	"check-sat":             {CheckSat, ""},
	"check-sat-assuming":    {CheckSatAssuming, "l"},
	"push":                  {Push, "n"},
	"pop":                   {Pop, "n"},
	"get-model":             {GetModel, ""},
	"get-value":             {GetValue, "l"},
	"get-unsat-core":        {GetUnsatCore, ""},
	"get-unsat-assumptions": {GetUnsatAssumptions, ""},
	"get-assertions":        {GetAssertions, ""},
	"get-assignment":        {GetAssignment, ""},
	"get-info":              {GetInfo, "k"},
	"get-option":            {GetOption, "k"},
	"echo":                  {Echo, "s"},
	"reset":                 {Reset, ""},
	"reset-assertions":      {ResetAssertions, ""},
	"exit":                  {Exit, ""},
}

func (r *Reader) command(n *node) (Command, error) {
	head, args := n.kids[0], n.kids[1:]
	form, ok := commandForms[head.text]
	if !ok {
		return Command{}, r.unsupported(head, "command %s", clip(head))
	}
	c := Command{Kind: form.kind}
	// First the form, then the meaning.
	i := 0
	for _, x := range form.args {
		if x == 'a' { // any values, also none
			var texts []string
			for ; i < len(args); i++ {
				texts = append(texts, args[i].String())
			}
			c.Text = strings.Join(texts, " ")
			continue
		}
		if i >= len(args) {
			if x == 'n' {
				c.N = 1
				continue
			}
			return c, r.errorf(n, "%s has too few arguments", head.text)
		}
		a := args[i]
		i++
		switch x {
		case 'y':
			if a.kind != tokSymbol {
				return c, r.errorf(a, "%s wants a symbol, have %s", head.text, clip(a))
			}
			c.Name = a.text
		case 'k':
			if a.kind != tokKeyword {
				return c, r.errorf(a, "%s wants a keyword, have %s", head.text, clip(a))
			}
			c.Keyword = a.text
		case 's':
			if a.kind != tokString {
				return c, r.errorf(a, "%s wants a string, have %s", head.text, clip(a))
			}
			c.Text = a.text
		case 'l':
			if a.kind != tokOpen {
				return c, r.errorf(a, "%s wants a list, have %s", head.text, clip(a))
			}
		case 'n':
			var err error
			if c.N, err = r.numeral(a); err != nil {
				return c, err
			}
		}
	}
	if i < len(args) {
		return c, r.errorf(args[i], "%s has too many arguments", head.text)
	}
	var err error
	switch c.Kind {
	case SetLogic:
		c.Name, c.Text = "", c.Name
	case SetOption:
		if c.Keyword == "global-declarations" {
			r.keep = c.Text == "true"
		}
	case DeclareVar:
		err = r.declare(&c, args)
	case Define:
		err = r.definition(&c, head.text, args)
	case Assert:
		c.Term, err = r.boolean(args[0])
		if a := args[0]; err == nil && a.isList("!") {
			for j, k := range a.kids {
				if k.kind == tokKeyword && k.text == "named" {
					c.Name = a.kids[j+1].text
				}
			}
		}
	case CheckSatAssuming, GetValue:
		for _, a := range args[0].kids {
			var t *Term
			if c.Kind == GetValue {
				t, err = r.term(a)
			} else {
				t, err = r.boolean(a)
			}
			if err != nil {
				return c, err
			}
			c.Terms = append(c.Terms, t)
			c.Texts = append(c.Texts, a.String())
		}
	case Push:
		if len(r.scopes)+c.N > 1<<20 {
			return c, r.unsupported(n, "more than %d scopes", 1<<20)
		}
		for range c.N {
			r.scopes = append(r.scopes, nil)
		}
	case Pop:
		if c.N > len(r.scopes) {
			return c, r.errorf(n, "pop %d of %d scopes", c.N, len(r.scopes))
		}
		r.pop(c.N)
	case Reset:
		r.reset()
	case ResetAssertions:
		r.pop(len(r.scopes))
		if !r.keep {
			clear(r.global)
		}
	}
	return c, err
}

// boolean reads a term that must be a formula.
func (r *Reader) boolean(n *node) (*Term, error) {
	t, err := r.term(n)
	if err != nil {
		return nil, err
	}
	if t.sort.Kind != BoolKind {
		return nil, r.errorf(n, "want Bool, have %s", SMTSort(t.sort))
	}
	return t, nil
}

// declare reads (declare-const x sort) and (declare-fun x () sort).
func (r *Reader) declare(c *Command, args []*node) error {
	if len(args) == 3 && (args[1].kind != tokOpen || len(args[1].kids) > 0) {
		return r.unsupported(args[1], "function %s with arguments", c.Name)
	}
	s, err := r.sort(args[len(args)-1])
	if err != nil {
		return err
	}
	t := r.pool.Var(c.Name, s)
	if err := r.define(args[0], &definition{term: t}); err != nil {
		return err
	}
	c.Term = t
	return nil
}

// definition reads (define-const x sort term), (define-fun f (params) sort
// term) and (define-sort s () sort).
func (r *Reader) definition(c *Command, command string, args []*node) error {
	var d definition
	if command != "define-const" && args[1].kind != tokOpen {
		return r.errorf(args[1], "%s wants a list, have %s", command, clip(args[1]))
	}
	switch command {
	case "define-sort":
		if len(args[1].kids) > 0 {
			return r.unsupported(args[1], "sort %s with parameters", c.Name)
		}
		s, err := r.sort(args[2])
		if err != nil {
			return err
		}
		d.sort = s
		return r.define(args[0], &d)
	case "define-fun":
		r.funs++
		for _, q := range args[1].kids {
			if q.kind != tokOpen || len(q.kids) != 2 || q.kids[0].kind != tokSymbol {
				return r.errorf(q, "want a parameter (symbol sort), have %s", clip(q))
			}
			s, err := r.sort(q.kids[1])
			if err != nil {
				return err
			}
			name := q.kids[0].text
			if len(r.locals[name]) > 0 {
				return r.errorf(q, "%s is a parameter twice", name)
			}
			t := r.pool.Var(paramPrefix+strconv.Itoa(r.funs)+" "+name, s)
			r.locals[name] = []*Term{t}
			d.params = append(d.params, t)
		}
	}
	s, err := r.sort(args[len(args)-2])
	if err != nil {
		return err
	}
	body := args[len(args)-1]
	if d.term, err = r.term(body); err != nil {
		return err
	}
	clear(r.locals)
	if d.term.sort != s {
		return r.errorf(body, "%s wants %s, has %s", c.Name, SMTSort(s), SMTSort(d.term.sort))
	}
	if len(d.params) == 0 {
		c.Term = d.term
	}
	return r.define(args[0], &d)
}

var commandNames = func() map[CommandKind]string {
	m := make(map[CommandKind]string)
	for name, f := range commandForms {
		if f.kind != DeclareVar && f.kind != Define {
			m[f.kind] = name
		}
	}
	m[DeclareVar], m[Define] = "declare-const", "define-fun"
	return m
}()

// String is the name of the command in SMT-LIB.
func (k CommandKind) String() string {
	if s, ok := commandNames[k]; ok {
		return s
	}
	return fmt.Sprintf("command %d", k)
}
