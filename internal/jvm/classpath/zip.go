// SPDX-License-Identifier: Apache-2.0

package classpath

// This file reads jars and jmods, which are zip archives: a jmod has four bytes
// before the archive and its classes below classes/.

import (
	"archive/zip"
	"bufio"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// maxClass bounds the size of one class file: the format itself allows less than
// 64 KiB for each method, and the largest known ones have a few MiB. An archive
// that says more is damaged, or a trap.
const maxClass = 64 << 20

type archive struct {
	file  *os.File
	files map[string]*zip.File // by class
}

func openZip(f *os.File, size int64, skip int64, prefix string, release int) (Source, error) {
	z, err := zip.NewReader(io.NewSectionReader(f, skip, size-skip), size-skip)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	a := &archive{f, map[string]*zip.File{}}
	multi := false
	if release > 0 {
		if multi, err = multiRelease(z); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
	}
	best := map[string]int{} // release of the file that is taken
	for _, e := range z.File {
		name, ok := strings.CutPrefix(e.Name, prefix)
		if !ok {
			continue
		}
		version := 0
		if rest, ok := strings.CutPrefix(name, "META-INF/versions/"); ok && multi {
			number, inner, _ := strings.Cut(rest, "/")
			if version, err = strconv.Atoi(number); err != nil || version < 9 || version > release {
				continue
			}
			name = inner
		}
		if class, ok := classOf(name); ok && version >= best[class] {
			best[class], a.files[class] = version, e
		}
	}
	return a, nil
}

// multiRelease reports whether the manifest of a jar says that it has files for
// several releases.
func multiRelease(z *zip.Reader) (bool, error) {
	for _, e := range z.File {
		if !strings.EqualFold(e.Name, "META-INF/MANIFEST.MF") {
			continue
		}
		f, err := e.Open()
		if err != nil {
			return false, err
		}
		defer f.Close()
		for s := bufio.NewScanner(f); s.Scan() && strings.TrimSpace(s.Text()) != ""; { // the main section
			if key, value, ok := strings.Cut(s.Text(), ":"); ok && strings.EqualFold(key, "Multi-Release") {
				return strings.EqualFold(strings.TrimSpace(value), "true"), nil
			}
		}
	}
	return false, nil
}

func (a *archive) Close() error { return a.file.Close() }

func (a *archive) Classes() ([]string, error) { return slices.Sorted(maps.Keys(a.files)), nil }

func (a *archive) Find(class string) ([]byte, string, error) {
	e := a.files[class]
	if e == nil {
		return nil, "", &NotFound{class, a.file.Name()}
	}
	where := a.file.Name() + "!" + e.Name
	if e.UncompressedSize64 > maxClass {
		return nil, "", fmt.Errorf("%s: a class file of %d bytes", where, e.UncompressedSize64)
	}
	f, err := e.Open()
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", where, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxClass+1))
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", where, err)
	}
	return data, where, nil
}
