// SPDX-License-Identifier: Apache-2.0

package render

// This file writes a picture: it measures texts, has the diagram laid out
// (layout.go) and writes the drawing as SVG. The file stands alone: no script,
// no reference, no identifier that could clash with another picture on the same
// page (arrow heads are drawn, not declared as markers). Colours are CSS
// variables with a light and a dark set; each use has a plain colour before it
// for viewers that do not know variables. What a box has no room for is in its
// <title>, which viewers show as a tooltip; <desc> holds the interface in words.
//
// Forbidden calls are listed inside the state rather than drawn as edges to an
// error state, which would join every state to one and hide the protocol.

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

// Font sizes and line heights, in tenths of a pixel.
const (
	titleSize = 160
	idSize    = 140
	labelSize = 120
	edgeSize  = 115
	fateSize  = 105

	titleLine = 220
	idLine    = 180
	labelLine = 150
	edgeLine  = 145
	fateLine  = 135

	boxPadX = 120
	boxPadY = 80
	tagPadX = 50 // around the label of an edge
	tagPadY = 30
)

// Widths at which texts are wrapped and numbers of lines at which they end.
const (
	stateWidth = 1700
	stateLines = 4
	fateLines  = 3
	edgeWidth  = 1300
	edgeLines  = 6
)

const svgStyle = `
.il{--il-bg:#ffffff;--il-ink:#1f2328;--il-dim:#59636e;--il-box:#f6f8fa;--il-rim:#818b98;--il-line:#59636e;--il-start:#0969da;--il-fail:#b3261e}
@media (prefers-color-scheme:dark){.il{--il-bg:#0d1117;--il-ink:#e6edf3;--il-dim:#9198a1;--il-box:#1b222c;--il-rim:#6e7681;--il-line:#9198a1;--il-start:#58a6ff;--il-fail:#ff8b82}}
.il text{font-family:Helvetica,Arial,"Liberation Sans",sans-serif;text-anchor:middle;fill:#1f2328;fill:var(--il-ink)}
.il .bg{fill:#ffffff;fill:var(--il-bg)}
.il .box{fill:#f6f8fa;fill:var(--il-box);stroke:#818b98;stroke:var(--il-rim);stroke-width:1.2}
.il .first{stroke:#0969da;stroke:var(--il-start);stroke-width:2}
.il .rule{fill:none;stroke:#818b98;stroke:var(--il-rim);stroke-width:.6}
.il .line{fill:none;stroke:#59636e;stroke:var(--il-line);stroke-width:1.2}
.il .begin{stroke:#0969da;stroke:var(--il-start)}
.il .head{stroke:none;fill:#59636e;fill:var(--il-line)}
.il .dot{stroke:none;fill:#0969da;fill:var(--il-start)}
.il .open{stroke-dasharray:5 4}
.il .title{font-size:16px;font-weight:bold;text-anchor:start}
.il .note{font-size:10.5px;text-anchor:start;fill:#59636e;fill:var(--il-dim)}
.il .id{font-size:14px;font-weight:bold}
.il .name{font-size:12px}
.il .call{font-size:11.5px}
.il .side{font-size:11.5px;text-anchor:start}
.il .fate{font-size:10.5px;fill:#b3261e;fill:var(--il-fail)}
`

// A tag is text in lines, with everything it stands for if that is more.
type tag struct {
	lines []string
	full  []string // nil if lines say it all
}

func (t tag) size() (w, h int) {
	if len(t.lines) == 0 {
		return 0, 0
	}
	return even(widest(t.lines, edgeSize) + 2*tagPadX), even(len(t.lines)*edgeLine + 2*tagPadY)
}

// even rounds up to an even number, so that halves of boxes are whole.
func even(n int) int { return (n + 1) &^ 1 }

func widest(lines []string, size int) int {
	w := 0
	for _, l := range lines {
		w = max(w, textWidth(l, size))
	}
	return w
}

