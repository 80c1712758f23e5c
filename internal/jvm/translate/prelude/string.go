// SPDX-License-Identifier: Apache-2.0

package prelude

// This file models strings. A string is Go text; what needs its 16-bit units is unknown in an analysis.

// A String is java.lang.String.
//
//java:class java/lang/String
type String struct{ text string }

var stringClass = &Class{"java.lang.String"}

func (s *String) class() *Class { return stringClass }

func (s *String) M_equals(o Object) (exc error, res bool) {
	t, ok := o.(*String)
	return nil, ok && s.text == t.text
}

func (s *String) M_hashCode() (exc error, res int32) { return nil, hashOfText(s.text) }

func (s *String) M_toString() (exc error, res *String) { return nil, s }

//java:virtual length:()I
func (s *String) M_length() (exc error, res int32) { return nil, unitCount(s.text) }

//java:virtual isEmpty:()Z
func (s *String) M_isEmpty() (exc error, res bool) { return nil, s.text == "" }

//java:virtual charAt:(I)C
func (s *String) M_charAt(i int32) (exc error, res uint16) {
	if i < 0 || i >= unitCount(s.text) {
		return newStringIndexOutOfBounds(), 0
	}
	return nil, unitAt(s.text, i)
}

//java:virtual concat:(Ljava/lang/String;)Ljava/lang/String;
func (s *String) M_concat(t *String) (exc error, res *String) {
	if t == nil {
		return newNullPointer(), nil
	}
	return nil, &String{text: s.text + t.text}
}

//java:virtual intern:()Ljava/lang/String;
func (s *String) M_intern() (exc error, res *String) { return nil, intern(s) }

//java:new java/lang/String:(Ljava/lang/String;)V
func newString(s *String) (exc error, res *String) {
	if s == nil {
		return newNullPointer(), nil
	}
	return nil, &String{text: s.text}
}

//java:new java/lang/String:()V
func newEmptyString() (exc error, res *String) { return nil, &String{} }

// sameText compares strings that are not null.
func sameText(s, t *String) bool { return s == t || s.text == t.text }

//analysis:return nil, &String{text: someText()}
//java:static java/lang/String.valueOf:(Ljava/lang/Object;)Ljava/lang/String;
func valueOfObject(o Object) (exc error, res *String) {
	if o == nil {
		return nil, &String{text: "null"}
	}
	return o.M_toString()
}

//java:static java/lang/String.valueOf:(I)Ljava/lang/String;
func valueOfInt(v int32) (exc error, res *String) { return nil, &String{text: textOfInt(int64(v))} }

//java:static java/lang/String.valueOf:(J)Ljava/lang/String;
func valueOfLong(v int64) (exc error, res *String) { return nil, &String{text: textOfInt(v)} }

//java:static java/lang/String.valueOf:(C)Ljava/lang/String;
func valueOfChar(v uint16) (exc error, res *String) { return nil, &String{text: textOfUnit(v)} }

//java:static java/lang/String.valueOf:(Z)Ljava/lang/String;
func valueOfBool(v bool) (exc error, res *String) { return nil, &String{text: textOfBool(v)} }

func textOfBool(b bool) string {
	if b {
		return "true"
	}
	return "false"
}

func textOfString(s *String) string {
	if s == nil {
		return "null"
	}
	return s.text
}

// textOfObject is what an object adds to a concatenation.
//
//analysis:return nil, someText()
func textOfObject(o Object) (exc error, res string) {
	if o == nil {
		return nil, "null"
	}
	exc, s := o.M_toString()
	if exc != nil {
		return exc, ""
	}
	return nil, textOfString(s)
}

// A StringBuilder is java.lang.StringBuilder.
//
//java:class java/lang/StringBuilder
type StringBuilder struct{ text string }

var stringBuilderClass = &Class{"java.lang.StringBuilder"}

func (b *StringBuilder) class() *Class { return stringBuilderClass }

func (b *StringBuilder) M_equals(o Object) (exc error, res bool) { return nil, Object(b) == o }

func (b *StringBuilder) M_hashCode() (exc error, res int32) { return nil, identityHash(b) }

func (b *StringBuilder) M_toString() (exc error, res *String) { return nil, &String{text: b.text} }

func (b *StringBuilder) M_length() (exc error, res int32) { return nil, unitCount(b.text) }

//java:new java/lang/StringBuilder:()V
func newBuilder() (exc error, res *StringBuilder) { return nil, &StringBuilder{} }

//java:new java/lang/StringBuilder:(I)V
func newBuilderOfSize(n int32) (exc error, res *StringBuilder) {
	if n < 0 {
		return newNegativeArraySize(), nil
	}
	return nil, &StringBuilder{}
}

//java:new java/lang/StringBuilder:(Ljava/lang/String;)V
func newBuilderOf(s *String) (exc error, res *StringBuilder) {
	if s == nil {
		return newNullPointer(), nil
	}
	return nil, &StringBuilder{text: s.text}
}

//java:virtual append:(Ljava/lang/String;)Ljava/lang/StringBuilder;
func (b *StringBuilder) M_append_String(s *String) (exc error, res *StringBuilder) {
	b.text += textOfString(s)
	return nil, b
}

//java:virtual append:(Ljava/lang/Object;)Ljava/lang/StringBuilder;
func (b *StringBuilder) M_append_Object(o Object) (exc error, res *StringBuilder) {
	exc, s := textOfObject(o)
	if exc != nil {
		return exc, nil
	}
	b.text += s
	return nil, b
}

//java:virtual append:(I)Ljava/lang/StringBuilder;
func (b *StringBuilder) M_append_int(v int32) (exc error, res *StringBuilder) {
	b.text += textOfInt(int64(v))
	return nil, b
}

//java:virtual append:(J)Ljava/lang/StringBuilder;
func (b *StringBuilder) M_append_long(v int64) (exc error, res *StringBuilder) {
	b.text += textOfInt(v)
	return nil, b
}

//java:virtual append:(C)Ljava/lang/StringBuilder;
func (b *StringBuilder) M_append_char(v uint16) (exc error, res *StringBuilder) {
	b.text += textOfUnit(v)
	return nil, b
}

//java:virtual append:(Z)Ljava/lang/StringBuilder;
func (b *StringBuilder) M_append_boolean(v bool) (exc error, res *StringBuilder) {
	b.text += textOfBool(v)
	return nil, b
}
