// SPDX-License-Identifier: Apache-2.0

package java

// This file gives Java names to what the translation names.

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/interlock-go/interlock/internal/jvm/classfile"
	"github.com/interlock-go/interlock/internal/jvm/translate"
)

// names are the names of a translation.
type names struct {
	t         *translate.Translation
	component string
	errors    []string
	methods   map[string]*method // by Go name
	words     map[string]string  // of labels and messages: Java for Go identifiers
	files     map[string]string  // by the last part of their names
}

// A method is a call or a constructor.
type method struct {
	call *translate.Call
	name string
	made bool // a constructor
}

func newNames(t *translate.Translation, o Options) *names {
	n := &names{t: t, component: sourceName(t.Class), methods: map[string]*method{}, words: map[string]string{}, files: map[string]string{}}
	if n.errors = o.Errors; len(n.errors) == 0 {
		n.errors = []string{"misuse"}
	}
	count := map[string]int{}
	for _, c := range t.Calls {
		count[c.Method.Name]++
	}
	for k := range t.Calls {
		c := &t.Calls[k]
		m := &method{call: c, name: c.Method.Name}
		if count[m.name] > 1 {
			m.name += "(" + strings.Join(shortTypes(c.Method), ",") + ")"
		}
		n.methods[c.Go] = m
	}
	for k := range t.Constructors {
		c := &t.Constructors[k]
		n.methods[c.Go] = &method{call: c, name: c.Java, made: true}
		n.methods[t.Package+"."+c.Go] = n.methods[c.Go]
	}
	n.words["nil"], n.words["this_0"] = "null", "this$0"
	for goName, is := range t.Names {
		_, field, ok := strings.Cut(goName, ".")
		switch {
		case ok:
			if own := strings.HasPrefix(goName, t.Type+"."); own || n.words[field] == "" {
				n.words[field] = javaField(is)
			}
		case is.Member != "":
			n.words[goName] = simpleName(is.Class) + "." + is.Member
		default:
			n.words[goName] = simpleName(is.Class)
		}
	}
	for _, f := range t.Environment {
		name := f.Go[strings.LastIndexByte(f.Go, '.')+1:]
		if f.Member != "" {
			n.words[name] = simpleName(f.Class) + "." + f.Member
		}
	}
	for _, s := range t.Sites {
		n.file(s.File)
	}
	for _, f := range t.Sources {
		n.file(f)
	}
	return n
}

func (n *names) file(name string) {
	if base := path.Base(name); n.files[base] == "" {
		n.files[base] = name
	}
}

// javaField is a field as an expression: the object around an inner one is Outer.this.
func javaField(is translate.Name) string {
	if strings.HasPrefix(is.Member, "this$") {
		t := classfile.Type(is.Descriptor)
		if t.Reference() && !t.Array() {
			return simpleName(t.Class()) + ".this"
		}
	}
	return is.Member
}

// sourceName is the name of a class as source writes it.
func sourceName(class string) string {
	return strings.ReplaceAll(classfile.ClassType(class).String(), "$", ".")
}

// shortTypes are the types of parameters without packages.
func shortTypes(m *classfile.Method) (out []string) {
	for _, p := range m.Type.Params {
		s := p.String()
		out = append(out, s[strings.LastIndexByte(s, '.')+1:])
	}
	return out
}

var (
	identifiers = regexp.MustCompile(`[\pL_][\pL\d_]*`)
	siteText    = regexp.MustCompile(`"site (\d+)"(?: \(([^()]*)\))?`)
	positions   = regexp.MustCompile(`[\pL\d_./]*?([\pL\d_$]+\.(?:java|class)):(\d+)(?::\d+)?`)
	notNull     = regexp.MustCompile("== `non-nil`")
	isNull      = regexp.MustCompile("!= `non-nil`")
	lengthOf    = regexp.MustCompile("`?\\b(?:len)\\(([\\pL\\d_.$]+)\\)`?")
	sizeOf      = regexp.MustCompile("`?([\\pL\\d_.$]+)#len`?")
	quoted      = regexp.MustCompile("`([^`]*)`")
	plainName   = regexp.MustCompile(`^[\pL_$][\pL\d_$]*(\.[\pL_$][\pL\d_$]*)*$`)
	placeNumber = regexp.MustCompile(`&?([\pL_$][\pL\d_$.]*)@\d+(?:\.\d+)*`)
)

