// SPDX-License-Identifier: Apache-2.0

package classpath

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/jvm/classfile"
)

// A Source has class files.
type Source interface {
	// Find gives the bytes of a class file and where they come from, or a
	// *NotFound error.
	Find(class string) (data []byte, where string, err error)
	// Classes lists the internal names of all classes, sorted.
	Classes() ([]string, error)
	Close() error
}

// A NotFound error says that a source has no class of the name.
type NotFound struct {
	Class string
	Where string
}

func (e *NotFound) Error() string {
	return fmt.Sprintf("no class %s in %s", strings.ReplaceAll(e.Class, "/", "."), e.Where)
}

// IsNotFound reports whether an error says that a class is not there.
func IsNotFound(err error) bool {
	var n *NotFound
	return errors.As(err, &n)
}

// Open opens a directory, a .class file, a jar, a jmod or a file lib/modules. What
// a file is shows in its first bytes, whatever its name. Release is the version
// of Java that a multi-release jar is read for.
func Open(name string, release int) (Source, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return directory(name), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	head := make([]byte, 4)
	if _, err := io.ReadFull(f, head); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: no jar, jmod, class file or runtime image: it has less than 4 bytes", name)
	}
	var s Source
	switch string(head) {
	case "PK\x03\x04":
		s, err = openZip(f, info.Size(), 0, "", release)
	case "PK\x05\x06":
		s, err = openZip(f, info.Size(), 0, "", release) // an empty jar
	case "JM\x01\x00":
		s, err = openZip(f, info.Size(), 4, "classes/", 0)
	case "\xca\xfe\xba\xbe":
		f.Close()
		return openClass(name)
	case "\xda\xda\xfe\xca", "\xca\xfe\xda\xda":
		s, err = openImage(f, info.Size())
	default:
		err = fmt.Errorf("%s: no jar, jmod, class file or runtime image: it begins with % x", name, head)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

// A Path asks several sources in order.
type Path []Source

// OpenPath opens the parts of a class path, which the list separator of the system
// divides. A part that ends with "*" means all jars of a directory.
func OpenPath(list string, release int) (Path, error) {
	var p Path
	for _, part := range filepath.SplitList(list) {
		if part == "" {
			continue
		}
		names := []string{part}
		if dir, all := strings.CutSuffix(part, "*"); all && (dir == "" || os.IsPathSeparator(dir[len(dir)-1])) {
			jars, err := filepath.Glob(filepath.Join(dir, "*.[jJ][aA][rR]"))
			if err != nil {
				return nil, err
			}
			slices.Sort(jars)
			names = jars
		}
		for _, name := range names {
			s, err := Open(name, release)
			if err != nil {
				p.Close()
				return nil, fmt.Errorf("class path: %w", err)
			}
			p = append(p, s)
		}
	}
	return p, nil
}

// Find asks each source.
func (p Path) Find(class string) ([]byte, string, error) {
	for _, s := range p {
		data, where, err := s.Find(class)
		if err == nil || !IsNotFound(err) {
			return data, where, err
		}
	}
	return nil, "", &NotFound{class, fmt.Sprintf("the %d parts of the class path", len(p))}
}

// Classes lists the classes of all sources.
func (p Path) Classes() ([]string, error) {
	var all []string
	for _, s := range p {
		c, err := s.Classes()
		if err != nil {
			return nil, err
		}
		all = append(all, c...)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// Close closes all sources.
func (p Path) Close() error {
	var errs []error
	for _, s := range p {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// Load finds a class and reads it. The file must hold the class of that name.
func Load(s Source, class string) (*classfile.Class, error) {
	data, where, err := s.Find(class)
	if err != nil {
		return nil, err
	}
	c, err := classfile.Parse(where, data)
	if err != nil {
		return nil, err
	}
	if c.Name != class {
		return nil, fmt.Errorf("%s: it holds class %s and not %s", where, c.Name, class)
	}
	return c, nil
}

// directory is the root of a tree of class files.
type directory string

func (d directory) Close() error { return nil }

func (d directory) Find(class string) ([]byte, string, error) {
	name := filepath.Join(string(d), filepath.FromSlash(class)+".class")
	if !filepath.IsLocal(filepath.FromSlash(class)) {
		return nil, "", &NotFound{class, string(d)}
	}
	data, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, "", &NotFound{class, string(d)}
	}
	return data, name, err
}

func (d directory) Classes() ([]string, error) {
	var out []string
	err := filepath.WalkDir(string(d), func(name string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(string(d), name)
		if class, ok := classOf(filepath.ToSlash(rel)); ok && err == nil {
			out = append(out, class)
		}
		return err
	})
	slices.Sort(out)
	return out, err
}

// classOf is the class that a file of a name holds; descriptions of modules and packages are none.
func classOf(file string) (string, bool) {
	class, ok := strings.CutSuffix(file, ".class")
	return class, ok && class != "module-info" && !strings.HasPrefix(class, "META-INF/")
}

// single is one class file.
type single struct {
	name, class string
	data        []byte
}

func openClass(name string) (Source, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	c, err := classfile.Parse(name, data)
	if err != nil {
		return nil, err
	}
	return &single{name, c.Name, data}, nil
}

func (s *single) Close() error               { return nil }
func (s *single) Classes() ([]string, error) { return []string{s.class}, nil }

func (s *single) Find(class string) ([]byte, string, error) {
	if class != s.class {
		return nil, "", &NotFound{class, s.name}
	}
	return s.data, s.name, nil
}
