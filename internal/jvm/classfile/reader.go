// SPDX-License-Identifier: Apache-2.0

package classfile

import (
	"encoding/binary"
	"fmt"
)

// An Error says where a class file breaks the format.
type Error struct {
	File   string
	Offset int // of the first byte that cannot be read as it should
	Reason string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s: not a valid class file: offset %d: %s", e.File, e.Offset, e.Reason)
}

// A reader takes bytes from the front of data. The first failure sticks: all
// later reads give zero, so callers check err once per structure.
type reader struct {
	data []byte
	base int // offset of data[0] in the file
	pos  int
	err  *Error
}

func (r *reader) fail(at int, format string, args ...any) {
	if r.err == nil {
		r.err = &Error{Offset: at, Reason: fmt.Sprintf(format, args...)}
	}
}

// offset is where the next byte stands in the file.
func (r *reader) offset() int { return r.base + r.pos }

// rest is the number of bytes left.
func (r *reader) rest() int { return len(r.data) - r.pos }

func (r *reader) take(n int) []byte {
	if r.err != nil {
		return nil
	}
	if n < 0 || n > r.rest() {
		r.fail(r.offset(), "%d bytes are needed and %d are left", n, r.rest())
		return nil
	}
	b := r.data[r.pos : r.pos+n : r.pos+n]
	r.pos += n
	return b
}

func (r *reader) u1() uint8 {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) u2() uint16 {
	if b := r.take(2); b != nil {
		return binary.BigEndian.Uint16(b)
	}
	return 0
}

func (r *reader) u4() uint32 {
	if b := r.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

// part is a reader for the next n bytes, which the caller must use up.
func (r *reader) part(n int) *reader {
	at := r.offset()
	b := r.take(n)
	return &reader{data: b, base: at, err: r.err}
}

// end takes over the failure of a part, and fails if bytes of it are left.
func (r *reader) end(part *reader, what string) {
	if part.err == nil && part.rest() > 0 {
		part.fail(part.offset(), "%s has %d bytes too many", what, part.rest())
	}
	if r.err == nil {
		r.err = part.err
	}
}

// count reads a number of entries of at least size bytes each, and fails if there
// is no room for so many.
func (r *reader) count(what string, size int) int {
	at := r.offset()
	n := int(r.u2())
	if r.err == nil && n*size > r.rest() {
		r.fail(at, "%d %s do not fit into the %d bytes that are left", n, what, r.rest())
		return 0
	}
	return n
}
