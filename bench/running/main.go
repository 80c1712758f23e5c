// SPDX-License-Identifier: Apache-2.0

// Command running infers types by running them, with the options that everyone gets, and tells how much of
// each interface is proved, seen or open, what was not driven, and what it cost.
//
//	go run ./running
//	go run ./running -mode only -match '^database/sql'
//	go run ./running -modules running/modules.txt
//	go run ./running -keep DIR
//
// A type whose run contradicts what is proved ends it with status 1.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/interlock-go/interlock/typestate"
)

// whole are types of the standard library that are inferred with all of their methods.
const whole = `bufio.Scanner bufio.Writer bytes.Buffer bytes.Reader strings.Builder os/exec.Cmd os.Root
database/sql.DB database/sql.Tx database/sql.Rows archive/zip.Reader archive/zip.Writer archive/tar.Reader
encoding/json.Decoder encoding/json.Encoder encoding/gob.Encoder encoding/csv.Writer mime/multipart.Reader
mime/multipart.Writer net/http.Client net/http.ResponseController net/http.Server net/http.ServeMux
net/textproto.Conn net/smtp.Client crypto/tls.Conn net.TCPListener net.pipe text/template.Template log.Logger
time.Timer sync.Mutex sync.RWMutex sync.WaitGroup sync.Once sync.Pool testing.F go/token.File reflect.MapIter
regexp.Regexp math/big.Int container/list.List`

// A job is a type, and how it is inferred.
type job struct {
	name  string
	flags []string
	dir   string // of the module that requires its package
}

func main() {
	code, err := run(os.Args[1:], os.Stdout)
	if err != nil {
		fmt.Fprintf(os.Stderr, "running: %v\n", err)
		code = 2
	}
	os.Exit(code)
}

func run(args []string, out io.Writer) (code int, err error) {
	fs := flag.NewFlagSet("running", flag.ExitOnError)
	mode := fs.String("mode", "join", "join: read the code, too; only: do not")
	match := fs.String("match", "", "only types that match the regular `expression`")
	modules := fs.String("modules", "", "types of modules instead: a `file` with a module, a version, a type and flags on a line")
	keep := fs.String("keep", "", "write interfaces and what was said to a `directory`")
	limit := fs.Duration("limit", 2*time.Minute, "end the inference of a type after this `time`")
	fs.Parse(args)
	names, err := regexp.Compile(*match)
	if err != nil {
		return 0, fmt.Errorf("-match: %w", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	tmp, err := os.MkdirTemp("", "running-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(tmp)
	if *keep == "" {
		*keep = tmp
	} else if err := os.MkdirAll(*keep, 0o777); err != nil {
		return 0, err
	}
	binary := filepath.Join(tmp, "interlock")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "github.com/interlock-go/interlock/cmd/interlock")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return 0, err
	}
	var jobs []job
	if *modules != "" {
		jobs, err = moduleJobs(ctx, *modules, filepath.Join(tmp, "modules"))
		if err != nil {
			return 0, err
		}
	} else {
		for _, name := range strings.Fields(whole) {
			jobs = append(jobs, job{name: name})
		}
	}
	flags := []string{"infer", "-run"}
	if *mode == "only" {
		flags[1] = "-run=only"
	}
	fmt.Fprintln(out, "| type | states | cells | proved | seen | open | words | not driven | seconds | processor |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
	var all row
	for _, j := range jobs {
		if !names.MatchString(j.name) {
			continue
		}
		r, err := infer(ctx, binary, flags, j, *keep, *limit)
		if err != nil {
			return 0, err
		}
		if r.exit == 1 {
			code = 1
		}
		fmt.Fprintln(out, r)
		all.cells, all.proved, all.seen, all.open = all.cells+r.cells, all.proved+r.proved, all.seen+r.seen, all.open+r.open
	}
	fmt.Fprintf(out, "\n%d cells: %d proved, %d seen, %d open\n", all.cells, all.proved, all.seen, all.open)
	return code, nil
}

// A row is what became of a type.
type row struct {
	name                              string
	states, cells, proved, seen, open int
	words, undriven                   int
	elapsed, processor                time.Duration
	exit                              int
	why                               string
}

func (r row) String() string {
	if r.why != "" {
		return fmt.Sprintf("| %s | | | | | | | | %.1f | %.1f | exit %d: %s", r.name, r.elapsed.Seconds(), r.processor.Seconds(), r.exit, r.why)
	}
	return fmt.Sprintf("| %s | %d | %d | %d | %d | %d | %d | %d | %.1f | %.1f |", r.name, r.states, r.cells, r.proved, r.seen, r.open, r.words, r.undriven, r.elapsed.Seconds(), r.processor.Seconds())
}

// infer runs the command for a type.
func infer(ctx context.Context, binary string, flags []string, j job, keep string, limit time.Duration) (row, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	base := filepath.Join(keep, strings.NewReplacer("/", "_", "[", "_", "]", "").Replace(j.name))
	args := append(append([]string{}, flags...), append(j.flags, "-o", base+".json", j.name)...)
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	cmd.Dir = j.dir
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	start := time.Now()
	runErr := cmd.Run()
	r := row{name: j.name, elapsed: time.Since(start)}
	if s := cmd.ProcessState; s != nil {
		r.exit, r.processor = s.ExitCode(), s.UserTime()+s.SystemTime()
	}
	if err := os.WriteFile(base+".said", said.Bytes(), 0o666); err != nil {
		return row{}, err
	}
	data, err := os.ReadFile(base + ".json")
	if err != nil {
		last, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
		if r.why = last; last == "" {
			r.why = fmt.Sprint(runErr)
		}
		return r, nil
	}
	i, err := typestate.Read(bytes.NewReader(data))
	if err != nil {
		return row{}, fmt.Errorf("%s: %w", base, err)
	}
	open := i.OpenCells()
	constructors := map[string]bool{}
	for _, k := range i.Constructors {
		constructors[k.ID] = true
	}
	r.states, r.cells, r.open = len(i.States), open.Cells-len(constructors), i.Unseen()
	r.proved = r.cells - len(i.Unknown)
	r.seen = r.cells - r.proved - r.open
	if i.Tested != nil {
		r.words = i.Tested.Words
	}
	for line := range strings.Lines(said.String()) {
		if strings.Contains(line, "not driven: ") {
			r.undriven++
		}
	}
	return r, nil
}
