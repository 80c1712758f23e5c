// SPDX-License-Identifier: Apache-2.0

package prelude

// This file models boxes. That two boxes of one value may be one object is said by sameBox.

// The two boxes that Boolean.valueOf gives.
var (
	//java:field java/lang/Boolean.TRUE
	boxTrue = &Boolean{v: true}
	//java:field java/lang/Boolean.FALSE
	boxFalse = &Boolean{}
)

// A Integer is java.lang.Integer.
//
//java:class java/lang/Integer
type Integer struct{ v int32 }

var integerClass = &Class{"java.lang.Integer"}

func (b *Integer) class() *Class { return integerClass }

func (b *Integer) M_equals(o Object) (exc error, res bool) {
	x, ok := o.(*Integer)
	return nil, ok && x.v == b.v
}

func (b *Integer) M_hashCode() (exc error, res int32) { return nil, b.v }

func (b *Integer) M_toString() (exc error, res *String) {
	return nil, &String{text: textOfInt(int64(b.v))}
}

//java:static java/lang/Integer.valueOf:(I)Ljava/lang/Integer;
func boxInteger(v int32) (exc error, res *Integer) { return nil, &Integer{v: v} }

//java:virtual intValue:()I
func (b *Integer) M_intValue() (exc error, res int32) { return nil, b.v }

//java:virtual longValue:()J
func (b *Integer) M_longValue() (exc error, res int64) { return nil, int64(b.v) }

//java:virtual shortValue:()S
func (b *Integer) M_shortValue() (exc error, res int16) { return nil, int16(b.v) }

//java:virtual byteValue:()B
func (b *Integer) M_byteValue() (exc error, res int8) { return nil, int8(b.v) }

//java:virtual floatValue:()F
func (b *Integer) M_floatValue() (exc error, res float32) { return nil, float32(b.v) }

//java:virtual doubleValue:()D
func (b *Integer) M_doubleValue() (exc error, res float64) { return nil, float64(b.v) }

// A Long is java.lang.Long.
//
//java:class java/lang/Long
type Long struct{ v int64 }

var longClass = &Class{"java.lang.Long"}

func (b *Long) class() *Class { return longClass }

func (b *Long) M_equals(o Object) (exc error, res bool) {
	x, ok := o.(*Long)
	return nil, ok && x.v == b.v
}

func (b *Long) M_hashCode() (exc error, res int32) { return nil, int32(b.v ^ int64(uint64(b.v)>>32)) }

func (b *Long) M_toString() (exc error, res *String) { return nil, &String{text: textOfInt(b.v)} }

//java:static java/lang/Long.valueOf:(J)Ljava/lang/Long;
func boxLong(v int64) (exc error, res *Long) { return nil, &Long{v: v} }

//java:virtual intValue:()I
func (b *Long) M_intValue() (exc error, res int32) { return nil, int32(b.v) }

//java:virtual longValue:()J
func (b *Long) M_longValue() (exc error, res int64) { return nil, b.v }

//java:virtual shortValue:()S
func (b *Long) M_shortValue() (exc error, res int16) { return nil, int16(b.v) }

//java:virtual byteValue:()B
func (b *Long) M_byteValue() (exc error, res int8) { return nil, int8(b.v) }

//java:virtual floatValue:()F
func (b *Long) M_floatValue() (exc error, res float32) { return nil, float32(b.v) }

//java:virtual doubleValue:()D
func (b *Long) M_doubleValue() (exc error, res float64) { return nil, float64(b.v) }

// A Short is java.lang.Short.
//
//java:class java/lang/Short
type Short struct{ v int16 }

var shortClass = &Class{"java.lang.Short"}

func (b *Short) class() *Class { return shortClass }

func (b *Short) M_equals(o Object) (exc error, res bool) {
	x, ok := o.(*Short)
	return nil, ok && x.v == b.v
}

func (b *Short) M_hashCode() (exc error, res int32) { return nil, int32(b.v) }

func (b *Short) M_toString() (exc error, res *String) {
	return nil, &String{text: textOfInt(int64(b.v))}
}

