// SPDX-License-Identifier: Apache-2.0

package render

// This file checks that no text in an interface can break a format, by reading
// the output back: with encoding/xml for svg, with small readers of the
// grammars for the others.

import (
	"bytes"
	stdxml "encoding/xml"
	"fmt"
	"io"
	"math/rand"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/typestate"
)

// pieces are what texts are made of that try to break a format.
var pieces = []string{
	"a", "B", "0", " ", "  ", "\n", "\r\n", "\t", "\x00", "\x1b[31m", "\x7f", "\xff", "\xc3", "\ufffe", "\u202e", "\u2028",
	"<", ">", "&", "&amp;", "&#0;", "]]>", "<!--", "-->", "<script>", "</title>", "\"", "'", "\\", "\\\"", "\\n", "\\N",
	"#", "#35;", ";", ":", ":::", "%%", "{", "}", "[*]", "--", "end", "note", "`", "**", "_", "~", "$", "|", "*", "?", "(", ")", "!", "=", ",",
	"é", "日本", "ε", "∅", "😀", "→", "s0", "/", "//", "/*", "*/", "ﬂ°°", "¶ß",
}

// nastyInterface returns an interface all of whose texts are odd.
func nastyInterface(r *rand.Rand) *typestate.Interface {
	text := func() string {
		var b strings.Builder
		for range 1 + r.Intn(8) {
			b.WriteString(pieces[r.Intn(len(pieces))])
		}
		return b.String()
	}
	i := randomInterface(r, 1+r.Intn(5))
	i.Component.Name = text()
	i.Component.Errors = []string{text()}
	i.Guarantees = typestate.Guarantees{Safe: text(), Permissive: text(), Tight: text()}
	i.Conventions, i.Contracts = []string{text()}, []string{text()}
	rename := map[string]string{}
	outcome := map[string]string{"*": "*", "true": text() + "1", "false": text() + "2", "(nil, non-nil)": text() + "3"}
	for k := range i.Calls {
		c := &i.Calls[k]
		rename[c.ID] = text() + strconv.Itoa(k)
		c.ID, c.Method = rename[c.ID], text()
		c.Params = []string{text()}
		if r.Intn(2) == 0 {
			c.Guard = text()
		}
		c.Outcomes = nil
		for _, o := range []string{"true", "false", "(nil, non-nil)"} {
			c.Outcomes = append(c.Outcomes, outcome[o])
		}
	}
	for k := range i.Edges {
		i.Edges[k].Call = rename[i.Edges[k].Call]
		i.Edges[k].Outcome = outcome[i.Edges[k].Outcome]
		if r.Intn(5) == 0 {
			i.Edges[k].Update = map[string]string{text(): text(), text(): text()}
		}
	}
	for k := range i.Forbidden {
		f := &i.Forbidden[k]
		f.Call = rename[f.Call]
		f.Errors = []typestate.ErrorSite{{Kind: text(), Message: text(), At: text()}}
	}
	for k := range i.Unknown {
		i.Unknown[k].Call = rename[i.Unknown[k].Call]
		i.Unknown[k].Reason = text()
	}
	for k := range i.States {
		i.States[k].Label = text()
		if r.Intn(3) == 0 {
			i.States[k].Registers = []typestate.Register{{Name: text(), Type: text()}}
		}
	}
	for k := range i.Constructors {
		i.Constructors[k].ID = text() + strconv.Itoa(k)
		i.Constructors[k].Method = text()
		i.Constructors[k].Guard = text()
	}
	return i
}

// everything calls f with all samples and many odd interfaces.
func everything(t *testing.T, f func(t *testing.T, i *typestate.Interface)) {
	for name, i := range samples(t) {
		t.Run(name, func(t *testing.T) { f(t, i) })
	}
	r := rand.New(rand.NewSource(4))
	for n := range 200 {
		i := nastyInterface(r)
		t.Run(fmt.Sprint("nasty", n), func(t *testing.T) { f(t, i) })
	}
}

