// SPDX-License-Identifier: Apache-2.0

package golang

// This file writes makers as Go statements, for whoever wants to make the object
// that an interface is of: a test that runs the type. Parameters of the constructor
// stand in them by name. A function of the package and the zero value need none;
// a place where the package allocates the type has none.

import (
	"fmt"
	"go/constant"
	"go/types"
	"regexp"
	"strings"

	"github.com/interlock-go/interlock/typestate"
)

// made is how a constructor makes the object.
type made struct {
	code   string // statements
	object string // the name of the object in them
}

// Made says in an interface how its constructors make the object, where their
// names alone do not.
func (r *Result) Made(i *typestate.Interface) {
	for k := range i.Constructors {
		c := &i.Constructors[k]
		c.Code, c.Object = r.made[c.Method].code, r.made[c.Method].object
	}
	for k := range i.Calls {
		c := &i.Calls[k]
		var named []typestate.Register
		for _, part := range c.Returns {
			if is, ok := r.returned[c.Method][unnumbered.ReplaceAllString(part.Name, "")]; ok {
				named = append(named, is)
			}
		}
		if len(named) < len(c.Returns) {
			named = nil // names of the program say nothing to readers
		}
		c.Returns = named
	}
}

// unnumbered is what the program adds to a name that is taken.
var unnumbered = regexp.MustCompile(`·\d+$`)

// says notes what a result of a program is in the code.
func (c *compiler) says(method, result string, v *types.Var) {
	name := v.Name()
	if name == "" {
		name = "_"
	}
	if c.resultsOf[method] == nil {
		c.resultsOf[method] = map[string]typestate.Register{}
	}
	c.resultsOf[method][result] = typestate.Register{Name: name, Type: types.TypeString(v.Type(), types.RelativeTo(c.l.pkg.Pkg))}
}

// codeOf writes the statements of makers, by name.
func (c *compiler) codeOf(makers []maker) map[string]made {
	out := map[string]made{}
	for i := range makers {
		k := &makers[i]
		plain := len(k.steps) == 0 && len(k.objects) == 1 && len(k.objects[0].fields) == 0 && !k.objects[0].converted ||
			len(k.steps) == 1 && k.steps[0].recv < 0 && k.steps[0].fn != nil && packageOf(k.steps[0].fn) == c.l.pkg.Pkg && k.name == c.functionName(k.steps[0].fn)
		if k.takes < 0 || k.site != nil || plain && len(c.others) == 0 && c.named.Obj().Exported() {
			continue
		}
		out[k.name] = c.code(k)
	}
	return out
}

func (c *compiler) code(k *maker) made {
	taken := map[string]bool{}
	for _, s := range k.steps {
		for _, a := range s.args {
			taken[a.name] = true
		}
	}
	for _, o := range k.objects {
		taken[o.name] = true
		for _, f := range o.fields {
			taken[f] = true
		}
		taken["x"] = taken["x"] || o.converted
	}
	names := make([]string, len(k.objects))
	for n, o := range k.objects {
		names[n] = o.name
	}
	for _, q := range c.others {
		if n := c.bound(k, q.name, q.method); n >= 0 && names[n] == "" {
			names[n] = q.name
			taken[q.name] = true
		}
	}
	name := func(n int) string {
		for t := 0; names[n] == ""; t++ {
			try := "o"
			if named, ok := types.Unalias(k.objects[n].typ).(*types.Named); ok {
				try = strings.ToLower(named.Obj().Name()[:1])
			} else if named, ok := deref(k.objects[n].typ).(*types.Named); ok {
				try = strings.ToLower(named.Obj().Name()[:1])
			}
			if t > 0 {
				try = fmt.Sprint(try, t+1)
			}
			if !taken[try] {
				names[n], taken[try] = try, true
			}
		}
		return names[n]
	}
	needed := map[int]bool{k.takes: true}
	for _, s := range k.steps {
		needed[s.recv] = true
		for _, a := range s.args {
			needed[a.object] = true
		}
	}
	var list []string
	for n, o := range k.objects {
		if !o.variable {
			continue
		}
		text := c.typeCode(o.typ)
		switch {
		case o.converted:
			list = append(list, name(n)+" := "+text+"(x)")
		case len(o.fields) > 0:
			var fields []string
			for _, f := range o.fields {
				fields = append(fields, f+": "+f)
			}
			list = append(list, name(n)+" := "+text+"{"+strings.Join(fields, ", ")+"}")
		default:
			list = append(list, "var "+name(n)+" "+text)
		}
	}
	for _, s := range k.steps {
		var left, args []string
		some := false
		for n := s.out; n < s.out+s.n; n++ {
			switch {
			case names[n] != "" || needed[n]:
				left, some = append(left, name(n)), true
			case isErrorType(k.objects[n].typ) && !taken["err"]:
				left, some = append(left, "err"), true
			default:
				left = append(left, "_")
			}
		}
		for _, a := range s.args {
			switch {
			case a.leftOut:
			case a.object >= 0 && k.objects[a.object].variable:
				args = append(args, "&"+name(a.object))
			case a.object >= 0:
				args = append(args, name(a.object))
			case a.value != nil && a.value.Value == nil:
				args = append(args, "nil")
			case a.value != nil && a.value.Value.Kind() == constant.String:
				args = append(args, a.value.Value.ExactString())
			case a.value != nil:
				args = append(args, a.value.Value.String())
			default:
				args = append(args, a.name)
			}
		}
		call := ""
		switch {
		case s.recv >= 0:
			call = name(s.recv) + "." + s.name
		default:
			call = c.functionName(s.fn)
			if t := s.fn.TypeArgs(); len(t) > 0 {
				var texts []string
				for _, a := range t {
					texts = append(texts, c.typeCode(a))
				}
				call += "[" + strings.Join(texts, ", ") + "]"
			}
		}
		call += "(" + strings.Join(args, ", ") + ")"
		if some {
			call = strings.Join(left, ", ") + " := " + call
		}
		list = append(list, call)
	}
	return made{strings.Join(list, "; "), name(k.takes)}
}

// typeCode writes a type with the names of packages.
func (c *compiler) typeCode(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string { return p.Name() })
}