//java:static java/lang/Short.valueOf:(S)Ljava/lang/Short;
func boxShort(v int16) (exc error, res *Short) { return nil, &Short{v: v} }

//java:virtual intValue:()I
func (b *Short) M_intValue() (exc error, res int32) { return nil, int32(b.v) }

//java:virtual longValue:()J
func (b *Short) M_longValue() (exc error, res int64) { return nil, int64(b.v) }

//java:virtual shortValue:()S
func (b *Short) M_shortValue() (exc error, res int16) { return nil, b.v }

//java:virtual byteValue:()B
func (b *Short) M_byteValue() (exc error, res int8) { return nil, int8(b.v) }

//java:virtual floatValue:()F
func (b *Short) M_floatValue() (exc error, res float32) { return nil, float32(b.v) }

//java:virtual doubleValue:()D
func (b *Short) M_doubleValue() (exc error, res float64) { return nil, float64(b.v) }

// A Byte is java.lang.Byte.
//
//java:class java/lang/Byte
type Byte struct{ v int8 }

var byteClass = &Class{"java.lang.Byte"}

func (b *Byte) class() *Class { return byteClass }

func (b *Byte) M_equals(o Object) (exc error, res bool) {
	x, ok := o.(*Byte)
	return nil, ok && x.v == b.v
}

func (b *Byte) M_hashCode() (exc error, res int32) { return nil, int32(b.v) }

func (b *Byte) M_toString() (exc error, res *String) {
	return nil, &String{text: textOfInt(int64(b.v))}
}

//java:static java/lang/Byte.valueOf:(B)Ljava/lang/Byte;
func boxByte(v int8) (exc error, res *Byte) { return nil, &Byte{v: v} }

//java:virtual intValue:()I
func (b *Byte) M_intValue() (exc error, res int32) { return nil, int32(b.v) }

//java:virtual longValue:()J
func (b *Byte) M_longValue() (exc error, res int64) { return nil, int64(b.v) }

//java:virtual shortValue:()S
func (b *Byte) M_shortValue() (exc error, res int16) { return nil, int16(b.v) }

//java:virtual byteValue:()B
func (b *Byte) M_byteValue() (exc error, res int8) { return nil, b.v }

//java:virtual floatValue:()F
func (b *Byte) M_floatValue() (exc error, res float32) { return nil, float32(b.v) }

//java:virtual doubleValue:()D
func (b *Byte) M_doubleValue() (exc error, res float64) { return nil, float64(b.v) }

// A Character is java.lang.Character.
//
//java:class java/lang/Character
type Character struct{ v uint16 }

var characterClass = &Class{"java.lang.Character"}

func (b *Character) class() *Class { return characterClass }

func (b *Character) M_equals(o Object) (exc error, res bool) {
	x, ok := o.(*Character)
	return nil, ok && x.v == b.v
}

func (b *Character) M_hashCode() (exc error, res int32) { return nil, int32(b.v) }

func (b *Character) M_toString() (exc error, res *String) { return nil, &String{text: textOfUnit(b.v)} }

//java:static java/lang/Character.valueOf:(C)Ljava/lang/Character;
func boxCharacter(v uint16) (exc error, res *Character) { return nil, &Character{v: v} }

//java:virtual charValue:()C
func (b *Character) M_charValue() (exc error, res uint16) { return nil, b.v }

// A Boolean is java.lang.Boolean.
//
//java:class java/lang/Boolean
type Boolean struct{ v bool }

var booleanClass = &Class{"java.lang.Boolean"}

func (b *Boolean) class() *Class { return booleanClass }

func (b *Boolean) M_equals(o Object) (exc error, res bool) {
	x, ok := o.(*Boolean)
	return nil, ok && x.v == b.v
}

func (b *Boolean) M_hashCode() (exc error, res int32) {
	if b.v {
		return nil, 1231
	}
	return nil, 1237
}

func (b *Boolean) M_toString() (exc error, res *String) { return nil, &String{text: textOfBool(b.v)} }