// position is a position in Java source.
func (n *names) position(at string) string {
	return positions.ReplaceAllStringFunc(at, func(s string) string {
		m := positions.FindStringSubmatch(s)
		file := m[1]
		if full := n.files[file]; full != "" {
			file = full
		}
		return file + ":" + m[2]
	})
}

// site is what is said of a place that throws: its message, and where it is.
func (n *names) site(number, at string) (message, position string) {
	k, err := strconv.Atoi(number)
	if err != nil || k < 1 || k > len(n.t.Sites) {
		return "an exception of code that is not followed", n.position(at)
	}
	s := n.t.Sites[k-1]
	message = simpleName(s.Class)
	if s.Message != "" {
		message += ": " + s.Message
	}
	return message, s.Position()
}

// text is a text for people that may mention what the translation names.
func (n *names) text(text string) string {
	text = siteText.ReplaceAllStringFunc(text, func(s string) string {
		m := siteText.FindStringSubmatch(s)
		message, at := n.site(m[1], m[2])
		if m[2] == "" {
			return strconv.Quote(message)
		}
		return strconv.Quote(message) + " (" + at + ")"
	})
	return n.formula(n.position(text), nil)
}

// formula is a formula over parameters and fields in Java.
func (n *names) formula(text string, params map[string]string) string {
	text = notNull.ReplaceAllString(text, "!= null")
	text = isNull.ReplaceAllString(text, "== null")
	text = sizeOf.ReplaceAllString(text, "len($1)")
	text = identifiers.ReplaceAllStringFunc(text, func(word string) string {
		if p, ok := params[word]; ok {
			return p
		}
		if w, ok := n.words[word]; ok {
			return w
		}
		return word
	})
	text = strings.ReplaceAll(text, n.t.Package+".", "")
	text = strings.ReplaceAll(text, "environment.", "")
	text = strings.ReplaceAll(text, ".data", "")
	text = strings.ReplaceAll(text, "this$0", "this")
	text = ownReceiver.ReplaceAllString(text, "")
	text = lengthOf.ReplaceAllString(text, "$1.length")
	text = placeNumber.ReplaceAllString(text, "$1")
	return quoted.ReplaceAllStringFunc(text, func(s string) string {
		if in := s[1 : len(s)-1]; plainName.MatchString(in) {
			return in
		}
		return s
	})
}

// ownReceiver is what stands before the fields of the object itself.
var ownReceiver = regexp.MustCompile(`\bthis\.`)

// outcome is the end of a call in Java: "return", a value, or "throws X". Parts are the values of the results of the door, by name.
func (m *method) outcome(parts map[string]string) string {
	thrown := ""
	some := false
	for _, name := range sortedKeys(m.call.Thrown) {
		if name == "threw" {
			continue
		}
		if v, ok := parts[name]; ok {
			some = true
			if v == "true" && thrown == "" {
				thrown = "throws " + strings.ReplaceAll(strings.ReplaceAll(m.call.Thrown[name], "/", "."), "$", ".")
			}
		}
	}
	threw, known := parts["threw"]
	switch {
	case thrown != "":
		return thrown
	case threw == "true":
		return "throws"
	case !known && some:
		return "other"
	}
	switch parts["res"] {
	case "true", "false":
		if m.isReference() {
			return map[string]string{"true": "non-null", "false": "null"}[parts["res"]]
		}
		return parts["res"]
	case "nil":
		return "null"
	case "non-nil":
		return "non-null"
	}
	if !known && len(m.call.Thrown) > 0 && !m.made {
		return "*"
	}
	return "return"
}

func (m *method) isReference() bool { return m.call.Method.Type.Result.Reference() }

func sortedKeys(m map[string]string) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	return out
}
