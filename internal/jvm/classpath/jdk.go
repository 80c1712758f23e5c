// SPDX-License-Identifier: Apache-2.0

package classpath

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A JDK is an installed Java runtime or development kit.
type JDK struct {
	Source
	Home    string
	Version string // 17.0.15
	Release int    // 17
}

// OpenJDK opens the runtime at a directory: its lib/modules, which is what it runs, or its jmods.
func OpenJDK(home string) (*JDK, error) {
	if info, err := os.Stat(home); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s: no directory of a JDK", home)
	}
	j := &JDK{Home: home}
	if err := j.version(); err != nil {
		return nil, err
	}
	if modules := filepath.Join(home, "lib", "modules"); isFile(modules) {
		s, err := Open(modules, j.Release)
		if err != nil {
			return nil, err
		}
		if _, _, err = s.Find("java/lang/Object"); err == nil {
			j.Source = s
			return j, nil
		}
		s.Close()
		if !isFile(filepath.Join(home, "jmods", "java.base.jmod")) {
			return nil, err
		}
	}
	mods, err := filepath.Glob(filepath.Join(home, "jmods", "*.jmod"))
	if err != nil {
		return nil, err
	}
	if len(mods) == 0 {
		return nil, fmt.Errorf("%s: no JDK of version 9 or later: it has neither lib/modules nor jmods", home)
	}
	slices.Sort(mods)
	var p Path
	for _, name := range mods {
		s, err := Open(name, j.Release)
		if err != nil {
			p.Close()
			return nil, err
		}
		p = append(p, s)
	}
	j.Source = p
	return j, nil
}

// HomeOf is the directory of the runtime whose program java is given, through links.
func HomeOf(java string) (string, error) {
	real, err := filepath.EvalSymlinks(java)
	if err != nil {
		return "", err
	}
	home := filepath.Dir(filepath.Dir(real))
	if filepath.Base(filepath.Dir(real)) != "bin" || !isFile(filepath.Join(home, "release")) {
		return "", fmt.Errorf("%s: it lies in no JDK", real)
	}
	return home, nil
}

// version reads the file release.
func (j *JDK) version() error {
	name := filepath.Join(j.Home, "release")
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s: no JDK of version 9 or later: it has no file release", j.Home)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if value, ok := strings.CutPrefix(s.Text(), "JAVA_VERSION="); ok {
			j.Version = strings.Trim(value, `"`)
			first, _, _ := strings.Cut(j.Version, ".")
			first, _, _ = strings.Cut(first, "-")
			if j.Release, err = strconv.Atoi(first); err != nil || j.Release < 9 {
				return fmt.Errorf("%s: Java %s; versions from 9 on are read", name, j.Version)
			}
			return nil
		}
	}
	return fmt.Errorf("%s: it does not say JAVA_VERSION", name)
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}