//java:static java/lang/Boolean.valueOf:(Z)Ljava/lang/Boolean;
func valueOfBoolean(v bool) (exc error, res *Boolean) {
	if v {
		return nil, boxTrue
	}
	return nil, boxFalse
}

//java:virtual booleanValue:()Z
func (b *Boolean) M_booleanValue() (exc error, res bool) { return nil, b.v }

// A Float is java.lang.Float.
//
//java:class java/lang/Float
type Float struct{ v float32 }

var floatClass = &Class{"java.lang.Float"}

func (b *Float) class() *Class { return floatClass }

func (b *Float) M_equals(o Object) (exc error, res bool) {
	x, ok := o.(*Float)
	return nil, ok && (x.v == b.v && b.v != 0 || bitsOfFloat(x.v) == bitsOfFloat(b.v))
}

func (b *Float) M_hashCode() (exc error, res int32) { return nil, bitsOfFloat(b.v) }

func (b *Float) M_toString() (exc error, res *String) { return nil, &String{text: textOfFloat(b.v)} }

//java:static java/lang/Float.valueOf:(F)Ljava/lang/Float;
func boxFloat(v float32) (exc error, res *Float) { return nil, &Float{v: v} }

//java:virtual intValue:()I
func (b *Float) M_intValue() (exc error, res int32) { return nil, toInt(float64(b.v)) }

//java:virtual longValue:()J
func (b *Float) M_longValue() (exc error, res int64) { return nil, toLong(float64(b.v)) }

//java:virtual shortValue:()S
func (b *Float) M_shortValue() (exc error, res int16) { return nil, int16(toInt(float64(b.v))) }

//java:virtual byteValue:()B
func (b *Float) M_byteValue() (exc error, res int8) { return nil, int8(toInt(float64(b.v))) }

//java:virtual floatValue:()F
func (b *Float) M_floatValue() (exc error, res float32) { return nil, b.v }

//java:virtual doubleValue:()D
func (b *Float) M_doubleValue() (exc error, res float64) { return nil, float64(b.v) }

// A Double is java.lang.Double.
//
//java:class java/lang/Double
type Double struct{ v float64 }

var doubleClass = &Class{"java.lang.Double"}

func (b *Double) class() *Class { return doubleClass }

func (b *Double) M_equals(o Object) (exc error, res bool) {
	x, ok := o.(*Double)
	return nil, ok && (x.v == b.v && b.v != 0 || bitsOfDouble(x.v) == bitsOfDouble(b.v))
}

func (b *Double) M_hashCode() (exc error, res int32) {
	return nil, int32(bitsOfDouble(b.v) ^ int64(uint64(bitsOfDouble(b.v))>>32))
}

func (b *Double) M_toString() (exc error, res *String) { return nil, &String{text: textOfDouble(b.v)} }

//java:static java/lang/Double.valueOf:(D)Ljava/lang/Double;
func boxDouble(v float64) (exc error, res *Double) { return nil, &Double{v: v} }

//java:virtual intValue:()I
func (b *Double) M_intValue() (exc error, res int32) { return nil, toInt(float64(b.v)) }

//java:virtual longValue:()J
func (b *Double) M_longValue() (exc error, res int64) { return nil, toLong(float64(b.v)) }

//java:virtual shortValue:()S
func (b *Double) M_shortValue() (exc error, res int16) { return nil, int16(toInt(float64(b.v))) }

//java:virtual byteValue:()B
func (b *Double) M_byteValue() (exc error, res int8) { return nil, int8(toInt(float64(b.v))) }

//java:virtual floatValue:()F
func (b *Double) M_floatValue() (exc error, res float32) { return nil, float32(b.v) }

//java:virtual doubleValue:()D
func (b *Double) M_doubleValue() (exc error, res float64) { return nil, b.v }

// The static methods that compare and hash numbers.

//java:static java/lang/Integer.hashCode:(I)I
func hashOfInteger(v int32) (exc error, res int32) { return (&Integer{v: v}).M_hashCode() }

//java:static java/lang/Long.hashCode:(J)I
func hashOfLong(v int64) (exc error, res int32) { return (&Long{v: v}).M_hashCode() }

