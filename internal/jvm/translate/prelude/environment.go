// SPDX-License-Identifier: Apache-2.0

package prelude

// This file has the functions whose results an analysis does not know. They have bodies so that a
// translation can be run.

import (
	"math"
	"strconv"
	"unicode/utf16"
)

// identityHash is some number for an object.
func identityHash(o Object) int32 { panic("environment: the hash code of an identity") }

// unknownText is some text for an object that has no toString of its own.
func unknownText(o Object) *String { panic("environment: the text of an object") }

func unknownMessage(e error) *String {
	if e == nil {
		return &String{text: "unknown"}
	}
	return &String{text: e.Error()}
}

func unknownCause(e error) error { panic("environment: the cause of an exception") }

// arrayInstance reports whether arrays with elements of one type are arrays of another.
func arrayInstance(elem, of string) bool { return elem == of }

// sameBox reports whether two boxes of equal values are one object.
func sameBox(small bool) bool { return small }

func intern(s *String) *String { panic("environment: the table of strings") }

func hashOfText(s string) int32 {
	h := int32(0)
	for _, u := range utf16.Encode([]rune(s)) {
		h = 31*h + int32(u)
	}
	return h
}

func unitCount(s string) int32 { return int32(len(utf16.Encode([]rune(s)))) }

func unitAt(s string, i int32) uint16 { return utf16.Encode([]rune(s))[i] }

func textOfUnit(u uint16) string { return string(rune(u)) }

func textOfInt(v int64) string { return strconv.FormatInt(v, 10) }

func textOfFloat(v float32) string { return textOfReal(float64(v), 32) }

func textOfDouble(v float64) string { return textOfReal(v, 64) }

func textOfReal(v float64, bits int) string {
	if math.IsInf(v, 0) {
		return map[bool]string{true: "Infinity", false: "-Infinity"}[v > 0]
	}
	if a := math.Abs(v); a != 0 && (a < 1e-3 || a >= 1e7) {
		panic("environment: the text of a number")
	}
	s := strconv.FormatFloat(v, 'f', -1, bits)
	for k := range s {
		if s[k] == '.' || s[k] == 'N' {
			return s
		}
	}
	return s + ".0"
}

func remFloat(a, b float64) float64 { return math.Mod(a, b) }

// bitsOfFloat and bitsOfDouble are the bits of a number, with one pattern for all that are no numbers.
func bitsOfFloat(v float32) int32 {
	if v != v {
		return 0x7fc00000
	}
	return int32(math.Float32bits(v))
}

func bitsOfDouble(v float64) int64 {
	if v != v {
		return 0x7ff8000000000000
	}
	return int64(math.Float64bits(v))
}

// classOf is the class of an object.
func classOf(o Object) *Class { return o.class() }

// someText is any text.
func someText() string { panic("environment: some text") }

// formatText formats with what is unknown in an analysis; that it may fail is, too.
//
//java:static java/lang/String.format:(Ljava/lang/String;[Ljava/lang/Object;)Ljava/lang/String;
func formatText(format *String, args *Array[Object]) (exc error, res *String) {
	if format == nil || args == nil {
		return newNullPointer(), nil
	}
	text, k := "", 0
	for at := 0; at < len(format.text); at++ {
		if format.text[at] != '%' {
			text += format.text[at : at+1]
			continue
		}
		if at++; at >= len(format.text) || format.text[at] != 's' && format.text[at] != 'd' || k >= len(args.data) {
			panic("environment: the format " + format.text)
		}
		exc, s := textOfObject(args.data[k])
		if exc != nil {
			return exc, nil
		}
		text += s
		k++
	}
	return nil, &String{text: text}
}
