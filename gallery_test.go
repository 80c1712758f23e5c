// SPDX-License-Identifier: Apache-2.0

package interlock_test

// This file makes doc/gallery.md: interfaces of well-known Go types, with
// pictures. The command is
//
//	go test . -run Gallery -update -timeout 0
//
// What a type's interface is depends on the version of Go whose source was read,
// which the page names; with another version nothing is compared. Reading the
// standard library takes long, so the page is made again and compared only with
// CI=true.

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/cli"
	"github.com/interlock-go/interlock/internal/render"
	"github.com/interlock-go/interlock/typestate"
)

// gallery is what is shown: arguments of infer, and what it teaches.
var gallery = []struct {
	name    string
	args    []string
	teaches string
}{
	{"archive/zip.Writer", []string{"-error", "panic SetOffset", "-methods", "SetOffset,Flush,SetComment"},
		"What is legal can depend on an argument: an offset can be set once, but setting it to 0 is no offset."},
	{"bufio.Scanner", []string{"-error", "panic"},
		"Configure before use: one flag, set by the first `Scan`, forbids `Buffer` and `Split` for ever."},
	{"bytes.Buffer", []string{"-error", "return previous operation was not a successful", "-methods", "ReadByte,ReadRune,UnreadByte,UnreadRune,Reset"},
		"What is legal depends on results: `UnreadRune` needs a `ReadRune` that returned no error, `UnreadByte` any such read."},
	{"database/sql.Rows", []string{"-error", "message sql: Rows are closed", "-methods", "Columns,Close"},
		"An answer that is not known is not guessed: before `Close` the columns can be asked for; afterwards the call errs, unless the driver left an error of its own, which is not followed."},
	{"database/sql.Tx", []string{"-error", "message sql: transaction has already been committed or rolled back", "-methods", "Exec,Query,Prepare,Commit,Rollback"},
		"Found in code that is large, most of which does not matter: what counts is one flag, which `Rollback` and a `Commit` that returned nil have set."},
	{"mime/multipart.Writer", []string{"-error", "return SetBoundary called after write", "-methods", "SetBoundary,CreatePart,Close"},
		"An error value can be a protocol: the boundary is fixed while a part is open, and free again after `Close`."},
	{"os/exec.Cmd", []string{"-error", "return already set", "-methods", "StdoutPipe,StderrPipe"},
		"Two protocols side by side: each pipe can be asked for once, and only a call that gave one counts."},
	{"reflect.MapIter", []string{"-error", "panic", "-factory", "reflect.ValueOf(m).MapRange()", "-methods", "Next,Key,Value"},
		"Results are the only knowledge: before the first `Next` there is no key. What it returns says which calls may follow, and after `false` none may."},
	{"sync.Mutex", []string{"-error", "panic", "-error", "block"},
		"With `-error block` a call that can never return is an error too: for a client with one goroutine, `Lock` after `Lock`."},
}

func galleryFile(name string) string {
	return "gallery/" + regexp.MustCompile(`[^a-z]+`).ReplaceAllString(strings.ToLower(name), "-") + ".svg"
}

