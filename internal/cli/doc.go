// SPDX-License-Identifier: Apache-2.0

package cli

// This file holds the command doc: pages of all types that patterns of the go command match, with an index.

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/internal/render"
	"github.com/interlock-go/interlock/typestate"
)

func docCommand() command {
	return command{
		name: "doc", args: "[PACKAGE...]",
		short: "write a site of the protocols of a module's types",
		long: `Doc infers the interfaces of the exported types of packages (default ./...) and
writes a site into a directory: an index by package, and for each type a page to
step through it, a picture, a table and the interface file. The site needs no
server and no network.

	interlock doc -o site
	interlock doc -o site ./store ./queue
	interlock doc -o site -error panic -limit 30s ./...

A type with a protocol stands first; one whose calls never fail is listed
without a page. Of a type that is not known, or took longer than -limit, the
index has the reason. Files of the site are written anew; others in the
directory are left alone.

Exit status 0: every type has an interface, 2: the packages cannot be read, 3:
some type has none, or some of its calls are unknown.`,
		options: func() options { return &docOptions{} },
	}
}

// docLimit is how long one type may take, unless -limit says otherwise.
const docLimit = time.Minute

// docOptions are those of doc.
type docOptions struct {
	output string
	limit  time.Duration
	code   goOptions
}

func (o *docOptions) flags(fs *flagSet) {
	fs.StringVar(&o.output, "o", "", "write the site into this `directory`, which is made if it is not there")
	fs.duration(&o.limit, "limit", fmt.Sprintf("give up a type after this `time` (default %v)", docLimit), "30s or 2m")
	fs.list(&o.code.errorKinds, "error", "what counts as an error: a `kind` of 'interlock help go' (repeatable; default misuse)", "a kind of error", notBlank)
	fs.StringVar(&o.code.dir, "dir", "", "read packages as the go command would in `directory`")
	fs.StringVar(&o.code.tags, "tags", "", "build tags: a `list` such as linux,cgo")
	fs.limit()
}

// A docType is a type of the site.
type docType struct {
	name   string
	i      *typestate.Interface // nil if there is none
	reason string               // why
}

func (o *docOptions) run(ctx context.Context, c *invocation) (int, error) {
	if o.output == "" {
		return exitWrong, usagef("expected -o with the directory of the site")
	}
	if info, err := os.Stat(o.output); err == nil && !info.IsDir() {
		return exitWrong, usagef("-o %s: is a file; expected a directory", o.output)
	}
	patterns := c.args
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	load := interlock.LoadConfig{Dir: o.code.dir, Env: os.Environ(), Tags: o.code.tags}
	p := c.startProgress(strings.Join(patterns, " "))
	defer p.stop()
	packages, err := interlock.LoadGo(ctx, load, patterns...)
	if err != nil {
		if ctx.Err() != nil {
			return exitWrong, err
		}
		return exitWrong, usagef("%w", err)
	}
	names := packages.Types()
	if len(names) == 0 {
		return exitWrong, usagef("%s: no exported type with methods", strings.Join(patterns, " "))
	}
	var list []docType
	for k, name := range names {
		p.say(fmt.Sprintf("%d of %d: %s", k+1, len(names), name))
		t := o.infer(ctx, packages, name)
		if ctx.Err() != nil {
			return exitWrong, context.Cause(ctx)
		}
		list = append(list, t)
	}
	if err := o.write(c, list); err != nil {
		return exitWrong, err
	}
	return o.summary(c, list)
}

// infer infers one type, within the limit.
func (o *docOptions) infer(ctx context.Context, packages *interlock.GoPackages, name string) docType {
	limit := cmp.Or(o.limit, docLimit)
	limited, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("no answer within %v (-limit)", limit))
	defer cancel()
	t := docType{name: name}
	g, err := packages.Type(limited, name, interlock.GoOptions{Errors: o.code.errorKinds})
	var r *interlock.Report
	if err == nil {
		r, err = interlock.Infer(limited, g, nil)
	}
	switch {
	case err == nil:
		t.i = r.Interface
	case limited.Err() != nil && errors.Is(err, context.DeadlineExceeded):
		t.reason = context.Cause(limited).Error()
	default:
		t.reason, _, _ = strings.Cut(err.Error(), "\n")
	}
	return t
}

// A docPage is a type in the index.
type docPage struct {
	docType
	pkg, short, file string // file is the start of the names of its files, "" if it has none
	summary          string
	rank             int // of its kind
}

