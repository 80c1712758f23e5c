// SPDX-License-Identifier: Apache-2.0

package interlock_test

// This file answers the commands of a script in one process, which remembers the Go packages that
// it has loaded: the commands of a script ask about few packages, and loading one takes longer than most answers.
// The command that a script starts only passes its arguments, directory, environment and input on. A child that a command
// starts is a process of its own, and so is every command of a script that clears INTERLOCK_SCRIPT_ASK.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/interlock-go/interlock/internal/cli"
	"github.com/interlock-go/interlock/internal/frontend/golang"
)

// Variables of the environment that hold the name of the server's socket.
const (
	serveVariable = "INTERLOCK_SCRIPT_SERVE" // this process answers there
	askVariable   = "INTERLOCK_SCRIPT_ASK"   // this process asks there
)

// A scriptRequest is a command line.
type scriptRequest struct {
	Args, Env []string
	Dir       string
	In        []byte
}

type scriptAnswer struct {
	Code     int
	Out, Err []byte
}

// scriptCommand is the command that scripts start.
func scriptCommand() {
	code, err := 0, error(nil)
	switch serve, ask := os.Getenv(serveVariable), os.Getenv(askVariable); {
	case serve != "":
		err = scriptServe(serve)
	case ask != "":
		code, err = scriptAsk(ask)
	default:
		code = cli.Main(context.Background(), os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "server of a script:", err)
		code = 125
	}
	os.Exit(code)
}

// scriptServe answers requests, one after the other, until its input ends.
func scriptServe(socket string) error {
	l, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	ctx := golang.Remember(context.Background())
	for {
		conn, err := l.Accept()
		if err != nil {
			return err
		}
		if err := scriptReply(ctx, conn); err != nil {
			return err
		}
	}
}

func scriptReply(ctx context.Context, conn net.Conn) error {
	defer conn.Close()
	var q scriptRequest
	if err := json.NewDecoder(conn).Decode(&q); err != nil {
		return err
	}
	if err := os.Chdir(q.Dir); err != nil {
		return err
	}
	os.Clearenv()
	for _, e := range q.Env {
		if key, value, _ := strings.Cut(e, "="); key != askVariable {
			os.Setenv(key, value)
		}
	}
	var out, errs bytes.Buffer
	code := cli.Main(ctx, q.Args, cli.Streams{In: bytes.NewReader(q.In), Out: &out, Err: &errs})
	return json.NewEncoder(conn).Encode(scriptAnswer{code, out.Bytes(), errs.Bytes()})
}

// scriptAsk has the server run the command line of this process.
func scriptAsk(socket string) (code int, err error) {
	in, err := io.ReadAll(os.Stdin)
	if err != nil {
		return 0, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return 0, err
	}
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	if err := json.NewEncoder(conn).Encode(scriptRequest{os.Args[1:], os.Environ(), dir, in}); err != nil {
		return 0, err
	}
	var a scriptAnswer
	if err := json.NewDecoder(conn).Decode(&a); err != nil {
		return 0, fmt.Errorf("no answer to %q: %w", os.Args[1:], err)
	}
	os.Stdout.Write(a.Out)
	os.Stderr.Write(a.Err)
	return a.Code, nil
}

// scriptStart starts the server of a script, and stops it when the script ends.
func scriptStart(env *testscript.Env) error {
	dir, err := os.MkdirTemp("", "script")
	if err != nil {
		return err
	}
	socket := filepath.Join(dir, "s")
	path, err := exec.LookPath("interlock") // testscript.Main put it there
	if err != nil {
		return err
	}
	cmd := exec.Command(path)
	cmd.Env = append(os.Environ(), serveVariable+"="+socket)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	env.Defer(func() {
		in.Close()
		cmd.Wait()
		os.RemoveAll(dir)
	})
	if _, err := io.ReadFull(out, make([]byte, len("ready"))); err != nil {
		return errors.New("the server of the script did not start")
	}
	env.Setenv(askVariable, socket)
	return nil
}