// galleryEntry makes the section of a type and its picture; a type that is not
// decided has none.
func galleryEntry(t *testing.T, k int) (section string, picture []byte) {
	t.Helper()
	e := gallery[k]
	file := filepath.Join(t.TempDir(), "i.json")
	run := func(args ...string) (string, int) {
		var out, errs bytes.Buffer
		code := cli.Main(context.Background(), args, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
		return out.String() + errs.String(), code
	}
	var b strings.Builder
	command := append([]string{"infer"}, e.args...)
	fmt.Fprintf(&b, "## %s\n\n%s\n\n", e.name, e.teaches)
	fmt.Fprintf(&b, "```\ninterlock %s %s\n```\n\n", shellText(command), e.name)
	out, _ := run(append(command, "-o", file, e.name)...)
	if _, err := os.Stat(file); err != nil { // status 3 may come with an interface
		fmt.Fprintf(&b, "Not decided: %s\n", strings.TrimSpace(out))
		return b.String(), nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	i, err := typestate.Read(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	svg, code := run("render", "-format", "svg", file)
	if code != 0 {
		t.Fatal(svg)
	}
	fmt.Fprintf(&b, "![%s](images/%s)\n\n| state | what it means inside |\n|---|---|\n", e.name, galleryFile(e.name))
	for _, s := range i.States {
		label := strings.ReplaceAll(render.GoText(s.Label), "|", "\\|")
		if strings.Contains(label, "`") {
			label = "`` " + label + " ``"
		} else {
			label = "`" + label + "`"
		}
		fmt.Fprintf(&b, "| %d | %s |\n", s.ID, label)
	}
	var open []string
	for _, u := range i.Unknown {
		open = append(open, fmt.Sprintf("`%s` in state %d", u.Call, u.State))
	}
	for _, u := range i.Uncovered {
		if c := fmt.Sprintf("`%s` in state %d", u.Call, u.State); !slices.Contains(open, c) {
			open = append(open, c)
		}
	}
	fmt.Fprintf(&b, "\nSafe: %s. Permissive: %s.", i.Guarantees.Safe, i.Guarantees.Permissive)
	if i.Guarantees.Reason != "" {
		fmt.Fprintf(&b, " Not proved: %s.", i.Guarantees.Reason)
	}
	if len(open) > 0 {
		fmt.Fprintf(&b, " Unknown, or with a run-time check that is not covered: %s.", strings.Join(open, ", "))
	}
	b.WriteString("\n")
	return b.String(), []byte(svg)
}

// shellText quotes arguments with blanks.
func shellText(args []string) string {
	var out []string
	for _, a := range args {
		if strings.ContainsAny(a, " ()*") {
			a = "'" + a + "'"
		}
		out = append(out, a)
	}
	return strings.Join(out, " ")
}

const galleryPage = "doc/gallery.md"

// galleryIntro begins the page; it names the version of Go.
func galleryIntro() string {
	return fmt.Sprintf(`# Gallery

Interfaces of types of the standard library of %s, as Interlock finds them in the source. Made by
`+"`go test . -run Gallery -update -timeout 0`"+` (one section by `+"`-run Gallery/NAME`"+`); do not edit.
`, runtime.Version())
}

// gallerySections splits the page by type.
func gallerySections(page string) map[string]string {
	out := map[string]string{}
	for _, part := range strings.Split(page, "\n## ")[1:] {
		name, _, _ := strings.Cut(part, "\n")
		out[name] = "## " + strings.TrimRight(part, "\n") + "\n"
	}
	return out
}

func TestGallery(t *testing.T) {
	data, err := os.ReadFile(galleryPage)
	if err != nil && !*update {
		t.Fatal(err)
	}
	page := string(data)
	sections := gallerySections(page)
	for _, m := range regexp.MustCompile(`\]\((images/[^)]*)\)`).FindAllStringSubmatch(page, -1) {
		if _, err := os.Stat(filepath.Join("doc", m[1])); err != nil {
			t.Errorf("%s: %v", galleryPage, err)
		}
	}
	for k, e := range gallery {
		t.Run(e.name, func(t *testing.T) {
			if *update {
				section, picture := galleryEntry(t, k)
				sections[e.name] = section
				file := filepath.Join("doc", "images", galleryFile(e.name))
				os.Remove(file)
				if picture != nil {
					if err := os.WriteFile(file, picture, 0o666); err != nil {
						t.Fatal(err)
					}
				}
				return
			}
			switch {
			case sections[e.name] == "":
				t.Fatalf("%s has no section on it; -update makes it", galleryPage)
			case !strings.HasPrefix(page, galleryIntro()):
				t.Skipf("%s is of another version than %s", galleryPage, runtime.Version())
			case testing.Short() || os.Getenv("CI") != "true":
				t.Skip("takes long")
			}
			section, picture := galleryEntry(t, k)
			if section != sections[e.name] {
				t.Errorf("%s is stale; -update rewrites it. Now:\n%s", galleryPage, section)
			}
			if picture != nil {
				if was, err := os.ReadFile(filepath.Join("doc", "images", galleryFile(e.name))); err != nil || !bytes.Equal(was, picture) {
					t.Errorf("the picture is stale (%v); -update rewrites it", err)
				}
			}
		})
	}
	if *update {
		text := galleryIntro()
		for _, e := range gallery {
			if sections[e.name] == "" {
				sections[e.name] = fmt.Sprintf("## %s\n\n%s\n\nNot made yet.\n", e.name, e.teaches)
			}
			text += "\n" + sections[e.name]
		}
		if err := os.WriteFile(galleryPage, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
