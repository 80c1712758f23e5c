// SPDX-License-Identifier: Apache-2.0

package interlock

import (
	"io"

	"github.com/interlock-go/interlock/internal/render"
	"github.com/interlock-go/interlock/typestate"
)

// A Format is a way to write interfaces: a table for people, a picture, the input of another tool.
type Format struct {
	Name, Extension, Doc string
	write                func(io.Writer, *typestate.Interface, render.Options) error
}

// Formats lists the formats, the table first.
func Formats() []Format {
	var list []Format
	for _, f := range render.Formats() {
		list = append(list, Format{f.Name, f.Ext, f.Doc, f.Write})
	}
	return list
}

// FindFormat returns the format of that name.
func FindFormat(name string) (Format, bool) {
	for _, f := range Formats() {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}

// Write writes an interface.
func (f Format) Write(w io.Writer, i *typestate.Interface) error {
	return f.write(w, i, render.Options{})
}
