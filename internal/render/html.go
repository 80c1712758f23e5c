// SPDX-License-Identifier: Apache-2.0

package render

// This file writes a page: one file that a browser opens from a disk, without a network or a server. It holds
// the picture, a table of all cells, the table for a terminal, what is assumed, and the interface as data, with a script
// (page/page.js) that steps through it. Without scripts the rest is still there.
//
// Text of the interface gets into the page in two ways only: escaped (xml), and as JSON whose < and & are escaped, which
// the script puts into text nodes. A policy in the page forbids everything that would be loaded.

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

var (
	//go:embed page/page.css
	pageStyle string
	//go:embed page/page.js
	pageScript string
)

func writeHTML(w io.Writer, i *typestate.Interface, opt Options) error {
	s, err := newShown(i)
	if err != nil {
		return err
	}
	data, err := json.Marshal(s.pageData(opt))
	if err != nil {
		return err
	}
	var c canvas
	c.printf("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
	c.printf("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n")
	c.printf("<title>%s: interface</title>\n<style>\n%s%s</style>\n</head>\n<body>\n", xml(s.title()), pageStyle, svgStyle)
	s.pageHead(&c, opt)
	c.printf("<main>\n<div class=\"cols\">\n")
	pageSimulator(&c)
	s.pagePicture(&c)
	c.printf("</div>\n")
	s.pageTable(&c)
	if err := s.pageFolded(&c, i, opt); err != nil {
		return err
	}
	c.printf("</main>\n<footer><p>Written by Interlock. A cell is a state and a call; the address of this page holds the steps, so a link shows a word.</p></footer>\n")
	c.printf("<script type=\"application/json\" id=\"data\">%s</script>\n<script>\n%s</script>\n</body>\n</html>\n", data, pageScript)
	_, err = w.Write(c.Bytes())
	return err
}

func (s *sheet) pageHead(c *canvas, opt Options) {
	c.printf("<header>\n")
	if opt.Index != "" {
		c.printf("<p class=\"crumb\"><a href=\"%s\">All types</a></p>\n", xml(opt.Index))
	}
	c.printf("<h1>%s</h1>\n<ul class=\"facts\">\n", xml(s.title()))
	c.printf("<li>%s, %s</li>\n", plural(len(s.shown()), "state"), plural(len(s.calls), "call"))
	for _, claim := range s.claims() {
		class := ""
		if strings.HasSuffix(claim, ": "+typestate.GuaranteeProved) {
			class = ` class="yes"`
		}
		c.printf("<li%s>%s</li>\n", class, xml(claim))
	}
	if len(s.Component.Errors) > 0 {
		c.printf("<li>errors: %s</li>\n", xml(printable(strings.Join(s.Component.Errors, ", "))))
	}
	c.printf("</ul>\n")
	for _, text := range []string{s.unproved(), s.tested()} {
		if text != "" {
			c.printf("<p class=\"note\">%s</p>\n", xml(text))
		}
	}
	c.printf("</header>\n")
}

// pageSimulator writes what the script fills. It is hidden where there is no script.
func pageSimulator(c *canvas) {
	c.WriteString(`<section class="card" id="sim" aria-labelledby="simtitle" hidden="">
<div class="bar"><h2 id="simtitle">Step through it</h2><div class="tools"><button type="button" class="tool" id="back" aria-keyshortcuts="b Backspace">Back</button><button type="button" class="tool" id="reset" aria-keyshortcuts="r">Reset</button></div></div>
<div class="now" id="now"></div>
<h3 id="pathtitle">Path</h3>
<ol class="path" id="path" aria-labelledby="pathtitle"></ol>
<h3 id="callstitle">Next call (<span id="count"></span>)</h3>
<ul class="calls" id="calls" aria-labelledby="callstitle"></ul>
<div class="why" id="why" role="status"></div>
<p class="note">Keys: <kbd>1</kbd>–<kbd>9</kbd> calls, <kbd>b</kbd> back, <kbd>r</kbd> reset. A click on a state in the picture takes a shortest way to it.</p>
<div class="hidden" id="live" aria-live="polite"></div>
</section>
<noscript><p class="card noscript">Without scripts this page shows the picture and the tables; stepping needs one.</p></noscript>
`)
}

func (s *sheet) pagePicture(c *canvas) {
	p := newPicture(s)
	p.live = true
	width, height := p.w+2*pageMargin, p.h+2*pageMargin
	c.printf("<section class=\"card stage\" aria-labelledby=\"pictitle\">\n<div class=\"bar\"><h2 id=\"pictitle\">Picture</h2><div class=\"tools\"><button type=\"button\" class=\"tool\" id=\"out\" aria-label=\"smaller\">−</button><button type=\"button\" class=\"tool\" id=\"fit\">Fit</button><button type=\"button\" class=\"tool\" id=\"in\" aria-label=\"larger\">+</button></div></div>\n")
	c.printf("<div class=\"view\" id=\"view\" tabindex=\"0\" role=\"region\" aria-label=\"picture of the interface\">\n")
	c.printf(`<svg xmlns="http://www.w3.org/2000/svg" class="il" role="group" aria-label="states" width="%s" height="%s" viewBox="0 0 %s %s">`+"\n", px(width), px(height), px(width), px(height))
	c.printf(`<g transform="translate(%s %s)">`+"\n", px(pageMargin), px(pageMargin))
	p.drawWires(c)
	for k := range p.boxes {
		p.drawState(c, k)
	}
	c.printf("</g>\n</svg>\n</div>\n")
	if notes := s.legend(); len(notes) > 0 {
		c.printf("<details><summary>Guards (%d)</summary><ul>\n", len(notes))
		for _, n := range notes {
			c.printf("<li class=\"mono\">%s</li>\n", xml(n))
		}
		c.printf("</ul></details>\n")
	}
	c.printf("</section>\n")
}

// pageMargin is around the picture in a page, in tenths of a pixel.
const pageMargin = 120

// stateHooks are the attributes by which a script finds a state.
func (p *picture) stateHooks(k int) string {
	if !p.live {
		return ""
	}
	id, label := p.boxes[k].ID, p.boxes[k].label
	return fmt.Sprintf(` data-state="%d" tabindex="0" role="button" aria-label="%s"`, id, xml(strings.TrimSuffix("state "+strconv.Itoa(id)+", "+label, ", ")))
}

// edgeHooks are those by which it finds a line.
func (p *picture) edgeHooks(arcs []int) string {
	if !p.live || len(arcs) == 0 {
		return ""
	}
	var list []string
	for _, a := range arcs {
		e := p.chart.arcs[a]
		list = append(list, fmt.Sprintf("%d&gt;%d", p.boxes[e.from].ID, p.boxes[e.to].ID))
	}
	return ` data-edges="` + strings.Join(list, " ") + `"`
}

func (p *picture) loopHooks(k int) string {
	if !p.live {
		return ""
	}
	return fmt.Sprintf(` data-edges="%d&gt;%d"`, p.boxes[k].ID, p.boxes[k].ID)
}

// pageTable writes all cells as a table: a row for each call, a column for each state.
func (s *sheet) pageTable(c *canvas) {
	states := s.shown()
	if len(states) == 0 || len(s.calls) == 0 {
		return
	}
	c.printf("<section class=\"below\" aria-labelledby=\"celltitle\">\n<h2 id=\"celltitle\">All cells</h2>\n<div class=\"grid\" tabindex=\"0\" role=\"region\" aria-labelledby=\"celltitle\"><table>\n<thead><tr><th scope=\"col\">call</th>")
	for _, st := range states {
		c.printf(`<th scope="col" data-col="%d" title="%s">%d</th>`, st.ID, xml(st.label), st.ID)
	}
	c.printf("</tr></thead>\n<tbody>\n")
	for k, call := range s.calls {
		c.printf(`<tr><th scope="row" title="%s">%s</th>`, xml(call.name), xml(call.name))
		for _, st := range states {
			cell := s.cellOf(st, k)
			if cell == nil {
				c.printf(`<td data-col="%d" title="cannot be made here">·</td>`, st.ID)
				continue
			}
			class := "ev-other" // a file may say anything
			switch cell.Evidence {
			case typestate.GuaranteeProved, typestate.GuaranteeClaimed, evidenceSeen, evidenceUnknown, evidenceUncovered:
				class = "ev-" + cell.Evidence
			}
			if cell.Verdict == "fails" || cell.Verdict == "may-fail" {
				class += " no"
			}
			c.printf(`<td data-col="%d" class="%s" title="%s">%s</td>`, st.ID, class, xml(cell.Evidence), xml(cell.short()))
		}
		c.printf("</tr>\n")
	}
	c.printf("</tbody></table></div>\n<p class=\"key\"><span>→ n: leads to state n</span><span>fails: every run errs</span><span>may fail: some run errs</span><span>~ seen, not proved</span><span>! a run-time check is left out</span><span>? unknown</span><span>· cannot be made</span></p>\n</section>\n")
}

// pageFolded writes what few want to read at once.
func (s *sheet) pageFolded(c *canvas, i *typestate.Interface, opt Options) error {
	var text bytes.Buffer
	if err := writeText(&text, i, Options{Columns: opt.Columns, Checks: true}); err != nil {
		return err
	}
	c.printf("<details><summary>As a table of text</summary><pre class=\"textform\" tabindex=\"0\">%s</pre></details>\n", xml(text.String()))
	n := len(s.Conventions) + len(s.Contracts) + len(s.Approximations)
	if n == 0 {
		return nil
	}
	c.printf("<details><summary>What is assumed (%d)</summary>\n", n)
	for _, part := range []struct {
		title string
		list  []string
	}{{"Conventions", printables(s.Conventions)}, {"Contracts", printables(s.Contracts)}, {"Approximations", approximations(s.Approximations)}} {
		if len(part.list) == 0 {
			continue
		}
		c.printf("<h3>%s</h3>\n<ul>\n", part.title)
		for _, line := range part.list {
			c.printf("<li>%s</li>\n", xml(line))
		}
		c.printf("</ul>\n")
	}
	c.printf("</details>\n")
	return nil
}
