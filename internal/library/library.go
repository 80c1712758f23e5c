// SPDX-License-Identifier: Apache-2.0

//go:generate sh -c "cd ../../bench && go run ./library"

// Package library has the interfaces that come with the project, and reads those of others from directories. The analyzer
// and the command line ask.
//
// A SET is a number of interfaces in one file: one JSON array, compressed. That of the standard library belongs to a release of
// Go and is made by bench/library from its sources; it has the core of each interface, labels and error messages, and no certificates.
package library

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

//go:embed std
var std embed.FS

// Releases are the releases of Go of whose standard library there are interfaces, such as "go1.26", the oldest first.
func Releases() []string {
	entries, _ := std.ReadDir("std")
	var out []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".json.gz"); ok {
			out = append(out, name)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return minor(a) - minor(b) })
	return out
}

// minor is the number of a release: 26 of "go1.26.8".
func minor(release string) int {
	text, _, _ := strings.Cut(strings.TrimPrefix(release, "go1."), ".")
	n, _ := strconv.Atoi(text)
	return n
}

// Standard returns the interfaces of the standard library of a release such as "go1.26.8": those of the latest release that is not newer, or of the
// oldest that there is.
func Standard(release string) ([]*typestate.Interface, error) {
	all := Releases()
	if len(all) == 0 {
		return nil, nil
	}
	chosen := all[0]
	for _, r := range all {
		if minor(release) == 0 || minor(r) <= minor(release) {
			chosen = r
		}
	}
	data, err := std.ReadFile("std/" + chosen + ".json.gz")
	if err != nil {
		return nil, err
	}
	return ReadSet(data)
}

// ReadSet reads a set.
func ReadSet(data []byte) ([]*typestate.Interface, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, err
	}
	var out []*typestate.Interface
	for _, r := range raw {
		i, err := typestate.Read(bytes.NewReader(r))
		if err != nil {
			return nil, err
		}
		out = append(out, i)
	}
	return out, nil
}

// WriteSet writes a set. Same interfaces, same bytes.
func WriteSet(interfaces []*typestate.Interface) ([]byte, error) {
	var text bytes.Buffer
	text.WriteByte('[')
	for k, i := range interfaces {
		if k > 0 {
			text.WriteByte(',')
		}
		if err := typestate.Write(&text, i); err != nil {
			return nil, err
		}
	}
	text.WriteByte(']')
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(text.Bytes()); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// Dir reads the interface files of a directory and those below it: files whose name ends in .json and whose content begins as that of an interface file.
// Other files are left out.
func Dir(dir string) ([]*typestate.Interface, error) {
	var out []*typestate.Interface
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".json" {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if !IsInterface(data) {
			return nil
		}
		i, err := typestate.Read(bytes.NewReader(data))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, i)
		return nil
	})
	return out, err
}

// IsInterface reports whether a file says that it is an interface file.
func IsInterface(data []byte) bool {
	var head struct {
		Format string `json:"format"`
	}
	return json.Unmarshal(data, &head) == nil && head.Format == typestate.Format
}
