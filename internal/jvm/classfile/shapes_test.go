// SPDX-License-Identifier: Apache-2.0

package classfile_test

import (
	"slices"
	"testing"

	"github.com/interlock-go/interlock/internal/jvm/classfile"
)

// TestShapes reads one class with every kind of attribute and compares what is known
// from its source.
func TestShapes(t *testing.T) {
	files := compiled(t)
	parse := func(name string) *classfile.Class {
		c, err := classfile.Parse(name+".class", files[name])
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := parse("Shapes")
	if c.Super != "java/lang/Object" || !slices.Equal(c.Interfaces, []string{"java/lang/Runnable"}) || c.Source != "Shapes.java" || c.Major != 61 {
		t.Errorf("%s extends %s, implements %v, of %s, version %d", c.Name, c.Super, c.Interfaces, c.Source, c.Major)
	}
	constants := map[string]any{"LIMIT": int64(70000), "WIDE": int64(1 << 40), "HALF": 0.5, "THIRD": float64(float32(1) / 3), "ODD": "a\x00é€😀\uFFFD"}
	for _, f := range c.Fields {
		want, ok := constants[f.Name]
		if !ok || f.Constant == nil {
			if ok {
				t.Errorf("%s has no constant", f.Name)
			}
			continue
		}
		delete(constants, f.Name)
		var got any = f.Constant.Int
		switch f.Constant.Tag {
		case classfile.TagDouble, classfile.TagFloat:
			got = f.Constant.Float
		case classfile.TagString:
			got = f.Constant.Text
		}
		if got != want {
			t.Errorf("%s is %v, want %v", f.Name, got, want)
		}
	}
	if len(constants) > 0 {
		t.Errorf("no fields %v", constants)
	}
	if p := parse("Shapes$Point"); !p.IsRecord || len(p.Record) != 2 || p.Record[1].Name != "y" || p.Record[1].Type.String() != "long" || p.NestHost != "Shapes" {
		t.Errorf("the record is %+v, host %s", p.Record, p.NestHost)
	}
	if s := parse("Shapes$Shape"); !slices.Equal(s.Permitted, []string{"Shapes$Circle", "Shapes$Square"}) || !s.Is(classfile.Interface) {
		t.Errorf("the sealed interface permits %v", s.Permitted)
	}
	if !slices.Contains(c.NestMembers, "Shapes$Color") || len(c.Inner) < 5 || c.Signature == "" {
		t.Errorf("nest %v, inner %v, signature %q", c.NestMembers, c.Inner, c.Signature)
	}
	if m := c.Method("far", "(CSZ)I"); m == nil || !m.Is(classfile.Native) || m.Code != nil {
		t.Errorf("far is %v", m)
	}
	testCode(t, c)
}

func testCode(t *testing.T, c *classfile.Class) {
	decode := func(name string) ([]classfile.Instr, *classfile.Code) {
		k := slices.IndexFunc(c.Methods, func(m *classfile.Method) bool { return m.Name == name })
		code, err := c.Methods[k].Code.Decode()
		if err != nil {
			t.Fatal(err)
		}
		return code, c.Methods[k].Code
	}
	code, _ := decode("choose")
	var table, lookup int
	for _, in := range code {
		switch in.Op {
		case classfile.Tableswitch:
			table++
		case classfile.Lookupswitch:
			if lookup++; len(in.Cases) == 2 && in.Cases[0].Key != -1000 && in.Cases[0].Key >= 0 && in.Cases[1].Key < in.Cases[0].Key {
				t.Errorf("keys %v", in.Cases)
			}
		}
	}
	if table < 1 || lookup < 2 {
		t.Errorf("%d tables and %d look-ups", table, lookup)
	}
	code, body := decode("manyLocals")
	wide := 0
	for _, in := range code {
		if in.Wide {
			wide++
		}
		if in.Op == classfile.Iinc && (in.Int != 1000 || body.Var(in.PC, in.Local) != "last") {
			t.Errorf("iinc of %s by %d", body.Var(in.PC, in.Local), in.Int)
		}
	}
	if wide == 0 {
		t.Error("no wide instruction")
	}
	_, body = decode("arithmetic")
	if len(body.Handlers) < 4 || !slices.ContainsFunc(body.Handlers, func(h classfile.Handler) bool { return h.Class == "" }) {
		t.Errorf("handlers %v", body.Handlers)
	}
	if m := body.Method; !slices.Equal(m.Throws, []string{"java/io/IOException"}) || m.Type.Slots() != 6 {
		t.Errorf("%v throws %v and takes %d locals", m, m.Throws, m.Type.Slots())
	}
}

func TestTypes(t *testing.T) {
	for text, want := range map[string]string{"I": "int", "[[J": "long[][]", "Ljava/util/Map$Entry;": "java.util.Map$Entry", "[Ljava/lang/String;": "java.lang.String[]"} {
		if got, ok := classfile.ParseType(text); !ok || got.String() != want {
			t.Errorf("%s is %v, want %s", text, got, want)
		}
	}
	for _, text := range []string{"", "V", "L;", "La", "[", "II", "La//b;", "La.b;", "X", "L[I;"} {
		if got, ok := classfile.ParseType(text); ok {
			t.Errorf("%q is taken for %v", text, got)
		}
	}
	for _, text := range []string{"", "()", "(V)V", "(I", "I", "()VV", "(I)"} {
		if got, ok := classfile.ParseDescriptor(text); ok {
			t.Errorf("%q is taken for %v", text, got)
		}
	}
}
