// SPDX-License-Identifier: Apache-2.0

package classfile

import (
	"unicode/utf16"
	"unicode/utf8"
)

// decodeText turns the modified UTF-8 of class files into a Go string. There the
// zero character takes two bytes, and characters beyond the basic plane are two
// surrogates of three bytes each. A surrogate without its partner, which Java
// strings may contain, has no UTF-8: it becomes U+FFFD.
func decodeText(b []byte) (string, bool) {
	ascii := true
	for _, c := range b {
		if c == 0 || c >= 0xf0 {
			return "", false
		}
		ascii = ascii && c < 0x80
	}
	if ascii {
		return string(b), true
	}
	units := make([]uint16, 0, len(b))
	for k := 0; k < len(b); {
		c := b[k]
		switch {
		case c < 0x80:
			units = append(units, uint16(c))
			k++
		case c&0xe0 == 0xc0 && k+1 < len(b) && b[k+1]&0xc0 == 0x80:
			units = append(units, uint16(c&0x1f)<<6|uint16(b[k+1]&0x3f))
			k += 2
		case c&0xf0 == 0xe0 && k+2 < len(b) && b[k+1]&0xc0 == 0x80 && b[k+2]&0xc0 == 0x80:
			units = append(units, uint16(c&0x0f)<<12|uint16(b[k+1]&0x3f)<<6|uint16(b[k+2]&0x3f))
			k += 3
		default:
			return "", false
		}
	}
	out := make([]byte, 0, len(b))
	for _, r := range utf16.Decode(units) {
		out = utf8.AppendRune(out, r)
	}
	return string(out), true
}
