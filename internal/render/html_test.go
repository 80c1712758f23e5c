// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"encoding/json"
	markup "encoding/xml"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/typestate"
)

var pageScripts = regexp.MustCompile(`(?s)<script[^>]*>(.*?)</script>`)

// TestHTML checks that whatever text an interface carries, a page has its two scripts and no other, that its data can be read,
// that its elements are closed, and that it names nothing that would be loaded.
func TestHTML(t *testing.T) {
	everything(t, func(t *testing.T, i *typestate.Interface) {
		var b bytes.Buffer
		lines := func(at string) []Line { return []Line{{1, at + "</script><b>", true}} }
		if err := writeHTML(&b, i, Options{Lines: lines, Index: "a\"b.html"}); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		scripts := pageScripts.FindAllStringSubmatch(text, -1)
		if len(scripts) != 2 || strings.Count(text, "<script") != 2 {
			at := strings.Index(strings.Replace(text, "<script", "<SCRIPT", 1), "<script")
			t.Fatalf("%d scripts: %s", strings.Count(text, "<script"), text[max(0, at-200):at+100])
		}
		var data pageData
		if err := json.Unmarshal([]byte(scripts[0][1]), &data); err != nil {
			t.Fatal(err)
		}
		if len(data.States) != len(i.States) || len(data.Calls) != len(i.Calls) || strings.TrimSpace(scripts[1][1]) != strings.TrimSpace(pageScript) {
			t.Errorf("%d states and %d calls", len(data.States), len(data.Calls))
		}
		rest := pageScripts.ReplaceAllString(text, "")
		for _, bad := range []string{"src=", "url(", "@import", "<link", "<iframe", "http:", "https:"} {
			if strings.Contains(strings.ReplaceAll(rest, "http://www.w3.org/2000/svg", ""), bad) && !strings.Contains(strings.Join(flat(i), " "), bad) {
				t.Errorf("the page has %q", bad)
			}
		}
		body := regexp.MustCompile(`<meta[^>]*>|<!doctype html>|(?s)<style>.*?</style>`).ReplaceAllString(rest, "")
		for d := markup.NewDecoder(strings.NewReader(body)); ; {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// flat are the texts of an interface.
func flat(i *typestate.Interface) []string {
	text, _ := json.Marshal(i)
	return []string{string(text)}
}

// TestEvidence checks what a page says of how a cell is known.
func TestEvidence(t *testing.T) {
	i := &typestate.Interface{
		Constructors: []typestate.Constructor{{ID: "new", Method: "new", Verdict: "allowed", Outcome: "*", State: new(int)}},
		States:       []typestate.State{{}},
		Guarantees:   typestate.Guarantees{Safe: "proved", Permissive: "open"},
		Forbidden:    []typestate.Forbidden{{Call: "fails", Verdict: "fails"}},
		Unknown:      []typestate.Unknown{{Call: "unknown", Reason: "too large"}, {Call: "seen", Reason: "too large"}},
		Uncovered:    []typestate.Uncovered{{Call: "left", Site: typestate.ErrorSite{Kind: "bounds", At: "a.go:1:1"}}},
		Seen:         []typestate.Seen{{Call: "seen", Verdict: "may-fail", Words: 7, Erred: 2, Word: []string{"new()", "seen()"}, Did: "panic: no"}},
		Tested:       &typestate.Tested{Words: 7},
		Impossible:   []typestate.Impossible{{Call: "never"}},
	}
	for _, id := range []string{"allowed", "fails", "left", "never", "seen", "unknown"} {
		i.Calls = append(i.Calls, typestate.Call{ID: id, Method: id, Guard: "true", Outcomes: []string{"return"}})
	}
	for _, id := range []string{"allowed", "left", "seen", "unknown"} {
		i.Edges = append(i.Edges, typestate.Edge{Call: id, Outcome: "*"})
	}
	for reason, proved := range map[string]string{"": "proved", "it was not asked": "claimed"} {
		i.Guarantees.Reason = reason
		s, err := newShown(i)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"allowed": "proved → 0", "fails": proved + " fails", "left": "uncovered → 0 !", "seen": "seen → 0 ~", "unknown": "unknown → 0 ?"}
		for k, c := range s.calls {
			cell := s.cellOf(&s.states[0], k)
			if cell == nil {
				if c.ID != "never" {
					t.Errorf("%s cannot be made", c.ID)
				}
				continue
			}
			if got := cell.Evidence + " " + cell.short(); got != want[c.ID] {
				t.Errorf("%s: %q, want %q", c.ID, got, want[c.ID])
			}
			if c.ID == "seen" && cell.Seen != "The type was run: 7 words made the call here, and it erred in 2 of them. It did: panic: no" {
				t.Errorf("%s", cell.Seen)
			}
		}
	}
}