func TestSVG(t *testing.T) {
	everything(t, func(t *testing.T, i *typestate.Interface) {
		var b bytes.Buffer
		if err := writeSVG(&b, i, Options{}); err != nil {
			t.Fatal(err)
		}
		d := stdxml.NewDecoder(&b)
		d.Strict = true
		titles, depth := 0, 0
		for {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			switch e := token.(type) {
			case stdxml.StartElement:
				depth++
				if !slices.Contains(strings.Fields("svg title desc style rect g path text circle"), e.Name.Local) {
					t.Errorf("element %s", e.Name.Local)
				}
				if e.Name.Local == "title" {
					titles++
				}
				for _, a := range e.Attr {
					if !slices.Contains(strings.Fields("xmlns class role width height viewBox x y rx d transform cx cy r"), a.Name.Local) {
						t.Errorf("attribute %s", a.Name.Local)
					}
				}
			case stdxml.EndElement:
				depth--
			case stdxml.CharData:
				if strings.ContainsAny(string(e), "\x00\r\ufffd\ufffe\u202e") {
					t.Errorf("unprintable text %q", e)
				}
			case stdxml.Comment, stdxml.Directive, stdxml.ProcInst:
				t.Errorf("unexpected %T", e)
			}
		}
		if depth != 0 || titles < len(i.States)+1 {
			t.Errorf("depth %d, %d titles for %d states", depth, titles, len(i.States))
		}
	})
}

// edgeSet returns the edges of a sheet as "from label to" with a label each.
func edgeSet(s *sheet, label func(arrow) []string) []string {
	var list []string
	for k := range s.states {
		for _, a := range s.states[k].arrows {
			for _, l := range label(a) {
				list = append(list, fmt.Sprintf("%d %q %d", k, l, a.to))
			}
		}
	}
	slices.Sort(list)
	return list
}

func TestAut(t *testing.T) {
	head := regexp.MustCompile(`^des \((\d+), (\d+), (\d+)\)$`)
	edge := regexp.MustCompile(`^\((\d+), "((?:[^"\\]|\\["\\])*)", (\d+)\)$`)
	everything(t, func(t *testing.T, i *typestate.Interface) {
		s, _ := newSheet(i)
		var b bytes.Buffer
		if err := writeAut(&b, i, Options{}); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		h := head.FindStringSubmatch(lines[0])
		if h == nil {
			t.Fatalf("bad header %q", lines[0])
		}
		extra := 0
		if len(s.starts) > 1 {
			extra = 1
		}
		if h[2] != strconv.Itoa(len(lines)-1) || h[3] != strconv.Itoa(len(s.states)+extra) {
			t.Errorf("header %q for %d lines and %d states", lines[0], len(lines)-1, len(s.states))
		}
		var got []string
		starts := 0
		for _, l := range lines[1:] {
			e := edge.FindStringSubmatch(l)
			if e == nil {
				t.Fatalf("bad line %q", l)
			}
			if e[1] == strconv.Itoa(len(s.states)) {
				starts++
				continue
			}
			label := strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(e[2])
			got = append(got, fmt.Sprintf("%s %q %s", e[1], label, e[3]))
		}
		slices.Sort(got)
		want := edgeSet(s, func(a arrow) []string {
			var list []string
			for _, l := range s.letters(a) {
				list = append(list, l.text(" !"))
			}
			return list
		})
		if !slices.Equal(got, want) {
			t.Errorf("read back %q\nwant %q", got, want)
		}
		if extra == 0 && h[1] != strconv.Itoa(s.starts[0].state) || extra == 1 && starts == 0 {
			t.Errorf("first state %s, %d starts", h[1], starts)
		}
	})
}

// TestLeaveOut checks that languages do not promise unknown cells.
func TestLeaveOut(t *testing.T) {
	i := samples(t)["file"]
	i.Unknown = []typestate.Unknown{{State: 2, Call: "write", Reason: "budget"}}
	for _, name := range []string{"aut", "fsp", "regex"} {
		f, _ := Find(name)
		text := written(f, i)
		if strings.Contains(text, `"write"`) || strings.Contains(text, "write ->") || strings.Contains(text, "| write") {
			t.Errorf("%s promises an unknown call:\n%s", name, text)
		}
		if name != "aut" && !strings.Contains(text, "1 call of unknown verdict left out") {
			t.Errorf("%s does not say that it leaves a call out:\n%s", name, text)
		}
	}
}

