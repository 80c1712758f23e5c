// SPDX-License-Identifier: Apache-2.0

package typestate

// This file reads and writes interface files. Writing lays out JSON by hand,
// one element of a list per line, because files are compared with line-based
// tools. Reading checks the shape of the text against the types before it
// decodes: package encoding/json takes a missing field for zero, a null for an
// empty list, "STATE" for "state" and the last of two equal keys, and here each
// of these could turn a forbidden call into an allowed one.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// Write writes the canonical form of i as an interface file: equal interfaces
// give equal bytes. It fails if i is not valid or w fails.
func Write(w io.Writer, i *Interface) error {
	c := i.Clone()
	if err := c.Canonicalize(); err != nil {
		return fmt.Errorf("interface of %s: %w", i.Component.Name, err)
	}
	if err := c.Validate(); err != nil {
		return fmt.Errorf("interface of %s: %w", i.Component.Name, err)
	}
	var b bytes.Buffer
	layOut(&b, reflect.ValueOf(*c), "")
	b.WriteByte('\n')
	_, err := w.Write(b.Bytes())
	return err
}

// layOut writes a struct with one field per line. A list in it has one element
// per line; a struct behind a pointer is laid out in turn; all else is compact.
func layOut(b *bytes.Buffer, v reflect.Value, indent string) {
	b.WriteString("{")
	sep := "\n"
	for k := range v.NumField() {
		field := v.Type().Field(k)
		f := v.Field(k)
		if strings.HasSuffix(field.Tag.Get("json"), ",omitempty") && f.IsZero() {
			continue
		}
		fmt.Fprintf(b, "%s%s  %q: ", sep, indent, jsonName(field))
		sep = ",\n"
		switch {
		case f.Kind() == reflect.Slice && f.Len() > 0:
			for n := range f.Len() {
				b.WriteString([]string{"[\n", ",\n"}[min(n, 1)])
				fmt.Fprintf(b, "%s    ", indent)
				compact(b, f.Index(n).Interface())
			}
			fmt.Fprintf(b, "\n%s  ]", indent)
		case f.Kind() == reflect.Slice:
			b.WriteString("[]")
		case f.Kind() == reflect.Pointer && f.Elem().Kind() == reflect.Struct:
			layOut(b, f.Elem(), indent+"  ")
		default:
			compact(b, f.Interface())
		}
	}
	fmt.Fprintf(b, "\n%s}", indent)
}

// compact writes v on one line with a space after each comma and colon.
func compact(b *bytes.Buffer, v any) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false) // guards are full of < and &
	if err := enc.Encode(v); err != nil {
		panic(err) // the types of this package always encode
	}
	quoted, escaped := false, false
	for _, c := range bytes.TrimSuffix(text.Bytes(), []byte("\n")) {
		b.WriteByte(c)
		switch {
		case escaped:
			escaped = false
		case c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ',' || c == ':'):
			b.WriteByte(' ')
		}
	}
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// Read reads an interface file. It is strict: fields that are missing, unknown
// or given twice are errors, and so is everything that [Interface.Validate]
// reports. A file need not be in canonical form to be read; see
// [Interface.Canonical].
func Read(r io.Reader) (*Interface, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	// The version is looked at before anything else: a file of another version
	// is right to have other fields.
	var header map[string]json.RawMessage
	if err := json.Unmarshal(text, &header); err != nil {
		return nil, syntaxError(text, err)
	}
	format, ok := header["format"]
	if !ok {
		return nil, errors.New(`not an interface file: it has no field "format"`)
	}
	if want := `"` + Format + `"`; string(format) != want {
		return nil, fmt.Errorf("interface file has format %s, but this version reads only %s: write it again with the same version of the tool that reads it", format, want)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := checkShape(d, reflect.TypeFor[Interface](), ""); err != nil {
		return nil, fmt.Errorf("line %d: %w", line(text, d.InputOffset()), err)
	}
	i := new(Interface)
	if err := json.Unmarshal(text, i); err != nil {
		return nil, syntaxError(text, err)
	}
	if err := i.Validate(); err != nil {
		return nil, err
	}
	i.countOpen() // also if the file does not say it
	return i, nil
}

// syntaxError adds the line to an error of encoding/json.
func syntaxError(text []byte, err error) error {
	var syntax *json.SyntaxError
	var mistyped *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("line %d: not an interface file: %w", line(text, syntax.Offset), err)
	case errors.As(err, &mistyped):
		return fmt.Errorf("line %d: not an interface file: %w", line(text, mistyped.Offset), err)
	}
	return fmt.Errorf("not an interface file: %w", err)
}

// line returns the line of a byte offset, counted from 1.
func line(text []byte, offset int64) int {
	return 1 + bytes.Count(text[:min(max(offset, 0), int64(len(text)))], []byte("\n"))
}

// checkShape reads one JSON value and checks that it has the shape of type t:
// objects have exactly the fields of the struct, except those with omitempty,
// which may be missing; null stands only for a nil pointer.
func checkShape(d *json.Decoder, t reflect.Type, path string) error {
	tok, err := d.Token()
	if err != nil {
		return err
	}
	return checkValue(d, tok, t, path)
}

func checkValue(d *json.Decoder, tok json.Token, t reflect.Type, path string) error {
	mistyped := func(want string) error {
		return fmt.Errorf("%s: want %s", strings.TrimPrefix(path, "."), want)
	}
	switch t.Kind() {
	case reflect.Pointer:
		if tok == nil {
			return nil
		}
		return checkValue(d, tok, t.Elem(), path)
	case reflect.Struct, reflect.Map:
		if tok != json.Delim('{') {
			return mistyped("an object")
		}
		return checkObject(d, t, path)
	case reflect.Slice:
		if tok != json.Delim('[') {
			return mistyped("a list")
		}
		for n := 0; d.More(); n++ {
			if err := checkShape(d, t.Elem(), fmt.Sprintf("%s[%d]", path, n)); err != nil {
				return err
			}
		}
		_, err := d.Token()
		return err
	case reflect.String:
		if _, ok := tok.(string); !ok {
			return mistyped("a string")
		}
	case reflect.Bool:
		if _, ok := tok.(bool); !ok {
			return mistyped("true or false")
		}
	default:
		if _, ok := tok.(json.Number); !ok {
			return mistyped("a number")
		}
	}
	return nil
}

// checkObject checks the rest of an object after its opening brace.
func checkObject(d *json.Decoder, t reflect.Type, path string) error {
	where := strings.TrimPrefix(path, ".")
	if where != "" {
		where += ": "
	}
	seen := map[string]bool{}
	for d.More() {
		tok, err := d.Token()
		if err != nil {
			return err
		}
		key := tok.(string)
		if seen[key] {
			return fmt.Errorf("%sfield %q is given twice", where, key)
		}
		seen[key] = true
		var elem reflect.Type
		if t.Kind() == reflect.Map {
			elem = t.Elem()
		} else {
			for k := range t.NumField() {
				if jsonName(t.Field(k)) == key && key != "-" {
					elem = t.Field(k).Type
				}
			}
			if elem == nil {
				return fmt.Errorf("%sunknown field %q", where, key)
			}
		}
		if err := checkShape(d, elem, path+"."+key); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return err
	}
	if t.Kind() == reflect.Map {
		return nil
	}
	for k := range t.NumField() {
		f := t.Field(k)
		if tag := f.Tag.Get("json"); tag != "-" && !strings.HasSuffix(tag, ",omitempty") && !seen[jsonName(f)] {
			return fmt.Errorf("%smissing field %q", where, jsonName(f))
		}
	}
	return nil
}
