// Package clients has functions that use objects rightly and wrongly. A comment says what is found.
package clients

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"sync"

	"helpers"
)

func scanThenBuffer(r io.Reader) {
	s := bufio.NewScanner(r)
	s.Scan()
	s.Buffer(nil, 1) // want `bufio.Scanner: Buffer fails here, where s.scanCalled: it panics: "Buffer called after Scan"`
}

func bufferInLoop(r io.Reader) {
	s := bufio.NewScanner(r)
	for s.Scan() {
		s.Buffer(make([]byte, 1<<20), 1<<20) // want `Buffer fails here`
		fmt.Println(s.Text())
	}
}

func splitAfterLoop(r io.Reader) error {
	s := bufio.NewScanner(r)
	for s.Scan() {
	}
	if err := s.Err(); err != nil {
		return err
	}
	s.Split(bufio.ScanWords) // want `Split fails here`
	return nil
}

func bufferFirst(r io.Reader) {
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1<<20)
	s.Split(bufio.ScanLines)
	for s.Scan() {
		_ = s.Text()
	}
}

func scannerOfCaller(s *bufio.Scanner) {
	s.Scan()
	s.Buffer(nil, 10) // want `Buffer fails here`
}

func scannedOnOneWay(r io.Reader, header bool) {
	s := bufio.NewScanner(r)
	if header {
		s.Scan()
	}
	s.Buffer(nil, 10) // it fails if there is a header: -may reports it
}

func scannedOnBothWays(r io.Reader, header bool) {
	s := bufio.NewScanner(r)
	if header {
		s.Scan()
	} else {
		helpers.First(s)
	}
	s.Buffer(nil, 10) // want `Buffer fails here`
}

func newScanner(r io.Reader, again bool) {
	s := bufio.NewScanner(r)
	s.Scan()
	if again {
		s = bufio.NewScanner(r)
		s.Buffer(nil, 10)
	}
	s.Scan()
}

func shadowed(r io.Reader) {
	s := bufio.NewScanner(r)
	s.Scan()
	{
		s := bufio.NewScanner(r)
		s.Buffer(nil, 10)
		s.Scan()
	}
	s.Buffer(nil, 10) // want `Buffer fails here`
}

func freshInEachRound(rs []io.Reader) {
	for _, r := range rs {
		s := bufio.NewScanner(r)
		s.Buffer(nil, 10)
		for s.Scan() {
		}
	}
}

func oneForAllRounds(r io.Reader, n int) {
	s := bufio.NewScanner(r)
	for range n {
		s.Buffer(nil, 10) // only from the second round on
		s.Scan()
	}
}

func deferredBuffer(r io.Reader) {
	s := bufio.NewScanner(r)
	defer s.Buffer(nil, 1) // want `Buffer fails here`
	s.Scan()
}

func deferredClosure(r io.Reader) {
	s := bufio.NewScanner(r)
	defer func() {
		s.Buffer(nil, 1) // want `Buffer fails here`
	}()
	s.Scan()
}

func calledClosure(r io.Reader) {
	s := bufio.NewScanner(r)
	next := func() bool { return s.Scan() }
	next()
	s.Buffer(nil, 1) // want `Buffer fails here`
}

func methodValue(r io.Reader) {
	s := bufio.NewScanner(r)
	scan := s.Scan
	scan()
	s.Buffer(nil, 1) // want `Buffer fails here`
}

func readFromHelper(r io.Reader) {
	s := helpers.Words(r)
	s.Split(bufio.ScanRunes)
	helpers.First(s)
	s.Split(bufio.ScanRunes) // want `Split fails here`
}

func expectedPanic(r io.Reader) bool {
	s := bufio.NewScanner(r)
	s.Scan()
	return helpers.Must(func() { s.Buffer(nil, 1) })
}

func recovered(r io.Reader) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	s := bufio.NewScanner(r)
	s.Scan()
	s.Buffer(nil, 1)
	return nil
}

func goroutine(r io.Reader, done chan bool) {
	s := bufio.NewScanner(r)
	go func() {
		s.Scan()
		close(done)
	}()
	<-done
	s.Buffer(nil, 1) // what the goroutine did is not followed
}

func inField(r io.Reader) *struct{ s *bufio.Scanner } {
	s := bufio.NewScanner(r)
	x := &struct{ s *bufio.Scanner }{s}
	s.Scan()
	s.Buffer(nil, 1) // want `Buffer fails here`
	return x
}

func unreadByte() {
	var b bytes.Buffer
	b.UnreadByte() // want `bytes.Buffer: UnreadByte fails here, where b.lastRead == 0: it returns the error "bytes.Buffer: UnreadByte: previous operation was not a successful read"`
}

func unreadAfterRead(b *bytes.Buffer) {
	b.ReadByte()
	b.UnreadByte()
}

func closedPipe() {
	r, w := io.Pipe()
	go io.Copy(os.Stdout, r)
	w.Close()
	if _, err := w.Write([]byte("late")); err != nil { // want `io.PipeWriter: Write fails here`
		return
	}
}

func closedByInterface() {
	_, w := io.Pipe()
	var c io.Closer = w
	c.Close()
	if _, err := w.Write(nil); err != nil { // want `Write fails here`
		return
	}
}

func closedByHelper() {
	_, w := io.Pipe()
	helpers.Close(w)
	w.Write(nil) // a helper that has an interface may have closed it
}

func asserted(w io.Writer) {
	p, ok := w.(*io.PipeWriter)
	if !ok {
		return
	}
	p.Close()
	fmt.Fprintln(p, "late")
	p.Write(nil) // want `Write fails here`
}

func twoWriters(a, b io.Writer, first bool) {
	s, t := bufio.NewScanner(os.Stdin), bufio.NewScanner(os.Stdin)
	u := s
	if first {
		u = t
	}
	u.Scan()
	s.Buffer(nil, 1) // it may be the other one
	u.Buffer(nil, 1) // want `Buffer fails here`
}

func lockTwice() {
	var mu sync.Mutex
	mu.Lock()
	mu.Lock() // want `sync.Mutex: Lock fails here, .*: it never returns`
}

func unlockTwice() {
	var mu sync.Mutex
	mu.Lock()
	defer mu.Unlock() // want `Unlock fails here, .*: it ends the process: "sync: unlock of unlocked mutex"`
	mu.Unlock()
}

func lockedElsewhere(done chan bool) {
	var mu sync.Mutex
	mu.Lock()
	go func() {
		mu.Unlock()
		close(done)
	}()
	mu.Lock()
	mu.Unlock()
}

type guarded struct {
	mu sync.RWMutex
	n  int
}

func (g *guarded) get() int {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.n
}

func (g *guarded) set(n int) {
	g.mu.Lock()
	g.n = n
	g.mu.Unlock()
	g.mu.Lock() // others lock and unlock it
	g.mu.Unlock()
}

func tryLock() {
	var mu sync.Mutex
	if mu.TryLock() {
		mu.Unlock()
	}
}