//java:static java/lang/Short.hashCode:(S)I
func hashOfShort(v int16) (exc error, res int32) { return (&Short{v: v}).M_hashCode() }

//java:static java/lang/Byte.hashCode:(B)I
func hashOfByte(v int8) (exc error, res int32) { return (&Byte{v: v}).M_hashCode() }

//java:static java/lang/Character.hashCode:(C)I
func hashOfCharacter(v uint16) (exc error, res int32) { return (&Character{v: v}).M_hashCode() }

//java:static java/lang/Boolean.hashCode:(Z)I
func hashOfBoolean(v bool) (exc error, res int32) { return (&Boolean{v: v}).M_hashCode() }

//java:static java/lang/Float.hashCode:(F)I
func hashOfFloat(v float32) (exc error, res int32) { return (&Float{v: v}).M_hashCode() }

//java:static java/lang/Double.hashCode:(D)I
func hashOfDouble(v float64) (exc error, res int32) { return (&Double{v: v}).M_hashCode() }

//java:static java/lang/Integer.compare:(II)I
func compareInteger(a, b int32) (exc error, res int32) { return nil, compareLongs(int64(a), int64(b)) }

//java:static java/lang/Long.compare:(JJ)I
func compareLong(a, b int64) (exc error, res int32) { return nil, compareLongs(int64(a), int64(b)) }

//java:static java/lang/Short.compare:(SS)I
func compareShort(a, b int16) (exc error, res int32) { return nil, int32(a) - int32(b) }

//java:static java/lang/Byte.compare:(BB)I
func compareByte(a, b int8) (exc error, res int32) { return nil, int32(a) - int32(b) }

//java:static java/lang/Character.compare:(CC)I
func compareCharacter(a, b uint16) (exc error, res int32) { return nil, int32(a) - int32(b) }

//java:static java/lang/Boolean.compare:(ZZ)I
func compareBoolean(a, b bool) (exc error, res int32) { return nil, bitOf(a) - bitOf(b) }

//java:static java/lang/Float.compare:(FF)I
func compareFloat(a, b float32) (exc error, res int32) {
	if a < b {
		return nil, -1
	}
	if a > b {
		return nil, 1
	}
	return nil, compareLongs(int64(bitsOfFloat(a)), int64(bitsOfFloat(b)))
}

//java:static java/lang/Double.compare:(DD)I
func compareDouble(a, b float64) (exc error, res int32) {
	if a < b {
		return nil, -1
	}
	if a > b {
		return nil, 1
	}
	return nil, compareLongs(int64(bitsOfDouble(a)), int64(bitsOfDouble(b)))
}

//java:static java/lang/Float.floatToRawIntBits:(F)I
func rawBitsOfFloat(v float32) (exc error, res int32) { return nil, bitsOfFloat(v) }

//java:static java/lang/Float.floatToIntBits:(F)I
func intBitsOfFloat(v float32) (exc error, res int32) { return nil, bitsOfFloat(v) }

//java:static java/lang/Double.doubleToRawLongBits:(D)J
func rawBitsOfDouble(v float64) (exc error, res int64) { return nil, bitsOfDouble(v) }

//java:static java/lang/Double.doubleToLongBits:(D)J
func longBitsOfDouble(v float64) (exc error, res int64) { return nil, bitsOfDouble(v) }

//java:virtual compareTo:(Ljava/lang/Integer;)I
func (b *Integer) M_compareTo_Integer(o *Integer) (exc error, res int32) {
	if o == nil {
		return newNullPointer(), 0
	}
	return compareInteger(b.v, o.v)
}

//java:virtual compareTo:(Ljava/lang/Object;)I
func (b *Integer) M_compareTo(o Object) (exc error, res int32) {
	if o == nil {
		return newNullPointer(), 0
	}
	x, ok := o.(*Integer)
	if !ok {
		return newClassCast(), 0
	}
	return compareInteger(b.v, x.v)
}

//java:virtual compareTo:(Ljava/lang/Long;)I
func (b *Long) M_compareTo_Long(o *Long) (exc error, res int32) {
	if o == nil {
		return newNullPointer(), 0
	}
	return compareLong(b.v, o.v)
}