// newTag sets words one to a line while they are few, in running text if more.
func newTag(words []string) tag {
	m := inFont(edgeSize)
	var t tag
	all := true
	if len(words) <= 3 {
		for _, w := range words {
			short := abbreviate(w, 2*edgeWidth, m)
			all = all && short == w
			t.lines = append(t.lines, short)
		}
	} else {
		t.lines, all = fillAtMost(words, edgeWidth, edgeLines, m)
	}
	if !all {
		t.full = words
	}
	return t
}

// A face is the text inside a state.
type face struct {
	label []string
	fates []string
	short bool // something is left out
}

func (s *sheet) face(st *state) face {
	var f face
	m := inFont(labelSize)
	label := st.label
	if regs := registers(st.Registers); regs != "" {
		label = strings.TrimSpace(label + " [" + regs + "]")
	}
	if label != "" {
		f.label = wrapFormula(label, stateWidth, m)
		if len(f.label) > stateLines {
			rest := strings.Join(f.label[stateLines-1:], " ")
			f.label = append(f.label[:stateLines-1], abbreviate(rest, stateWidth-textWidth("…", labelSize), m))
			if last := &f.label[stateLines-1]; !strings.HasSuffix(*last, "…") {
				*last += "…"
			}
			f.short = true
		}
	}
	for _, x := range s.fates(st) {
		words := append([]string(nil), x.names...)
		words[0] = x.word + " " + words[0]
		lines, all := fillAtMost(words, max(stateWidth*4/5, widest(f.label, labelSize)), fateLines, inFont(fateSize))
		f.fates = append(f.fates, lines...)
		f.short = f.short || !all
	}
	return f
}

func (f face) size() (w, h int) {
	w = max(480, widest(f.label, labelSize), widest(f.fates, fateSize)) + 2*boxPadX
	h = idLine + len(f.label)*labelLine + 2*boxPadY
	if len(f.fates) > 0 {
		h += len(f.fates)*fateLine + boxPadY
	}
	return even(w), even(h)
}

// A picture is a sheet with its texts set and its diagram laid out.
type picture struct {
	*sheet
	boxes  []*state // that are shown
	faces  []face   // by box
	loops  []tag    // by box
	starts []tag    // by box
	tags   []tag    // by arc
	lines  []string // the style of the line of each arc, as attributes
	chart  chart
	live   bool // states and edges carry their numbers, for a script
	*drawing
}

func newPicture(s *sheet) *picture {
	p := &picture{sheet: s, boxes: s.shown()}
	p.starts, p.loops = make([]tag, len(p.boxes)), make([]tag, len(p.boxes))
	box := map[int]int{} // of a state
	for k, st := range p.boxes {
		box[st.ID] = k
	}
	for _, st := range s.starts {
		names := st.names
		if len(names) == 0 {
			names = []string{"start"}
		}
		p.starts[box[st.state]] = newTag(names)
	}
	for k, st := range p.boxes {
		f := s.face(st)
		p.faces = append(p.faces, f)
		var n node
		n.w, n.h = f.size()
		n.startW, n.startH = p.starts[k].size()
		for _, a := range st.arrows {
			words := s.texts(a.entries)
			t := newTag(words)
			if box[a.to] == k {
				p.loops[k] = t
				n.loopW, n.loopH = t.size()
				continue
			}
			w, h := t.size()
			p.tags = append(p.tags, t)
			p.lines = append(p.lines, lineStyle(a.entries))
			p.chart.arcs = append(p.chart.arcs, arc{k, box[a.to], strings.Join(words, "\n"), w, h})
		}
		p.chart.nodes = append(p.chart.nodes, n)
	}
	p.drawing = layOut(p.chart)
	return p
}