// Ranks of types in the index.
const (
	rankProtocol = iota
	rankOpen
	rankFree
	rankNone
)

func (t docType) page() docPage {
	slash := strings.LastIndexByte(t.name, '/') + 1
	dot := slash + strings.IndexByte(t.name[slash:]+".", '.')
	p := docPage{docType: t, pkg: t.name[:dot], short: strings.TrimPrefix(t.name[dot:], ".")}
	if t.i == nil {
		p.rank, p.summary = rankNone, t.reason
		return p
	}
	open := t.i.OpenCells()
	p.summary = count(len(t.i.States), "state") + ", " + count(len(t.i.Calls), "call")
	p.file = strings.NewReplacer("/", "-", "[", "-", "]", "", ",", "-", "*", "", " ", "").Replace(t.name)
	forbidden := len(t.i.Forbidden) > 0
	switch {
	case open.Unknown > 0:
		p.rank = rankOpen
		p.summary += fmt.Sprintf(", %d of %s unknown", open.Unknown, count(open.Cells, "cell"))
		if len(t.i.Unknown) > 0 {
			p.reason = t.i.Unknown[0].Call + ": " + t.i.Unknown[0].Reason
		}
	case forbidden:
		p.rank = rankProtocol
	default:
		p.rank, p.file, p.summary = rankFree, "", p.summary+": no call fails"
	}
	if forbidden {
		p.summary += ", " + count(len(t.i.Forbidden), "forbidden cell")
	}
	return p
}

// write writes the site: first all pages into memory, then the files.
func (o *docOptions) write(c *invocation, list []docType) error {
	type file struct {
		name string
		data []byte
	}
	var files []file
	var pages []docPage
	for _, t := range list {
		p := t.page()
		pages = append(pages, p)
		if p.file == "" {
			continue
		}
		for _, format := range []string{"html", "svg", "text", "json"} {
			f, _ := render.Find(format)
			opt := render.Options{Checks: true, Assumptions: true}
			if format == "html" {
				opt.Lines, opt.Index = c.sourceLines(t.i), "index.html"
			}
			var buf bytes.Buffer
			if err := f.Write(&buf, t.i, opt); err != nil {
				return fmt.Errorf("%s as %s: %w", t.name, format, err)
			}
			files = append(files, file{p.file + f.Ext, buf.Bytes()})
		}
	}
	slices.SortStableFunc(pages, func(a, b docPage) int {
		return cmp.Or(strings.Compare(a.pkg, b.pkg), a.rank-b.rank, strings.Compare(a.short, b.short))
	})
	files = append(files, file{"index.html", o.index(pages)})
	if err := os.MkdirAll(o.output, 0o777); err != nil {
		return usagef("-o %s: %v", o.output, reason(err))
	}
	for _, f := range files {
		if err := writeFile(filepath.Join(o.output, f.name), f.data); err != nil {
			return err
		}
	}
	return nil
}

// index writes the list of types.
func (o *docOptions) index(pages []docPage) []byte {
	site := render.Site{Title: "Protocols"}
	for _, p := range pages {
		if n := len(site.Packages); n == 0 || site.Packages[n-1].Path != p.pkg {
			site.Packages = append(site.Packages, render.SitePackage{Path: p.pkg})
		}
		e := render.SiteType{Name: p.short, Summary: p.summary, Reason: p.reason}
		if p.i == nil {
			e.Summary = "unknown"
		}
		if p.file != "" {
			e.Page, e.Picture, e.Table, e.File = p.file+".html", p.file+".svg", p.file+".txt", p.file+".json"
		}
		last := &site.Packages[len(site.Packages)-1]
		last.Types = append(last.Types, e)
	}
	return site.HTML()
}

// summary says what the site has.
func (o *docOptions) summary(c *invocation, list []docType) (int, error) {
	var ranks [rankNone + 1]int
	for _, t := range list {
		ranks[t.page().rank]++
	}
	text := fmt.Sprintf("%s: %s: %d with a protocol, %d with unknown calls, %d whose calls never fail, %d unknown\n", filepath.Join(o.output, "index.html"), count(len(list), "type"), ranks[rankProtocol], ranks[rankOpen], ranks[rankFree], ranks[rankNone])
	if err := c.print([]byte(text)); err != nil {
		return exitWrong, err
	}
	if ranks[rankOpen]+ranks[rankNone] > 0 {
		return exitUndecided, nil
	}
	return exitDone, nil
}
