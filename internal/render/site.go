// SPDX-License-Identifier: Apache-2.0

package render

// This file writes the index of a site of pages.

import (
	"strings"
)

// A Site is a list of types by package. Links are relative.
type Site struct {
	Title    string
	Packages []SitePackage
}

// A SitePackage is a package of a site.
type SitePackage struct {
	Path  string
	Types []SiteType
}

// A SiteType is a type of a site, with its files, "" for none.
type SiteType struct {
	Name, Summary, Reason      string
	Page, Picture, Table, File string
}

const siteStyle = `
.types { list-style: none; margin: 10px 0 28px; padding: 0; display: grid; gap: 8px; }
.types li { background: var(--panel); border: 1px solid var(--line); border-radius: 10px; padding: 10px 14px; }
.types .row { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 14px; }
.types .name { font-family: var(--mono); font-weight: 600; }
.types .sum { color: var(--dim); font-size: 0.88rem; flex: 1; min-width: 12em; }
.types .links { font-size: 0.85rem; display: flex; gap: 10px; }
.types .reason { color: var(--warn); font-size: 0.85rem; margin-top: 4px; overflow-wrap: anywhere; }
main h2 { font-family: var(--mono); margin-top: 8px; }
`

// HTML is the index as a page.
func (s Site) HTML() []byte {
	var c canvas
	c.printf("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
	c.printf("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n")
	c.printf("<title>%s</title>\n<style>\n%s%s</style>\n</head>\n<body>\n<header><h1>%s</h1>\n", xml(s.Title), pageStyle, siteStyle, xml(printable(s.Title)))
	types := 0
	for _, p := range s.Packages {
		types += len(p.Types)
	}
	c.printf("<p class=\"note\">%s in %s</p>\n</header>\n<main>\n", plural(types, "type"), plural(len(s.Packages), "package"))
	for _, p := range s.Packages {
		c.printf("<section>\n<h2>%s</h2>\n<ul class=\"types\">\n", xml(printable(p.Path)))
		for _, t := range p.Types {
			c.printf("<li><div class=\"row\">%s<span class=\"sum\">%s</span>", link(t.Page, "name", t.Name), xml(printable(t.Summary)))
			var links []string
			for _, l := range [][2]string{{t.Picture, "picture"}, {t.Table, "table"}, {t.File, "file"}} {
				if l[0] != "" {
					links = append(links, link(l[0], "", l[1]))
				}
			}
			if len(links) > 0 {
				c.printf("<span class=\"links\">%s</span>", strings.Join(links, ""))
			}
			c.printf("</div>")
			if t.Reason != "" {
				c.printf("<p class=\"reason\">%s</p>", xml(printable(t.Reason)))
			}
			c.printf("</li>\n")
		}
		c.printf("</ul>\n</section>\n")
	}
	c.printf("</main>\n<footer><p>Written by Interlock.</p></footer>\n</body>\n</html>\n")
	return c.Bytes()
}

// link is a link, or only its text if it leads nowhere.
func link(to, class, text string) string {
	if class != "" {
		class = ` class="` + class + `"`
	}
	if to == "" {
		return "<span" + class + ">" + xml(printable(text)) + "</span>"
	}
	return "<a" + class + ` href="` + xml(strings.NewReplacer("%", "%25", "#", "%23", "?", "%3F").Replace(to)) + `">` + xml(printable(text)) + "</a>"
}