func writeSVG(w io.Writer, i *typestate.Interface, _ Options) error {
	s, err := newShown(i)
	if err != nil {
		return err
	}
	p := newPicture(s)
	var c canvas

	facts := append([]string{plural(len(s.shown()), "state") + ", " + plural(len(s.calls), "call")}, s.guarantees()...)
	notes := append(s.legend(), s.lineLegend()...)
	for _, b := range s.barred {
		notes = append(notes, "constructor "+b.name+": "+b.why())
	}
	width := max(p.w, 4200)
	inner := width - 2*margin
	title := wrap(s.title(), inner*9/10, inFont(titleSize))
	under := fillPlain(facts, inner)
	head := margin + len(title)*titleLine + len(under)*fateLine
	var foot []string
	for _, n := range notes {
		foot = append(foot, wrapFormula(n, inner, inFont(fateSize))...)
	}
	height := head + p.h
	if len(foot) > 0 {
		height += len(foot)*fateLine + margin/2
	}

	c.printf(`<svg xmlns="http://www.w3.org/2000/svg" class="il" role="img" width="%s" height="%s" viewBox="0 0 %s %s">`+"\n",
		px(width), px(height), px(width), px(height))
	c.printf("<title>%s</title>\n", xml("Interface of "+s.title()))
	c.printf("<desc>%s</desc>\n", xml(s.words()))
	c.printf("<style>%s</style>\n", svgStyle)
	c.printf(`<rect class="bg" width="%s" height="%s"/>`+"\n", px(width), px(height))
	y := margin
	for _, l := range title {
		y += titleLine
		c.text("title", margin, y-60, l)
	}
	for _, l := range under {
		y += fateLine
		c.text("note", margin, y-20, l)
	}
	c.printf(`<g transform="translate(%s %s)">`+"\n", px((width-p.w)/2), px(head))
	p.drawWires(&c)
	for k := range p.boxes {
		p.drawState(&c, k)
	}
	c.printf("</g>\n")
	y = head + p.h + margin/4
	for _, l := range foot {
		c.text("note", margin, y, l)
		y += fateLine
	}
	c.printf("</svg>\n")
	_, err = w.Write(c.Bytes())
	return err
}

// fillPlain sets texts into lines, three spaces apart. (A no-break space stands
// for each, since XML viewers fold ordinary ones.)
func fillPlain(list []string, width int) []string {
	const gap = "\u00a0\u00a0 "
	var lines []string
	line := ""
	for _, t := range list {
		if line != "" && textWidth(line+gap+t, fateSize) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += gap
		}
		line += t
	}
	return append(lines, line)
}

// words returns the interface in plain text.
func (s *sheet) words() string {
	var lines []string
	for _, st := range s.starts {
		lines = append(lines, s.startText(st))
	}
	for _, st := range s.shown() {
		lines = append(lines, strings.Join(s.details(st), "; "))
	}
	return strings.Join(lines, "\n")
}

// lineStyle is dotted for what is only seen, and dashed for what is unknown.
func lineStyle(list []entry) string {
	switch {
	case allSeen(list):
		return `class="line" stroke-dasharray="1.5 3.5"`
	case allUnknown(list):
		return `class="line open"`
	}
	return `class="line"`
}

func (p *picture) drawWires(c *canvas) {
	for _, w := range p.wires {
		class, fill := `class="line"`, "head"
		if w.arcs == nil {
			class, fill = `class="line begin"`, "dot"
		} else {
			class = p.lines[w.arcs[0]]
		}
		c.printf(`<path %s%s d="`, class, p.edgeHooks(w.arcs))
		for k, l := range w.lines {
			if k > 0 {
				c.WriteByte(' ')
			}
			c.curve(l, w.head)
		}
		c.printf("\"/>\n")
		c.arrow(fill, w.head)
		if w.arcs != nil {
			c.tag(p.tags[w.arcs[0]], w.label, "call")
		}
	}
	for k, r := range p.drawing.starts {
		if r.w == 0 {
			continue
		}
		top := r.y - r.h/2
		c.printf(`<path class="line begin" d="M%s %sV%s"/><circle class="dot" cx="%s" cy="%s" r="4"/>`+"\n",
			px(r.x), px(top-startLead+60), px(top), px(r.x), px(top-startLead+60))
		c.tag(p.starts[k], r, "call")
	}
}

