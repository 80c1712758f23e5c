// SPDX-License-Identifier: Apache-2.0

package interlock_test

// This file checks that the transcripts in the documentation are real. A
// transcript is a command in a code block, after "$ ", and what is shown below
// it: the rest of the block or, if the command stands alone, the next block.
// A line "..." stands for any lines, and at the end of a line for its rest. There is no flag that rewrites them, because
// what to leave out is a matter of taste.

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/corpus"
)

type transcript struct {
	file    string
	line    int // of the command
	command string
	shown   []string
}

func TestTranscripts(t *testing.T) {
	docs, err := filepath.Glob("doc/*.md")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, file := range append([]string{"README.md", "ARCHITECTURE.md"}, docs...) {
		if _, ok := tutorials[file]; ok {
			continue // it has a script, see TestTutorial
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, tr := range transcripts(file, string(text)) {
			args, ok := commandLine(tr.command)
			if !ok {
				continue
			}
			ran++
			if corpus.Race && ran%6 > 0 {
				continue // a sample
			}
			if slices.Contains(args, "-o") {
				t.Errorf("%s:%d: a transcript must not write files", tr.file, tr.line)
				continue
			}
			_, out, errs := run(args...)
			got := strings.Split(strings.TrimRight(out+errs, "\n"), "\n")
			if !elided(tr.shown, got) {
				t.Errorf("%s:%d: %s\nshown:\n%s\nprinted:\n%s", tr.file, tr.line, tr.command, strings.Join(tr.shown, "\n"), strings.Join(got, "\n"))
			}
		}
	}
	if ran < 2 {
		t.Errorf("found %d transcripts, expected those of the README", ran)
	}
}

// commandLine returns the arguments of a command line that runs interlock.
func commandLine(s string) (args []string, ok bool) {
	for _, prefix := range []string{"interlock ", "go run ./cmd/interlock "} {
		if rest, ok := strings.CutPrefix(s, prefix); ok {
			return shellWords(rest), true
		}
	}
	return nil, false
}

// shellWords splits at blanks outside single quotes.
func shellWords(s string) []string {
	var words []string
	word, open, some := "", false, false
	for _, r := range s + " " {
		switch {
		case r == '\'':
			open, some = !open, true
		case r == ' ' && !open:
			if some {
				words = append(words, word)
			}
			word, some = "", false
		default:
			word, some = word+string(r), true
		}
	}
	return words
}

// elided reports whether the lines match a pattern in which "..." is any
// sequence of lines.
func elided(pattern, lines []string) bool {
	if len(pattern) == 0 {
		return len(lines) == 0
	}
	if strings.TrimSpace(pattern[0]) == "..." {
		for k := range len(lines) + 1 {
			if elided(pattern[1:], lines[k:]) {
				return true
			}
		}
		return false
	}
	if len(lines) == 0 {
		return false
	}
	line, want := strings.TrimRight(lines[0], " "), strings.TrimRight(pattern[0], " ")
	if start, ok := strings.CutSuffix(want, "..."); ok && strings.HasPrefix(line, start) {
		return elided(pattern[1:], lines[1:])
	}
	return line == want && elided(pattern[1:], lines[1:])
}

// transcripts finds the commands of a Markdown file.
func transcripts(file, text string) []transcript {
	var out []transcript
	blocks := codeBlocks(text)
	for k, b := range blocks {
		for n, line := range b.lines {
			command, ok := strings.CutPrefix(line, "$ ")
			if !ok {
				continue
			}
			tr := transcript{file: file, line: b.line + n, command: command}
			for _, l := range b.lines[n+1:] {
				if strings.HasPrefix(l, "$ ") {
					break
				}
				tr.shown = append(tr.shown, l)
			}
			if n == len(b.lines)-1 && k+1 < len(blocks) && !strings.HasPrefix(blocks[k+1].lines[0], "$ ") {
				tr.shown = blocks[k+1].lines
			}
			tr.shown = trimBlank(tr.shown)
			out = append(out, tr)
		}
	}
	return out
}

func trimBlank(lines []string) []string {
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

type codeBlock struct {
	line  int // of the first line
	lines []string
}

// codeBlocks finds fenced blocks and blocks that are indented by four or more.
func codeBlocks(text string) []codeBlock {
	var out []codeBlock
	lines := strings.Split(text, "\n")
	for n := 0; n < len(lines); n++ {
		if fence := strings.TrimLeft(lines[n], " "); strings.HasPrefix(fence, "```") {
			b := codeBlock{line: n + 2}
			for n++; n < len(lines) && !strings.HasPrefix(strings.TrimLeft(lines[n], " "), "```"); n++ {
				b.lines = append(b.lines, lines[n])
			}
			if len(b.lines) > 0 {
				out = append(out, b)
			}
			continue
		}
		indent := len(lines[n]) - len(strings.TrimLeft(lines[n], " "))
		if indent < 4 || strings.TrimSpace(lines[n]) == "" || n > 0 && strings.TrimSpace(lines[n-1]) != "" {
			continue
		}
		b := codeBlock{line: n + 1}
		prefix := lines[n][:indent]
		for ; n < len(lines) && (strings.HasPrefix(lines[n], prefix) || strings.TrimSpace(lines[n]) == ""); n++ {
			b.lines = append(b.lines, strings.TrimPrefix(lines[n], prefix))
		}
		n-- // the line that ended the block may begin another
		b.lines = trimBlank(b.lines)
		out = append(out, b)
	}
	return out
}

// TestElided pins what counts as a match, since a matcher that always says yes
// would hide every rotten transcript.
func TestElided(t *testing.T) {
	for _, c := range []struct {
		pattern, lines string
		want           bool
	}{
		{"a\nb", "a\nb", true},
		{"a\n...", "a", true},
		{"a\n...", "a\nb\nc", true},
		{"...\nc", "a\nb\nc", true},
		{"a\n...\nc", "a\nc", true},
		{"a\n...\nc\n...", "a\nb\nc\nd", true},
		{"a", "a\nb", false},
		{"a\nb", "a", false},
		{"...\nb", "a\nb\nc", false},
		{"a\n...\nx\n...", "a\nb\nc", false},
		{"b\n...", "a\nb", false},
	} {
		if got := elided(strings.Split(c.pattern, "\n"), strings.Split(c.lines, "\n")); got != c.want {
			t.Errorf("elided(%q, %q) = %v", c.pattern, c.lines, got)
		}
	}
	md := "text\n\n    $ interlock a 'b c'\n\nprose\n\n    shown\n    ...\n\nmore\n\n- item\n\n      $ interlock d\n      out\n\n      rest\n\n```\n$ interlock e\nfenced\n```\n"
	got := transcripts("x.md", md)
	if len(got) != 3 {
		t.Fatalf("%d transcripts: %+v", len(got), got)
	}
	for k, want := range []string{"shown\n...", "out\n\nrest", "fenced"} {
		if s := strings.Join(got[k].shown, "\n"); s != want {
			t.Errorf("transcript %d shows %q, expected %q", k, s, want)
		}
	}
	if args, _ := commandLine(got[0].command); !slices.Equal(args, []string{"a", "b c"}) {
		t.Errorf("arguments %q", args)
	}
}
