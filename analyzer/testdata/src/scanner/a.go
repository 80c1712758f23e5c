package scanner

import (
	"bufio"
	"bytes"
	"io"
	"os"
)

func direct(r io.Reader) {
	s := bufio.NewScanner(r)
	s.Scan()
	s.Buffer(nil, 1) // want `bufio.Scanner: Buffer fails here, where s.scanCalled: it panics: "Buffer called after Scan"`
}

func loop(r io.Reader) {
	s := bufio.NewScanner(r)
	for s.Scan() {
	}
	if err := s.Err(); err != nil {
		return
	}
	s.Split(bufio.ScanWords) // want `Split fails here`
}

func fine(r io.Reader) {
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1)
	for s.Scan() {
		_ = s.Text()
	}
}

func param(s *bufio.Scanner) {
	s.Scan()
	s.Buffer(nil, 10) // want `Buffer fails here`
}

func branch(r io.Reader, b bool) {
	s := bufio.NewScanner(r)
	if b {
		s.Scan()
	}
	s.Buffer(nil, 10)
}

func helper(s *bufio.Scanner) bool { return s.Scan() }

func useHelper(r io.Reader) {
	s := bufio.NewScanner(r)
	helper(s)
	s.Buffer(nil, 10) // want `Buffer fails here`
}

func unread(b *bytes.Buffer) {
	b.Write(nil)
	b.UnreadByte()
}

func unreadLocal() {
	var b bytes.Buffer
	b.WriteByte(1)
	b.UnreadByte()
}

func main() {
	s := bufio.NewScanner(os.Stdin)
	defer func() {
		s.Buffer(nil, 1) // want `Buffer fails here`
	}()
	s.Scan()
}