func (p *picture) drawState(c *canvas, k int) {
	r, f := p.nodes[k], p.faces[k]
	c.printf("<g%s>", p.stateHooks(k))
	c.printf("<title>%s</title>", xml(strings.Join(p.details(p.boxes[k]), "\n")))
	class := "box"
	if p.drawing.starts[k].w > 0 {
		class = "box first"
	}
	left, top := r.x-r.w/2, r.y-r.h/2
	c.printf(`<rect class="%s" x="%s" y="%s" width="%s" height="%s" rx="8"/>`+"\n", class, px(left), px(top), px(r.w), px(r.h))
	y := top + boxPadY + idLine
	c.text("id", r.x, y-45, strconv.Itoa(p.boxes[k].ID))
	for _, l := range f.label {
		y += labelLine
		c.text("name", r.x, y-40, l)
	}
	if len(f.fates) > 0 {
		y += boxPadY
		c.printf(`<path class="rule" d="M%s %sh%s"/>`+"\n", px(left+boxPadX/2), px(y-20), px(r.w-boxPadX))
		for _, l := range f.fates {
			y += fateLine
			c.text("fate", r.x, y-30, l)
		}
	}
	c.printf("</g>\n")

	if loop := p.drawing.loops[k]; loop.w > 0 {
		x, reach := r.x+r.w/2, loopReach*4/3 // a cubic goes three quarters of the way
		d := min(r.h/4, 130)
		class := `class="line"`
		for _, a := range p.boxes[k].arrows {
			if a.to == p.boxes[k].ID {
				class = lineStyle(a.entries)
			}
		}
		c.printf(`<path %s%s d="M%s %sC%s %s %s %s %s %s"/>`, class, p.loopHooks(k),
			px(x), px(r.y-d), px(x+reach), px(r.y-d-60), px(x+reach), px(r.y+d+60), px(x+headLen-10), px(r.y+d+10))
		c.printf(`<path class="head" d="M%s %sl9.3 -2.4l-.9 6.8z"/>`+"\n", px(x), px(r.y+d))
		c.tag(p.loops[k], loop, "side")
	}
}

// A canvas is SVG being written.
type canvas struct{ bytes.Buffer }

func (c *canvas) printf(format string, args ...any) { fmt.Fprintf(c, format, args...) }

func (c *canvas) text(class string, x, y int, s string) {
	c.printf(`<text class="%s" x="%s" y="%s">%s</text>`+"\n", class, px(x), px(y), xml(s))
}

// tag writes the label of an edge: centred on it, or at its side.
func (c *canvas) tag(t tag, r rect, class string) {
	c.printf("<g>")
	if t.full != nil {
		c.printf("<title>%s</title>", xml(strings.Join(t.full, "\n")))
	}
	y := r.y - r.h/2 + tagPadY
	for _, l := range t.lines {
		y += edgeLine
		x := r.x
		if class == "side" {
			x -= r.w/2 - tagPadX
		}
		c.text(class, x, y-35, l)
	}
	c.printf("</g>\n")
}

// curve writes a line, shortened where the head of an arrow stands.
func (c *canvas) curve(l line, h head) {
	if h.up && l.top == h.y && l.x1 == h.x {
		l.top += headLen - 10
		l.y1 = max(l.y1, l.top)
	}
	if !h.up && l.bottom == h.y && l.x2 == h.x {
		l.bottom -= headLen - 10
		l.y2 = min(l.y2, l.bottom)
	}
	c.printf("M%s %s", px(l.x1), px(l.top))
	if l.y1 != l.top {
		c.printf("V%s", px(l.y1))
	}
	if l.x1 == l.x2 {
		c.printf("V%s", px(l.y2))
	} else {
		mid := (l.y1 + l.y2) / 2
		c.printf("C%s %s %s %s %s %s", px(l.x1), px(mid), px(l.x2), px(mid), px(l.x2), px(l.y2))
	}
	if l.bottom != l.y2 {
		c.printf("V%s", px(l.bottom))
	}
}

func (c *canvas) arrow(class string, h head) {
	d := -headLen
	if h.up {
		d = headLen
	}
	c.printf(`<path class="%s" d="M%s %sl-3.5 %sh7z"/>`+"\n", class, px(h.x), px(h.y), px(d))
}

// px writes tenths of a pixel as a number.
func px(n int) string {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	if n%10 == 0 {
		return sign + strconv.Itoa(n/10)
	}
	return sign + strconv.Itoa(n/10) + "." + strconv.Itoa(n%10)
}

// xml escapes printable text; a line break may be part of it.
func xml(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;").Replace(s)
}