// dotStrings splits dot text into what is outside of strings and the strings,
// decoded as Graphviz does.
func dotStrings(text string) (outside string, list []string, ok bool) {
	var out, s strings.Builder
	in := false
	for k := 0; k < len(text); k++ {
		switch c := text[k]; {
		case !in && c == '"':
			in = true
			s.Reset()
		case !in:
			out.WriteByte(c)
		case c == '"':
			in = false
			list = append(list, s.String())
			out.WriteByte('$')
		case c == '\\' && k+1 < len(text):
			k++
			switch text[k] {
			case 'n':
				s.WriteByte('\n')
			case '"', '\\':
				s.WriteByte(text[k])
			default:
				return "", nil, false
			}
		case c == '\n':
			return "", nil, false
		default:
			s.WriteByte(c)
		}
	}
	for k := range list {
		list[k] = strings.ReplaceAll(list[k], "&amp;", "&")
	}
	return out.String(), list, !in
}

func TestDot(t *testing.T) {
	line := regexp.MustCompile(`^(digraph \$ \{|\}|  (graph|node|edge) \[[^\]$]*(\$[^\]$]*)*\];|  s\d+ \[label=\$, tooltip=\$\];|  start\d+ \[shape=point, label=\$\];|  (s|start)\d+ -> s\d+ \[label=\$(, style=dashed)?\];)$`)
	everything(t, func(t *testing.T, i *typestate.Interface) {
		s, _ := newSheet(i)
		var b bytes.Buffer
		if err := writeDot(&b, i, Options{}); err != nil {
			t.Fatal(err)
		}
		outside, list, ok := dotStrings(b.String())
		if !ok {
			t.Fatalf("strings do not end or hold odd escapes: %s", b.String())
		}
		for _, l := range strings.Split(strings.TrimSuffix(outside, "\n"), "\n") {
			if !line.MatchString(l) {
				t.Errorf("bad line %q", l)
			}
		}
		for _, want := range edgeSet(s, func(a arrow) []string { return []string{strings.Join(s.texts(a.entries), "\n")} }) {
			label, _ := strconv.Unquote(want[strings.Index(want, " ")+1 : strings.LastIndex(want, " ")])
			if !slices.Contains(list, label) {
				t.Errorf("label %q is missing", label)
			}
		}
	})
}

func TestMermaid(t *testing.T) {
	text := `((?:[A-Za-z0-9 ,.()]|#\d+;|<br/>)*)`
	line := regexp.MustCompile(`^(?:---|title: "(?:[^"\\]|\\["\\])*"|stateDiagram-v2|  s\d+ : ` + text + `|  \[\*\] --> s\d+(?: : ` + text + `)?|  s(\d+) --> s(\d+) : ` + text + `)$`)
	everything(t, func(t *testing.T, i *typestate.Interface) {
		s, _ := newSheet(i)
		var b bytes.Buffer
		if err := writeMermaid(&b, i, Options{}); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n") {
			m := line.FindStringSubmatch(l)
			if m == nil {
				t.Fatalf("bad line %q", l)
			}
			if m[3] != "" {
				label := regexp.MustCompile(`#\d+;`).ReplaceAllStringFunc(strings.ReplaceAll(m[5], "<br/>", "\n"), func(e string) string {
					n, _ := strconv.Atoi(e[1 : len(e)-1])
					return string(rune(n))
				})
				got = append(got, fmt.Sprintf("%s %q %s", m[3], label, m[4]))
			}
		}
		slices.Sort(got)
		want := edgeSet(s, func(a arrow) []string { return []string{strings.Join(s.texts(a.entries), "\n")} })
		if !slices.Equal(got, want) {
			t.Errorf("read back %q\nwant %q", got, want)
		}
	})
}

