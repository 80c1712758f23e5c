// SPDX-License-Identifier: Apache-2.0

package java

// This file reads what a client is to avoid.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/jvm/classfile"
	"github.com/interlock-go/interlock/internal/jvm/classpath"
	"github.com/interlock-go/interlock/internal/jvm/translate"
)

// ErrorKinds says how errors are written, for messages and help.
const ErrorKinds = `an exception such as java.lang.IllegalStateException, one with a place ("IllegalStateException at ArrayList.java:980"), "message TEXT", or misuse`

// A kind is one of the errors that a user names.
type kind struct {
	class   string // internal name, "" for all
	file    string // end of a file name, or ""
	line    int    // or 0
	message string // or ""
	misuse  bool
}

// knownPackages are those in which a simple name of an exception is looked for, after that of the class.
var knownPackages = []string{"java/lang/", "java/io/", "java/util/", "java/util/concurrent/", "java/net/", "java/security/", "java/nio/", "java/nio/channels/"}

// readErrors reads the kinds of errors of a component. Without any it is misuse.
func readErrors(s *Source, root string, list []string) (*translate.Errors, error) {
	if len(list) == 0 {
		list = []string{"misuse"}
	}
	var kinds []kind
	e := &translate.Errors{}
	choose := false
	for _, text := range list {
		k, err := readKind(s, root, text)
		if err != nil {
			return nil, fmt.Errorf("-error %q: %w", text, err)
		}
		kinds = append(kinds, k)
		class := k.class
		if class == "" {
			class = "java/lang/Throwable"
		}
		if k.misuse {
			class = "java/lang/Exception"
		}
		if !slices.Contains(e.Classes, class) {
			e.Classes = append(e.Classes, class)
		}
		choose = choose || k.misuse || k.line > 0 || k.message != "" || k.file != ""
	}
	if choose {
		own := ownClasses(s, root)
		e.Site = func(site translate.Site) bool {
			return slices.ContainsFunc(kinds, func(k kind) bool { return k.matches(s, site, own) })
		}
	}
	return e, nil
}

func readKind(s *Source, root, text string) (kind, error) {
	text = strings.TrimSpace(text)
	if text == "misuse" {
		return kind{misuse: true}, nil
	}
	if rest, ok := strings.CutPrefix(text, "message "); ok && strings.TrimSpace(rest) != "" {
		return kind{message: strings.TrimSpace(rest)}, nil
	}
	name, at, placed := strings.Cut(text, " at ")
	k := kind{}
	if placed {
		file, line, ok := strings.Cut(at, ":")
		if _, err := fmt.Sscanf(line, "%d", &k.line); !ok || err != nil || k.line < 1 || file == "" {
			return k, fmt.Errorf("expected FILE:LINE after at, such as ArrayList.java:980")
		}
		k.file = file
	}
	if name == "" || strings.ContainsAny(name, " ()[]") {
		return k, fmt.Errorf("expected %s", ErrorKinds)
	}
	class, err := s.Class(name)
	if err != nil && !strings.ContainsAny(name, ".$") {
		try := append([]string{root[:strings.LastIndexByte(root, '/')+1]}, knownPackages...)
		for _, p := range try {
			if _, _, e := s.Find(p + name); e == nil {
				class, err = p+name, nil
				break
			}
		}
	}
	if err != nil && strings.Contains(name, ".") && s.jdk == nil && !inPath(s, name) {
		class, err = strings.ReplaceAll(name, ".", "/"), nil // of a JDK that need not be there
	}
	k.class = class
	return k, err
}

func inPath(s *Source, name string) bool {
	_, _, err := s.Find(strings.ReplaceAll(name, ".", "/"))
	return err == nil
}

// matches reports whether exceptions of a site are errors of the kind.
func (k kind) matches(s *Source, site translate.Site, own map[string]bool) bool {
	switch {
	case k.misuse:
		return !site.Check && own[site.In] && !isSubclass(s, site.Class, "java/util/NoSuchElementException") && !isSubclass(s, site.Class, "java/lang/CloneNotSupportedException") && isSubclass(s, site.Class, "java/lang/Exception")
	case k.message != "":
		return site.Message == k.message
	}
	return isSubclass(s, site.Class, k.class) && (k.line == 0 || k.line == site.Line && (site.File == k.file || strings.HasSuffix(site.File, "/"+k.file)))
}

// ownClasses are the classes whose throw statements are those of a component: its class, the superclasses that are no classes of
// everybody, and those nested in them.
func ownClasses(s *Source, root string) map[string]bool {
	own := map[string]bool{}
	for n := root; n != "" && n != "java/lang/Object"; {
		c, err := classpath.Load(s, n)
		if err != nil {
			break
		}
		own[n] = true
		host := c.NestHost
		if host == "" {
			host = n
		}
		own[host] = true
		if h, err := classpath.Load(s, host); err == nil {
			for _, m := range h.NestMembers {
				own[m] = true
			}
		}
		n = c.Super
	}
	return own
}

// isSubclass reports whether a class is another or one of its subclasses.
func isSubclass(s *Source, class, of string) bool {
	for n := class; n != ""; {
		if n == of {
			return true
		}
		c, err := classpath.Load(s, n)
		if err != nil {
			return superOf(n, of)
		}
		n = c.Super
	}
	return false
}

// superOf says of exceptions of the language, which may not be on the class path, what their names say.
func superOf(class, of string) bool {
	return of == "java/lang/Throwable" || of == "java/lang/Exception" && strings.HasSuffix(class, "Exception")
}

// simpleName is the name of a class without its package.
func simpleName(class string) string {
	s := classfile.ClassType(class).String()
	s = s[strings.LastIndexByte(s, '.')+1:]
	return strings.ReplaceAll(s, "$", ".")
}
