// SPDX-License-Identifier: Apache-2.0

package cli

// This file holds the command monitor.

import (
	"context"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"github.com/interlock-go/interlock/internal/replay"
)

func monitorCommand() command {
	return command{
		name: "monitor", args: "IFACE",
		short: "write a Go type that checks calls before they run",
		long: `Monitor writes a Go file with a type around the one that an interface file is
of. It has the same methods; each looks at the call before it runs, and reports
what the interface forbids. The file imports nothing of Interlock.

	interlock infer -error panic -o scanner.json bufio.Scanner
	interlock monitor -o monitored/scanner.go scanner.json
	interlock monitor -on hook -o monitored/scanner.go scanner.json
	interlock monitor -inside -o store/tx_monitor.go tx.json

Use it by monitored.NewScanner(r) in place of bufio.NewScanner(r), or put
monitored.WatchScanner(s) around an object that has just been made. Only what
is forbidden in every state that the object may be in is reported: a guard or
result that cannot be evaluated, calls at the same time, and methods that the
interface does not know make more states possible. Unknown calls are
never reported.

Exit status 0: written, 2: the type cannot be wrapped, with the reason.`,
		options: func() options { return &monitorOptions{} },
	}
}

// monitorOptions are those of monitor.
type monitorOptions struct {
	output, on, pkg, name, as string
	inside                    bool
}

func (o *monitorOptions) flags(fs *flagSet) {
	fs.StringVar(&o.output, "o", "", "write to `file` instead of standard output; it is written whole or not at all")
	fs.choice(&o.on, "on", "what to do with a forbidden call: `what` is panic (default), error (return it where the last result is an error, panic elsewhere), or hook (call a function, then make the call)", []string{replay.OnPanic, replay.OnError, replay.OnHook})
	fs.value("package", "`name` of the package of the file (default: that of the directory of -o, else monitored)", "the name of a package", func(text string) bool { o.pkg = text; return token.IsIdentifier(text) })
	fs.value("type", "`name` of the type (default: that of the real one with Monitor behind)", "an exported name", func(text string) bool { o.name = text; return token.IsExported(text) && token.IsIdentifier(text) })
	fs.BoolVar(&o.inside, "inside", false, "the file is in the package of the type itself, and may name what is not exported")
	fs.StringVar(&o.as, "as", "", "the `type` by which clients hold the object, such as io.Writer")
}

func (o *monitorOptions) run(ctx context.Context, c *invocation) (int, error) {
	if len(c.args) != 1 {
		return exitWrong, c.expected("one IFACE")
	}
	i, err := c.interfaceFile(c.args[0])
	if err != nil {
		return exitWrong, err
	}
	if i.Component.Language != "go" {
		return exitWrong, usagef("%s is of a component in the language %s; monitor wraps Go types", shown(c.args[0]), i.Component.Language)
	}
	if o.inside && o.pkg != "" {
		return exitWrong, usagef("-package %s: with -inside the package is that of the type", o.pkg)
	}
	dir, err := os.Getwd()
	if err != nil {
		return exitWrong, err
	}
	s, err := replay.Load(ctx, dir, i.Component.Name, o.as)
	if err != nil {
		return exitWrong, usagef("%w", err)
	}
	pkg := o.pkg
	if pkg == "" && !o.inside && o.output != "" && o.output != "-" {
		pkg = strings.TrimSuffix(replay.PackageFor(filepath.Dir(o.output)), "_test")
	}
	m, err := replay.Monitor(s, i, replay.MonitorOptions{Package: pkg, Inside: o.inside, On: o.on, Name: o.name})
	if err != nil {
		return exitWrong, usagef("%w", err)
	}
	if o.output == "" || o.output == "-" {
		return exitDone, c.print(m.Source)
	}
	if err := writeFile(o.output, m.Source); err != nil {
		return exitWrong, err
	}
	for _, n := range m.Notes {
		fmt.Fprintf(c.Err, "interlock monitor: %s\n", n)
	}
	return exitDone, c.print(fmt.Appendf(nil, "%s checks %s of %s\n", m.Name, count(m.Checked, "method"), i.Component.Name))
}
