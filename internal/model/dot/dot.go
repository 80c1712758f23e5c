// SPDX-License-Identifier: Apache-2.0

package dot

// This file parses graphs and makes systems of them.

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/model/lts"
)

// Parse reads a graph. The name is that of errors, and of a graph without one. States that
// failing names are the error; it may be nil.
func Parse(name, text string, failing func(state string) bool) (*lts.System, error) {
	tokens, err := lex(name, text)
	if err != nil {
		return nil, err
	}
	p := &parser{file: name, tokens: tokens, numbers: map[string]int{}, name: name[strings.LastIndexByte(name, '/')+1:]}
	p.name = strings.TrimSuffix(p.name, ".dot")
	if err := p.graph(); err != nil {
		return nil, err
	}
	return p.system(failing)
}

type parser struct {
	file    string
	tokens  []token
	at      int
	name    string
	numbers map[string]int
	nodes   []node
	edges   []edge
	extra   []string // actions of the comment
}

type node struct {
	name  string
	attrs map[string]token
}

type edge struct {
	from, to int
	attrs    map[string]token
}

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) take() token {
	t := p.tokens[p.at]
	if t.kind != endOfFile {
		p.at++
	}
	return t
}

// accept takes a symbol if it is next.
func (p *parser) accept(text string) bool {
	if t := p.peek(); t.kind == symbol && t.text == text {
		p.at++
		return true
	}
	return false
}

func (p *parser) word(text string) bool {
	t := p.peek()
	return t.kind == name && strings.EqualFold(t.text, text)
}

func (p *parser) fail(t token, format string, args ...any) error {
	return &Error{p.file, t.line, fmt.Sprintf(format, args...)}
}

func (p *parser) graph() error {
	if p.word("strict") {
		p.take()
	}
	switch t := p.take(); {
	case t.kind == name && strings.EqualFold(t.text, "digraph"):
	case t.kind == name && strings.EqualFold(t.text, "graph"):
		return p.fail(t, "an undirected graph has no transitions; write digraph, and -> between nodes")
	default:
		return p.fail(t, "a graph begins with digraph, and not with %v", t)
	}
	if p.peek().isID() {
		if n := p.id(); n != "" {
			p.name = n
		}
	}
	if t := p.peek(); !p.accept("{") {
		return p.fail(t, "expected { after digraph and its name, got %v", t)
	}
	if _, err := p.statements(map[string]token{}, map[string]token{}); err != nil {
		return err
	}
	if t := p.peek(); t.kind != endOfFile {
		return p.fail(t, "expected one graph, and there is %v after it", t)
	}
	return nil
}

// id is a name, of which quoted parts are put together by +.
func (p *parser) id() string {
	t := p.take()
	text := strings.Join(t.lines(), "\n")
	for p.accept("+") {
		text += strings.Join(p.take().lines(), "\n")
	}
	return text
}

// statements reads up to the closing brace and gives the nodes that are mentioned. Defaults are
// those of nodes and edges.
func (p *parser) statements(nodes, edges map[string]token) (all []int, err error) {
	nodes, edges = maps.Clone(nodes), maps.Clone(edges)
	for !p.accept("}") {
		t := p.peek()
		switch {
		case t.kind == endOfFile:
			return nil, p.fail(t, "the graph does not end: expected }")
		case p.accept(";"), p.accept(","):
			continue
		case p.word("node"), p.word("edge"), p.word("graph"):
			which := strings.ToLower(p.take().text)
			into := map[string]map[string]token{"node": nodes, "edge": edges}[which]
			if into == nil {
				into = map[string]token{}
			}
			if err := p.attributes(into); err != nil {
				return nil, err
			}
			if which == "graph" {
				p.comment(into["comment"])
			}
		default:
			mentioned, err := p.chain(nodes, edges)
			if err != nil {
				return nil, err
			}
			all = append(all, mentioned...)
		}
	}
	return all, nil
}

// comment adds the actions that the graph's comment lists.
func (p *parser) comment(t token) {
	if list, ok := strings.CutPrefix(strings.Join(t.lines(), " "), "alphabet: "); ok {
		p.extra = append(p.extra, strings.Split(list, ", ")...)
	}
}

// chain reads a node, an attribute of the graph, or edges.
func (p *parser) chain(nodes, edges map[string]token) (all []int, err error) {
	first := p.peek()
	if first.isID() && p.at+1 < len(p.tokens) && p.tokens[p.at+1].kind == symbol && p.tokens[p.at+1].text == "=" {
		key := p.id()
		p.take()
		if !p.peek().isID() {
			return nil, p.fail(p.peek(), "expected the value of %s, got %v", key, p.peek())
		}
		value := p.take()
		if key == "comment" {
			p.comment(value)
		}
		return nil, nil
	}
	ends, err := p.ends(nodes, edges)
	if err != nil {
		return nil, err
	}
	all = ends
	begin := len(p.edges)
	for {
		t := p.peek()
		if p.accept("--") {
			return nil, p.fail(t, "an edge of a transition system has a direction; write -> and not --")
		}
		if !p.accept("->") {
			break
		}
		next, err := p.ends(nodes, edges)
		if err != nil {
			return nil, err
		}
		for _, from := range ends {
			for _, to := range next {
				p.edges = append(p.edges, edge{from, to, maps.Clone(edges)})
			}
		}
		ends, all = next, append(all, next...)
	}
	attrs := map[string]token{}
	if err := p.attributes(attrs); err != nil {
		return nil, err
	}
	if begin == len(p.edges) {
		for _, n := range all {
			maps.Copy(p.nodes[n].attrs, attrs)
		}
	}
	for k := begin; k < len(p.edges); k++ {
		maps.Copy(p.edges[k].attrs, attrs)
	}
	return all, nil
}

