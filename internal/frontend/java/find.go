// SPDX-License-Identifier: Apache-2.0

package java

// This file finds a class by its name.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/jvm/classfile"
	"github.com/interlock-go/interlock/internal/jvm/classpath"
)

// newestRelease is the version of Java that multi-release jars are read for if there is no JDK.
const newestRelease = 25

// A Place says where classes are.
type Place struct {
	JDK       string // directory of a JDK or Java runtime, or ""
	ClassPath string // jars, directories and class files
}

// A Source has the classes of a place.
type Source struct {
	classpath.Path
	where []string // what was opened, for errors
	jdk   *classpath.JDK
}

// OpenSource opens a place.
func OpenSource(p Place) (*Source, error) {
	s := &Source{}
	release := newestRelease
	if p.JDK != "" {
		jdk, err := classpath.OpenJDK(p.JDK)
		if err != nil {
			return nil, err
		}
		s.jdk, release = jdk, jdk.Release
	}
	if p.ClassPath != "" {
		path, err := classpath.OpenPath(p.ClassPath, release)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.Path = append(s.Path, path...)
		s.where = append(s.where, filepath.SplitList(p.ClassPath)...)
	}
	if s.jdk != nil {
		s.Path = append(s.Path, s.jdk)
		s.where = append(s.where, fmt.Sprintf("the JDK %s at %s", s.jdk.Version, s.jdk.Home))
	}
	return s, nil
}

// Where says what the source consists of.
func (s *Source) Where() string {
	if len(s.where) == 0 {
		return "nothing: there is no class path and no JDK"
	}
	return strings.Join(s.where, ", ")
}

// Class finds the internal name of a class that a user names: java.util.ArrayList.ListItr, java.util.ArrayList$ListItr.
func (s *Source) Class(name string) (string, error) {
	if name == "" || strings.ContainsAny(name, " ()[];<>") {
		return "", fmt.Errorf("%q is no name of a class: expected one such as java.util.ArrayList", name)
	}
	path := strings.ReplaceAll(name, ".", "/")
	for p := path; ; {
		_, _, err := s.Find(p)
		if err == nil {
			return p, nil
		}
		if !classpath.IsNotFound(err) {
			return "", err
		}
		k := strings.LastIndexByte(p, '/')
		if k < 0 {
			break
		}
		p = p[:k] + "$" + p[k+1:]
	}
	text := fmt.Sprintf("no class %s in %s", name, s.Where())
	if near := s.near(path); near != "" {
		text += "; there is " + near
	}
	return "", errors.New(text)
}

// near is a class of the same simple name, if there is one that the user may have meant.
func (s *Source) near(path string) string {
	all, err := s.Classes()
	if err != nil {
		return ""
	}
	last := path[strings.LastIndexAny(path, "/$")+1:]
	k := slices.IndexFunc(all, func(c string) bool {
		return strings.EqualFold(c, path) || strings.EqualFold(c[strings.LastIndexAny(c, "/$")+1:], last) && !strings.HasPrefix(c, "sun/") && !strings.HasPrefix(c, "com/sun/") && !strings.HasPrefix(c, "jdk/internal/")
	})
	if k < 0 {
		return ""
	}
	return classfile.ClassType(all[k]).String()
}

// HomeFrom finds the JDK that a user has: by the variable JAVA_HOME, or the program java on the PATH. It gives "" if there is none.
func HomeFrom(javaHome, java string) string {
	if javaHome != "" {
		return javaHome
	}
	if java == "" {
		return ""
	}
	home, err := classpath.HomeOf(java)
	if err != nil {
		return ""
	}
	if _, err := os.Stat(home); err != nil {
		return ""
	}
	return home
}
