// SPDX-License-Identifier: Apache-2.0

package interlock_test

// This file holds the tutorials to their scripts: every command of a page is in
// its script, what the page shows below it is what the script compares with, and the Go code
// that it shows is in the sources of the script.

import (
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// tutorials are the pages that have a script, and how many commands and pieces of code they show, at least.
var tutorials = map[string]struct{ commands, code int }{
	"doc/tutorial-go.md":    {10, 4},
	"doc/tutorial-check.md": {6, 3},
}

func TestTutorial(t *testing.T) {
	for page, least := range tutorials {
		name := strings.TrimSuffix(path.Base(page), ".md")
		t.Run(name, func(t *testing.T) {
			commands, code := tutorial(t, page, "testdata/script/"+name+".txtar")
			if commands < least.commands || code < least.code {
				t.Errorf("found %d commands and %d pieces of code", commands, code)
			}
		})
	}
}

// tutorial compares a page with its script, and counts the commands and pieces of code of the page.
func tutorial(t *testing.T, tutorialPage, tutorialScript string) (commandsShown, code int) {
	script, err := txtar.ParseFile(tutorialScript)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(tutorialPage)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	sources := ""
	for _, f := range script.Files {
		files[f.Name] = string(f.Data)
		if strings.HasSuffix(f.Name, ".go") {
			sources += string(f.Data) + "\n"
		}
	}
	output := map[string]string{} // by command, the file that it is compared with
	var commands []string
	for line := range strings.Lines(string(script.Comment)) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "[!short] ")
		if rest, ok := strings.CutPrefix(line, "exits "); ok {
			_, line, _ = strings.Cut(rest, " ")
		}
		if strings.HasPrefix(line, "interlock ") {
			commands = append(commands, line)
		}
		if file, ok := strings.CutPrefix(line, "cmp stdout ../"); ok && len(commands) > 0 {
			output[commands[len(commands)-1]] = file
		}
	}
	shown := transcripts(tutorialPage, string(page))
	var seen []string
	for _, tr := range shown {
		seen = append(seen, tr.command)
		file, compared := output[tr.command]
		switch {
		case !slices.Contains(commands, tr.command):
			t.Errorf("%s:%d: %s does not run %q", tr.file, tr.line, tutorialScript, tr.command)
		case !compared && len(tr.shown) > 0:
			t.Errorf("%s:%d: %s does not compare the output of %q", tr.file, tr.line, tutorialScript, tr.command)
		case compared && !elided(tr.shown, strings.Split(strings.TrimRight(files[file], "\n"), "\n")):
			t.Errorf("%s:%d: %s\nshown:\n%s\nprinted:\n%s", tr.file, tr.line, tr.command, strings.Join(tr.shown, "\n"), files[file])
		}
	}
	for _, c := range commands {
		if !slices.Contains(seen, c) {
			t.Errorf("%s: the page does not have %q", tutorialScript, c)
		}
	}
	for _, b := range codeBlocks(string(page)) {
		text := strings.Join(b.lines, "\n")
		if strings.HasPrefix(text, "func ") || strings.HasPrefix(text, "type ") {
			code++
			if !strings.Contains(sources, text) {
				t.Errorf("%s:%d: not in the sources of %s:\n%s", tutorialPage, b.line, tutorialScript, text)
			}
		}
	}
	return len(shown), code
}
