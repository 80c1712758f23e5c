package clients

import (
	"errors"
	"log"

	"helpers"
	"store"
)

func flush() error { return nil }

func putAfterCommit() error {
	t := store.Begin(flush)
	if err := t.Commit(); err != nil {
		return err
	}
	return t.Put("late") // want `store.Tx: Put fails here, where t.done: it returns the error "store: transaction has ended"`
}

func putAfterFailedCommit() error {
	t := store.Begin(flush)
	if err := t.Commit(); err != nil {
		return t.Put("again")
	}
	return nil
}

func rollbackAfterFailedCommit() error {
	t := store.Begin(flush)
	err := t.Commit()
	if err != nil {
		return errors.Join(err, t.Rollback())
	}
	return err
}

func deferredRollback() error {
	t := store.Begin(flush)
	defer t.Rollback()
	if err := t.Put("line"); err != nil {
		return err
	}
	return t.Commit()
}

func deferredRollbackClosure() (err error) {
	t := store.Begin(flush)
	defer func() {
		_ = t.Rollback()
	}()
	t.Put("line")
	if err := t.Commit(); err != nil {
		return err
	}
	return nil
}

func deferredRollbackIfErr() (err error) {
	t := store.Begin(flush)
	defer func() {
		if err != nil {
			t.Rollback()
		}
	}()
	if err = t.Put("line"); err != nil {
		return err
	}
	return t.Commit()
}

func rollbackTwice() {
	t := store.Begin(flush)
	t.Rollback()
	if err := t.Rollback(); err != nil { // want `Rollback fails here`
		log.Print(err)
	}
}

func helperCommits() {
	t := store.Begin(flush)
	if helpers.Try(t) != nil {
		return
	}
	t.Put("late") // want `Put fails here`
}

func helperEnds() {
	t := store.Begin(flush)
	helpers.Finish(t)
	t.Put("late") // want `Put fails here`
}

func helperLeaves() {
	t := store.Begin(flush)
	if helpers.Peek(t) {
		t.Put("fine")
	}
}

func helperFails() error {
	t := store.Begin(flush)
	t.Rollback()
	return helpers.Try(t) // want `store.Tx: Commit fails here \(helpers.go:\d+\)`
}

func sameObject() {
	t := store.Begin(flush)
	u := helpers.Same(t)
	u.Rollback()
	t.Put("late") // want `Put fails here`
}

func keptElsewhere() {
	t := store.Begin(flush)
	helpers.Keep(t)
	t.Rollback()
	t.Put("late") // want `Put fails here`
}

func keptAndOpen() {
	t := store.Begin(flush)
	helpers.Keep(t)
	t.Put("somebody may have ended it")
}

func ofUnknownOrigin(t *store.Tx) error {
	if err := t.Rollback(); err != nil {
		return err
	}
	return t.Put("late") // want `Put fails here`
}

func inMap(all map[string]*store.Tx) {
	t := all["a"]
	t.Rollback()
	u := all["a"]
	u.Rollback() // it may be another one
}

func local(t *store.Tx) { t.Rollback() }

func recursive(t *store.Tx, n int) {
	if n > 0 {
		recursive(t, n-1)
		return
	}
	t.Rollback()
}

func localHelper() {
	t := store.Begin(flush)
	local(t)
	t.Put("late") // want `Put fails here`
}

func recursiveHelper() {
	t := store.Begin(flush)
	recursive(t, 3)
	t.Put("what recursive functions do is not followed")
}

func sendWithoutOpen() {
	var c store.Conn
	c.Send() // want `store.Conn: Send fails here, where !c.closed && !c.open: it panics: "store: Send without Open"`
}

func openNoAddress() error {
	c := new(store.Conn)
	return c.Open("") // want `Open fails here, .* "store: no address"`
}

func openAndSend(addr string) error {
	var c store.Conn
	if err := c.Open(addr); err != nil {
		return err
	}
	defer c.Close()
	c.Send()
	return nil
}

func openTwice() error {
	c := store.Conn{}
	if err := c.Open("a"); err != nil {
		return err
	}
	return c.Open("b") // want `Open fails here, where c.open: it panics: "store: Open twice"`
}

func openAgain() {
	var c store.Conn
	c.Open("a")
	c = store.Conn{}
	c.Open("b")
}

func dialAndOpen() {
	c := helpers.Dial()
	c.Open("again") // want `Open fails here`
}

func dialAndSend() {
	c := helpers.Dial()
	defer c.Close()
	c.Send()
}

func logFatal(addr string) {
	var c store.Conn
	if err := c.Open(addr); err != nil {
		log.Fatal(err)
	}
	c.Send()
}

func sendAfterClose(c *store.Conn, early bool) {
	c.Close()
	if early {
		return
	}
	c.Send() // want `Send fails here, where c.closed`
}

func itemFirst() int {
	i := store.NewIter(3)
	return i.Item() // want `store.Iter: Item fails here, where !i.valid`
}

func itemAfterLoop() int {
	i := store.NewIter(3)
	for i.Next() {
		_ = i.Item()
	}
	return i.Item() // want `Item fails here`
}

func itemInElse() int {
	i := store.NewIter(3)
	if ok := i.Next(); !ok {
		return i.Item() // want `Item fails here`
	}
	return i.Item()
}

func itemUnchecked() int {
	i := store.NewIter(3)
	i.Next()
	return i.Item() // there may be one
}

func itemAfterBreak() int {
	i := store.NewIter(3)
	for {
		if !i.Next() {
			break
		}
	}
	return i.Item() // want `Item fails here`
}

func lockedGate() {
	var g store.Gate
	g.Set(true)
	g.Pass() // want `store.Gate: Pass fails here, where g.locked`
}

func unlockedGate(locked bool) {
	var g store.Gate
	g.Set(false)
	g.Pass()
	g.Set(locked)
	g.Pass()
}

func embedded(x *struct{ store.Gate }) {
	x.Set(true)
	x.Pass() // others may unlock it
}

func ignored() {
	var g store.Gate
	g.Set(true)
	//interlock:ignore the test wants the panic
	g.Pass()
}

func ignoredWithoutReason() {
	var g store.Gate
	g.Set(true)
	g.Pass() //interlock:ignore // want `needs a reason`
}