// ends reads a node or a subgraph.
func (p *parser) ends(nodes, edges map[string]token) ([]int, error) {
	if p.word("subgraph") {
		p.take()
		if p.peek().isID() {
			p.take()
		}
	}
	if p.accept("{") {
		return p.statements(nodes, edges)
	}
	t := p.peek()
	if !t.isID() {
		return nil, p.fail(t, "expected a node, got %v", t)
	}
	n := p.node(p.id(), nodes)
	for p.accept(":") { // a port
		if !p.peek().isID() {
			return nil, p.fail(p.peek(), "expected a port, got %v", p.peek())
		}
		p.take()
	}
	return []int{n}, nil
}

func (p *parser) node(name string, defaults map[string]token) int {
	n, ok := p.numbers[name]
	if !ok {
		n = len(p.nodes)
		p.numbers[name] = n
		p.nodes = append(p.nodes, node{name, maps.Clone(defaults)})
	}
	return n
}

// attributes reads lists in brackets.
func (p *parser) attributes(into map[string]token) error {
	for p.accept("[") {
		for !p.accept("]") {
			if p.accept(",") || p.accept(";") {
				continue
			}
			t := p.peek()
			if !t.isID() {
				return p.fail(t, "expected an attribute or ], got %v", t)
			}
			key := strings.ToLower(p.id())
			if !p.accept("=") {
				continue
			}
			value := p.take()
			if !value.isID() {
				return p.fail(value, "expected the value of %s, got %v", key, value)
			}
			for p.accept("+") {
				value.text += p.take().text
			}
			into[key] = value
		}
	}
	return nil
}

// system makes states of nodes and transitions of edges.
func (p *parser) system(failing func(string) bool) (*lts.System, error) {
	marker := p.markers()
	initial := -1
	for _, e := range p.edges {
		if !marker[e.from] || marker[e.to] {
			continue
		}
		if initial >= 0 && initial != e.to {
			return nil, &Error{p.file, 1, fmt.Sprintf("it starts in %s and in %s; a system has one initial state", p.nodes[initial].name, p.nodes[e.to].name)}
		}
		initial = e.to
	}
	for _, e := range p.edges {
		if initial < 0 && !marker[e.from] {
			initial = e.from
		}
	}
	for n := range p.nodes {
		if initial < 0 && !marker[n] {
			initial = n
		}
	}
	if initial < 0 {
		return nil, &Error{p.file, 1, "the graph has no node, so that no state is initial"}
	}
	fails := func(n int) bool { return failing != nil && failing(p.nodes[n].name) }
	b := lts.NewBuilder(p.extra...)
	for _, e := range p.edges {
		if marker[e.from] || marker[e.to] {
			continue
		}
		for _, label := range actions(e.attrs["label"]) {
			action := lts.Hidden
			if label != "" && label != "tau" && label != "τ" {
				action = b.Action(label)
			}
			if fails(e.to) {
				b.Fail(int32(e.from), action, "state "+p.nodes[e.to].name)
			} else {
				b.Edge(int32(e.from), action, int32(e.to))
			}
		}
	}
	if fails(initial) {
		return b.System(p.name, lts.Error), nil
	}
	return b.System(p.name, int32(initial)), nil
}

// markers are the nodes that only point to the initial state.
func (p *parser) markers() []bool {
	entered, leaves := make([]bool, len(p.nodes)), make([]bool, len(p.nodes))
	for _, e := range p.edges {
		entered[e.to] = true
		leaves[e.from] = true
	}
	marker := make([]bool, len(p.nodes))
	for k, n := range p.nodes {
		label, labelled := n.attrs["label"]
		shape := n.attrs["shape"].text
		bare := labelled && strings.TrimSpace(strings.Join(label.lines(), "")) == ""
		marker[k] = !entered[k] && (strings.HasPrefix(n.name, "__start") || leaves[k] && bare && slices.Contains([]string{"point", "none", "plaintext", "plain"}, shape))
	}
	return marker
}

// actions are those of a label: one for each line that is not empty, and "" if there is none.
func actions(label token) []string {
	var out []string
	for _, line := range label.lines() {
		line = strings.Join(strings.Fields(line), " ")
		if in, output, ok := strings.Cut(line, " / "); ok {
			line = in + "/" + output
		}
		if line != "" {
			out = append(out, line)
		}
	}
	if out == nil {
		return []string{""}
	}
	return out
}
