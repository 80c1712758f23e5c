// SPDX-License-Identifier: Apache-2.0

package classpath

// This file reads lib/modules, the image in which a Java runtime keeps its classes:
// a header, a hash table (a redirect and an offset for each slot), descriptions of
// the locations, texts, and then the contents. Numbers of the header and of the
// tables have the byte order of the machine; those of locations are big-endian. The
// whole index is read once, so its hash function is not needed.

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
)

const (
	imageMagic  = 0xcafedada
	imageHeader = 7 * 4
	imageMajor  = 1
)

type image struct {
	file     *os.File
	contents int64 // where they begin
	size     int64
	classes  map[string]location
}

type location struct {
	module             string
	offset             uint64
	compressed, length uint64
}

func openImage(f *os.File, size int64) (Source, error) {
	m := &image{file: f, size: size, classes: map[string]location{}}
	if err := m.index(); err != nil {
		return nil, fmt.Errorf("%s: not a valid runtime image: %w", f.Name(), err)
	}
	return m, nil
}

func (m *image) index() error {
	head := make([]byte, imageHeader)
	if _, err := m.file.ReadAt(head, 0); err != nil {
		return fmt.Errorf("its header: %w", err)
	}
	var order binary.ByteOrder = binary.LittleEndian
	if order.Uint32(head) != imageMagic {
		order = binary.BigEndian
	}
	if v := order.Uint32(head[4:]) >> 16; v != imageMajor {
		return fmt.Errorf("version %d; version %d is read", v, imageMajor)
	}
	slots, places, texts := int64(order.Uint32(head[16:])), int64(order.Uint32(head[20:])), int64(order.Uint32(head[24:]))
	m.contents = imageHeader + 8*slots + places + texts
	if m.contents > m.size {
		return fmt.Errorf("its index has %d bytes and the file has %d", m.contents, m.size)
	}
	data := make([]byte, m.contents-imageHeader)
	if _, err := m.file.ReadAt(data, imageHeader); err != nil {
		return fmt.Errorf("its index: %w", err)
	}
	offsets, locations, strings := data[4*slots:8*slots], data[8*slots:8*slots+places], data[8*slots+places:]
	for k := int64(0); k < slots; k++ {
		at := int64(order.Uint32(offsets[4*k:]))
		if at >= places {
			return fmt.Errorf("location %d lies outside of its table", k)
		}
		if err := m.location(locations[at:], strings); err != nil {
			return fmt.Errorf("location %d: %w", k, err)
		}
	}
	return nil
}

// Kinds of attributes of a location.
const (
	attrEnd = iota
	attrModule
	attrParent
	attrBase
	attrExtension
	attrOffset
	attrCompressed
	attrLength
	attrKinds
)

// location reads the attributes of one location: a byte with kind and length, and a
// number of that length, up to a byte of kind 0.
func (m *image) location(b, texts []byte) error {
	var attr [attrKinds]uint64
	for {
		if len(b) == 0 {
			return fmt.Errorf("its attributes do not end")
		}
		kind, n := int(b[0]>>3), int(b[0]&7)+1
		if kind == attrEnd {
			break
		}
		if kind >= attrKinds || n > len(b)-1 {
			return fmt.Errorf("an attribute of kind %d and %d bytes", kind, n)
		}
		value := uint64(0)
		for _, c := range b[1 : 1+n] {
			value = value<<8 | uint64(c)
		}
		attr[kind], b = value, b[1+n:]
	}
	text := func(kind int) (string, error) {
		if attr[kind] >= uint64(len(texts)) {
			return "", fmt.Errorf("a text lies outside of its table")
		}
		s, _, ok := bytes.Cut(texts[attr[kind]:], []byte{0})
		if !ok {
			return "", fmt.Errorf("a text does not end")
		}
		return string(s), nil
	}
	var parts [attrKinds]string
	for kind := attrModule; kind <= attrExtension; kind++ {
		var err error
		if parts[kind], err = text(kind); err != nil {
			return err
		}
	}
	if parts[attrExtension] != "class" || parts[attrModule] == "" || parts[attrBase] == "module-info" {
		return nil // other resources, and the tables of packages
	}
	class := parts[attrBase]
	if p := parts[attrParent]; p != "" {
		class = p + "/" + class
	}
	m.classes[class] = location{parts[attrModule], attr[attrOffset], attr[attrCompressed], attr[attrLength]}
	return nil
}

func (m *image) Close() error { return m.file.Close() }

func (m *image) Classes() ([]string, error) { return slices.Sorted(maps.Keys(m.classes)), nil }

func (m *image) Find(class string) ([]byte, string, error) {
	l, ok := m.classes[class]
	if !ok {
		return nil, "", &NotFound{class, m.file.Name()}
	}
	where := m.file.Name() + "!/" + l.module + "/" + class + ".class"
	if l.compressed != 0 {
		return nil, "", fmt.Errorf("%s: the image is compressed (jlink --compress), which is not read; use a JDK whose image is not, or one with jmods", where)
	}
	if l.length > maxClass || l.offset > uint64(m.size) || m.contents+int64(l.offset)+int64(l.length) > m.size {
		return nil, "", fmt.Errorf("%s: its contents lie outside of the image", where)
	}
	data := make([]byte, l.length)
	if _, err := m.file.ReadAt(data, m.contents+int64(l.offset)); err != nil && err != io.EOF {
		return nil, "", fmt.Errorf("%s: %w", where, err)
	}
	return data, where, nil
}
