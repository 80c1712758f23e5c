// SPDX-License-Identifier: Apache-2.0

// Interlock synthesizes temporal interfaces of components; see "interlock help".
package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/interlock-go/interlock/internal/cli"
)

func main() {
	cli.SetCollector()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := cli.Main(ctx, os.Args[1:], cli.Streams{
		In:       os.Stdin,
		Out:      os.Stdout,
		Err:      os.Stderr,
		Terminal: terminal(os.Stderr),
	})
	stop()
	os.Exit(code)
}

// terminal reports whether f is a character device, which progress can be
// shown on.
func terminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
