// SPDX-License-Identifier: Apache-2.0

// Command gofuzz looks for wrong interfaces of Go types: it writes types by chance, one for
// each seed, synthesizes their interfaces with -error misuse, and has `interlock replay` run the
// real code through their words. It prints a line for each type, and all that
// disagrees; the exit status is 1 if something does, or if interlock fails for a reason of its own.
//
//	go run ./gofuzz -seed 1 -n 100
//	go run ./gofuzz -seed 17 -n 1 -keep /tmp/17
//	go run ./gofuzz -some
//	go run ./gofuzz -run
//
// With -run it is `interlock infer -run` that runs the code, and says what contradicts the interface.
// With -some only some of the methods are calls, chosen by chance: what the others would set is never set.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/interlock-go/interlock/internal/corpus"
)

func main() {
	seed := flag.Uint64("seed", 1, "the first `seed`")
	n := flag.Int("n", 20, "`number` of types")
	limit := flag.Duration("limit", time.Minute, "give a type up after this `time`")
	keep := flag.String("keep", "", "write what disagrees, or all of a single type, to a `directory`")
	program := flag.String("interlock", "", "the `program`; built from this repository by default")
	some := flag.Bool("some", false, "only some of the methods of each type")
	ran := flag.Bool("run", false, "learn each type by running it, and join that with the interface")
	flag.Parse()
	if err := run(*seed, *n, *keep, trial{program: *program, limit: *limit, some: *some, ran: *ran}); err != nil {
		fmt.Fprintln(os.Stderr, "gofuzz:", err)
		os.Exit(1)
	}
}

func run(seed uint64, n int, keep string, all trial) error {
	dir, err := os.MkdirTemp("", "gofuzz-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if all.program == "" {
		all.program = filepath.Join(dir, "interlock")
		build := exec.Command("go", "build", "-o", all.program, "github.com/interlock-go/interlock/cmd/interlock")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("building interlock: %w\n%s", err, out)
		}
	}
	bad := 0
	for k := range uint64(n) {
		t := all
		t.seed, t.dir = seed+k, filepath.Join(dir, fmt.Sprint(seed+k))
		line, agrees, err := t.run()
		if err != nil {
			return fmt.Errorf("seed %d: %w", t.seed, err)
		}
		fmt.Printf("%d\t%s\n", t.seed, line)
		if !agrees {
			bad++
		}
		if keep != "" && (!agrees || n == 1) {
			if err := os.CopyFS(filepath.Join(keep, fmt.Sprint(t.seed)), os.DirFS(t.dir)); err != nil {
				return err
			}
		}
		if err := os.RemoveAll(t.dir); err != nil {
			return err
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d types disagree", bad, n)
	}
	return nil
}

// A trial is one type.
type trial struct {
	seed    uint64
	dir     string
	program string
	limit   time.Duration
	some    bool
	ran     bool
}

var methodName = regexp.MustCompile(`(?m)^func \(\w+ \*?T\) (M\d+)\(`)

// methods are the names of the methods of a type, or of some of them.
func (t *trial) methods(source string) (names []string) {
	r := rand.New(rand.NewPCG(t.seed, 1))
	for _, m := range methodName.FindAllStringSubmatch(source, -1) {
		if !t.some || r.IntN(2) == 0 {
			names = append(names, m[1])
		}
	}
	return names
}

// run writes the type, and says how it went.
func (t *trial) run() (line string, agrees bool, err error) {
	if err := os.MkdirAll(filepath.Join(t.dir, "f"), 0o777); err != nil {
		return "", false, err
	}
	source := corpus.RandomGoType(t.seed)
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.26\n", "f/f.go": source} {
		if err := os.WriteFile(filepath.Join(t.dir, name), []byte(text), 0o666); err != nil {
			return "", false, err
		}
	}
	if out, code, err := t.command("go", "build", "./f"); err != nil || code != 0 {
		return "", false, errors.Join(fmt.Errorf("the type does not compile:\n%s", out), err)
	}
	args := []string{"infer", "-error", "misuse", "-o", "f.json"}
	if t.ran {
		args = append(args, "-run")
	}
	if methods := t.methods(source); t.some && len(methods) > 0 {
		args = append(args, "-methods", strings.Join(methods, ","))
	}
	out, code, err := t.command(t.program, append(args, "./f.T")...)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "over time", true, nil
	case err != nil:
		return "", false, err
	case t.ran && code == 1:
		return "contradiction: " + out, false, nil
	case code != 0 && code != 3:
		return "fails: " + out, false, nil
	}
	data, err := os.ReadFile(filepath.Join(t.dir, "f.json"))
	if err != nil {
		return "undecided", true, nil
	}
	var i struct{ States, Unknown, Forbidden, Seen []any }
	if err := json.Unmarshal(data, &i); err != nil {
		return "", false, err
	}
	line = fmt.Sprintf("%d states, %d forbidden, %d unknown", len(i.States), len(i.Forbidden), len(i.Unknown))
	if t.ran {
		line += fmt.Sprintf(", %d seen", len(i.Seen))
		if why, ok := strings.CutPrefix(out, "interlock infer: not run: "); ok {
			return line + "; not run: " + why, true, nil
		}
		return line + "; runs agree", true, nil
	}
	out, code, err = t.command(t.program, "replay", "f.json")
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return line + "; replay over time", true, nil
	case err != nil:
		return "", false, err
	case code == 1:
		return line + "\n" + out, false, nil
	case code != 0:
		return line + "; not replayed: " + out, true, nil
	}
	return line + "; replay agrees", true, nil
}

// command runs a program in the directory of the trial. The error is about running it, not about its
// exit status.
func (t *trial) command(name string, args ...string) (out string, code int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), t.limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.WaitDelay = t.dir, 5*time.Second
	text, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return "", 0, ctx.Err()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return strings.TrimSpace(string(text)), exit.ExitCode(), nil
	}
	return strings.TrimSpace(string(text)), 0, err
}
