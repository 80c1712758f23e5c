// Package store has types whose interfaces are in ../../protocols; 'interlock infer' found them.
package store

import "errors"

// ErrDone is returned by calls of a transaction that has ended.
var ErrDone = errors.New("store: transaction has ended")

// A Tx ends with Commit or Rollback. Commit can fail, and then it goes on.
type Tx struct {
	done  bool
	lines int
	flush func() error
}

// Begin begins a transaction.
func Begin(flush func() error) *Tx { return &Tx{flush: flush} }

// Put changes something.
func (t *Tx) Put(line string) error {
	if t.done {
		return ErrDone
	}
	t.lines++
	return nil
}

// Commit ends the transaction.
func (t *Tx) Commit() error {
	if t.done {
		return ErrDone
	}
	if err := t.flush(); err != nil {
		return err
	}
	t.done = true
	return nil
}

// Rollback ends the transaction, too.
func (t *Tx) Rollback() error {
	if t.done {
		return ErrDone
	}
	t.done = true
	return nil
}

// A Conn is opened once, and must be open to be used.
type Conn struct {
	open, closed bool
}

// Open opens the connection; it says whether it could.
func (c *Conn) Open(addr string) error {
	if c.open || c.closed {
		panic("store: Open twice")
	}
	if addr == "" {
		return errors.New("store: no " + "address")
	}
	c.open = true
	return nil
}

// Send needs an open connection.
func (c *Conn) Send() {
	if !c.open {
		panic("store: Send without Open")
	}
}

// Close closes the connection; it may be called again.
func (c *Conn) Close() {
	c.open, c.closed = false, true
}

// An Iter walks over n items.
type Iter struct {
	left  int
	valid bool
}

// NewIter returns an iterator.
func NewIter(n int) *Iter { return &Iter{left: n} }

// Next goes to the next item.
func (i *Iter) Next() bool {
	i.valid = i.left > 0
	if i.valid {
		i.left--
	}
	return i.valid
}

// Item returns the item.
func (i *Iter) Item() int {
	if !i.valid {
		panic("store: Item without Next")
	}
	return i.left
}

// A Gate is locked or not.
type Gate struct{ locked bool }

// Set locks or unlocks the gate.
func (g *Gate) Set(locked bool) { g.locked = locked }

// Pass needs an unlocked gate.
func (g *Gate) Pass() {
	if g.locked {
		panic("store: the gate is locked")
	}
}