//java:virtual compareTo:(Ljava/lang/Object;)I
func (b *Long) M_compareTo(o Object) (exc error, res int32) {
	if o == nil {
		return newNullPointer(), 0
	}
	x, ok := o.(*Long)
	if !ok {
		return newClassCast(), 0
	}
	return compareLong(b.v, x.v)
}

//java:virtual compareTo:(Ljava/lang/Short;)I
func (b *Short) M_compareTo_Short(o *Short) (exc error, res int32) {
	if o == nil {
		return newNullPointer(), 0
	}
	return compareShort(b.v, o.v)
}

//java:virtual compareTo:(Ljava/lang/Object;)I
func (b *Short) M_compareTo(o Object) (exc error, res int32) {
	if o == nil {
		return newNullPointer(), 0
	}
	x, ok := o.(*Short)
	if !ok {
		return newClassCast(), 0
	}
	return compareShort(b.v, x.v)
}

//java:virtual compareTo:(Ljava/lang/Byte;)I
func (b *Byte) M_compareTo_Byte(o *Byte) (exc error, res int32) {
	if o == nil {
		return newNullPointer(), 0
	}
	return compareByte(b.v, o.v)
}

//java:virtual compareTo:(Ljava/lang/Object;)I
func (b *Byte) M_compareTo(o Object) (exc error, res int32) {
	if o == nil {
		return newNullPointer(), 0
	}
	x, ok := o.(*Byte)
	if !ok {
		return newClassCast(), 0
	}
	return compareByte(b.v, x.v)
}

//java:virtual compareTo:(Ljava/lang/Character;)I
func (b *Character) M_compareTo_Character(o *Character) (exc error, res int32) {
	if o == nil {
		return newNullPointer(), 0
	}
	return compareCharacter(b.v, o.v)
}

//java:virtual compareTo:(Ljava/lang/Object;)I
func (b *Character) M_compareTo(o Object) (exc error, res int32) {
	if o == nil {
		return newNullPointer(), 0
	}
	x, ok := o.(*Character)
	if !ok {
		return newClassCast(), 0
	}
	return compareCharacter(b.v, x.v)
}

//java:virtual compareTo:(Ljava/lang/Boolean;)I
func (b *Boolean) M_compareTo_Boolean(o *Boolean) (exc error, res int32) {
	if o == nil {
		return newNullPointer(), 0
	}
	return compareBoolean(b.v, o.v)
}

//java:virtual compareTo:(Ljava/lang/Object;)I
func (b *Boolean) M_compareTo(o Object) (exc error, res int32) {
	if o == nil {
		return newNullPointer(), 0
	}
	x, ok := o.(*Boolean)
	if !ok {
		return newClassCast(), 0
	}
	return compareBoolean(b.v, x.v)
}

//java:virtual compareTo:(Ljava/lang/Float;)I
func (b *Float) M_compareTo_Float(o *Float) (exc error, res int32) {
	if o == nil {
		return newNullPointer(), 0
	}
	return compareFloat(b.v, o.v)
}

//java:virtual compareTo:(Ljava/lang/Object;)I
func (b *Float) M_compareTo(o Object) (exc error, res int32) {
	if o == nil {
		return newNullPointer(), 0
	}
	x, ok := o.(*Float)
	if !ok {
		return newClassCast(), 0
	}
	return compareFloat(b.v, x.v)
}

//java:virtual compareTo:(Ljava/lang/Double;)I
func (b *Double) M_compareTo_Double(o *Double) (exc error, res int32) {
	if o == nil {
		return newNullPointer(), 0
	}
	return compareDouble(b.v, o.v)
}

//java:virtual compareTo:(Ljava/lang/Object;)I
func (b *Double) M_compareTo(o Object) (exc error, res int32) {
	if o == nil {
		return newNullPointer(), 0
	}
	x, ok := o.(*Double)
	if !ok {
		return newClassCast(), 0
	}
	return compareDouble(b.v, x.v)
}