func TestFSP(t *testing.T) {
	action := `[a-z][A-Za-z0-9_]*(?:\.[a-z][A-Za-z0-9_]*)?`
	choice := regexp.MustCompile(`(` + action + `) -> S(\d+)`)
	body := `(?:STOP|S\d+|\(` + action + ` -> S\d+(?: \| ` + action + ` -> S\d+)*\))`
	whole := regexp.MustCompile(`^(?://.*\n)*[A-Z][A-Za-z0-9_]* = ` + body + `(?:,\nS\d+ = ` + body + `)*(?: \+ \{` + action + `(?:, ` + action + `)*\})?\.\n$`)
	everything(t, func(t *testing.T, i *typestate.Interface) {
		s, _ := newSheet(i)
		var b bytes.Buffer
		if err := writeFSP(&b, i, Options{}); err != nil {
			t.Fatal(err)
		}
		if !whole.MatchString(b.String()) {
			t.Fatalf("not a process:\n%s", b.String())
		}
		// Each state must be deterministic and have as many actions as the
		// interface has letters, or more where "*" stands for several.
		for _, l := range strings.Split(b.String(), "\n") {
			if l == "" || l[0] != 'S' || strings.HasPrefix(l, "//") {
				continue
			}
			k, err := strconv.Atoi(l[1:strings.Index(l, " ")])
			if err != nil || k >= len(s.states) {
				continue // the process itself
			}
			seen := map[string]bool{}
			targets := map[string]bool{}
			for _, m := range choice.FindAllStringSubmatch(l, -1) {
				if seen[m[1]] {
					t.Errorf("state %d has two actions %s", k, m[1])
				}
				seen[m[1]] = true
				targets[m[2]] = true
			}
			letters := 0
			for _, a := range s.states[k].arrows {
				n := len(s.letters(a))
				letters += n
				if targets[strconv.Itoa(a.to)] != (n > 0) {
					t.Errorf("state %d: target %d present: %v, %d letters", k, a.to, n == 0, n)
				}
			}
			if len(seen) < letters {
				t.Errorf("state %d has %d actions for %d letters", k, len(seen), letters)
			}
		}
	})
}

func TestPrintable(t *testing.T) {
	for _, p := range pieces {
		for _, q := range pieces {
			s := printable(p + q)
			if u, err := strconv.Unquote(`"` + strings.ReplaceAll(s, `"`, `\"`) + `"`); !strings.ContainsAny(p+q, `\"`) && (err != nil || u != p+q) {
				t.Errorf("printable(%q) = %q, which stands for %q", p+q, s, u)
			}
			for _, r := range s {
				if !strconv.IsPrint(r) {
					t.Errorf("printable(%q) = %q", p+q, s)
				}
			}
		}
	}
}

// TestWrap checks that wrapping keeps within the width and loses nothing.
func TestWrap(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	for range 2000 {
		var words []string
		for range 1 + r.Intn(6) {
			words = append(words, strings.Repeat(string(rune('a'+r.Intn(3))), 1+r.Intn(12)), []string{"&&", "||", "x"}[r.Intn(3)])
		}
		s := strings.Join(words, " ")
		width := 4 + r.Intn(20)
		for name, lines := range map[string][]string{"wrap": wrap(s, width, columns), "wrapFormula": wrapFormula(s, width, columns)} {
			for _, l := range lines {
				if columns(l) > width {
					t.Fatalf("%s(%q, %d): %q", name, s, width, l)
				}
			}
			if strings.ReplaceAll(strings.Join(lines, ""), " ", "") != strings.ReplaceAll(s, " ", "") {
				t.Fatalf("%s(%q, %d) = %q", name, s, width, lines)
			}
		}
		if a := abbreviate(s, width, columns); columns(a) > width || a != s && !strings.HasSuffix(a, "…") {
			t.Fatalf("abbreviate(%q, %d) = %q", s, width, a)
		}
		lines, all := fillAtMost(words, width, 3, columns)
		if len(lines) > 3 || all && strings.Join(lines, " ") != strings.Join(words, ", ") {
			t.Fatalf("fillAtMost(%q, %d) = %q, %v", words, width, lines, all)
		}
		if !all && !strings.Contains(lines[len(lines)-1], "more") && !strings.Contains(strings.Join(lines, " "), "…") {
			t.Fatalf("fillAtMost(%q, %d) = %q hides something", words, width, lines)
		}
	}
}
