// SPDX-License-Identifier: Apache-2.0

package translate

// This file finds out which unchecked exceptions code of the environment does not throw: code that is on the class path, and in
// whose closure no exception of the class is made. A call whose target is not known may throw any.

import (
	"slices"
	"strings"

	"github.com/interlock-go/interlock/internal/jvm/classfile"
	"github.com/interlock-go/interlock/internal/jvm/hierarchy"
)

// maxRaising bounds the methods of a closure. Larger ones may throw anything; each costs the decoding of its code once.
const maxRaising = 400

// machineErrors are what instructions throw.
var machineErrors = []string{nullPointer, arrayIndex, arithmetic, classCast, negativeSize, "java/lang/ArrayStoreException", "java/lang/StackOverflowError", "java/lang/OutOfMemoryError", "java/lang/IllegalMonitorStateException"}

// A raising is what a closure throws.
type raising struct {
	any     bool
	classes []string
}

// mayRaise reports whether a method of the environment may throw an unchecked exception of a class, or of a subclass.
//
// Of an exception that the client is to avoid there must be evidence: code that makes one, or a method of an object that the component
// holds and of which no code is known. Others are the environment's own fault.
func (u *unit) mayRaise(m *classfile.Method, o outsideCall, class string, asked bool) bool {
	if isQuiet(o.of.Class, o.of.Member) {
		return false
	}
	if m == nil || m.Code == nil {
		return !asked || u.holds(o.of.Class) && o.reason != "native"
	}
	r := u.raises(m)
	if r.any && !asked || o.virtual && !isExact(u.world.Class(o.of.Class), m) && !asked {
		return true
	}
	related := func(c string) bool { return u.world.Subtype(c, class) || u.world.Subtype(class, c) }
	if asked {
		return slices.ContainsFunc(r.classes, related)
	}
	return slices.ContainsFunc(r.classes, related) || slices.ContainsFunc(machineErrors, func(c string) bool { return u.world.Subtype(c, class) })
}

// isExact reports whether a call of a method runs that one.
func isExact(c *classfile.Class, m *classfile.Method) bool {
	return c != nil && c.Is(classfile.Final) || m.Flags&(classfile.Final|classfile.Private|classfile.Static) != 0 || m.Name == "<init>"
}

// isQuiet reports whether methods of a class throw nothing but what instructions throw: texts, and what every object has.
func isQuiet(class, method string) bool {
	switch class {
	case "java/lang/String", "java/lang/StringBuilder", "java/lang/AbstractStringBuilder", "java/lang/StringBuffer", "java/lang/Class", "java/lang/System", "java/lang/Math", "java/lang/StrictMath",
		"java/lang/Character", "java/lang/Integer", "java/lang/Long", "java/lang/Double", "java/lang/Float", "java/lang/StringUTF16", "java/lang/StringLatin1", "java/lang/StringConcatHelper",
		"java/lang/ref/Reference", "java/lang/ref/WeakReference", "java/lang/invoke/VarHandle", "jdk/internal/misc/Unsafe", "jdk/internal/misc/VM", "java/util/concurrent/locks/LockSupport":
		return true
	case "java/lang/Thread":
		return method != "start" && method != "setDaemon"
	case hierarchy.Object:
		return method != "wait" && method != "notify" && method != "notifyAll"
	}
	return method == "hashCode" || method == "equals" || method == "toString" || method == "getClass"
}

// raises computes what the closure of a method throws.
func (u *unit) raises(m *classfile.Method) *raising {
	if r := u.raised1[m]; r != nil {
		return r
	}
	r := &raising{}
	u.raised1[m] = r
	seen := map[*classfile.Method]bool{m: true}
	work := []*classfile.Method{m}
	var found list[string]
	for ; len(work) > 0; work = work[1:] {
		f := work[0]
		if f.Code == nil {
			r.any = true
			continue
		}
		if len(seen) > maxRaising {
			r.any = true
			break
		}
		code, err := f.Code.Decode()
		if err != nil {
			r.any = true
			return r
		}
		for k := range code {
			in := &code[k]
			switch in.Op {
			case classfile.New:
				if u.world.IsThrowable(in.Const.Text) {
					found.add(in.Const.Text)
				}
			case classfile.Invokedynamic:
				if !strings.HasPrefix(in.Const.Member.Name, "makeConcat") {
					r.any = true
				}
			case classfile.Invokevirtual, classfile.Invokeinterface, classfile.Invokestatic, classfile.Invokespecial:
				ref := in.Const.Member
				if strings.HasPrefix(ref.Owner, "[") || isQuiet(ref.Owner, ref.Name) || u.world.IsThrowable(ref.Owner) {
					continue
				}
				g := u.world.Method(ref.Owner, ref.Name, ref.Descriptor)
				virtual := in.Op == classfile.Invokevirtual || in.Op == classfile.Invokeinterface
				if g == nil || virtual && !isExact(u.world.Class(ref.Owner), g) {
					r.any = true
				}
				if g == nil {
					continue
				}
				if !seen[g] {
					seen[g] = true
					work = append(work, g)
				}
			}
		}
	}
	r.classes = found.all
	return r
}

// holds reports whether objects of the component have fields of a type that is not followed.
func (u *unit) holds(class string) bool {
	for _, d := range u.objects.all {
		c := u.world.Class(d)
		if c == nil || u.isThrowable(d) {
			continue
		}
		for k := range c.Fields {
			if t := c.Fields[k].Type; t.Reference() && !t.Array() && t.Class() == class {
				return true
			}
		}
	}
	return false
}
