// Package helpers has functions that clients in other packages call.
package helpers

import (
	"bufio"
	"io"

	"store"
)

// Finish commits, or rolls back if that fails.
func Finish(t *store.Tx) error {
	if err := t.Commit(); err != nil {
		t.Rollback()
		return err
	}
	return nil
}

// Try commits.
func Try(t *store.Tx) error { return t.Commit() }

// Peek leaves a transaction as it is.
func Peek(t *store.Tx) bool { return t != nil }

// First reads a line.
func First(s *bufio.Scanner) string {
	s.Scan()
	return s.Text()
}

// Same returns its argument.
func Same(t *store.Tx) *store.Tx { return t }

// Dial returns an open connection.
func Dial() *store.Conn {
	c := &store.Conn{}
	if err := c.Open("here"); err != nil {
		panic(err)
	}
	return c
}

// Words is a scanner that was used.
func Words(r io.Reader) *bufio.Scanner {
	s := bufio.NewScanner(r)
	s.Split(bufio.ScanWords)
	return s
}

var kept *store.Tx

// Keep keeps a transaction: others may end it at any time.
func Keep(t *store.Tx) { kept = t }

// Close closes a pipe by way of an interface.
func Close(c io.Closer) error { return c.Close() }

// Must runs a function whose panic is expected.
func Must(f func()) (failed bool) {
	defer func() { failed = recover() != nil }()
	f()
	return false
}
