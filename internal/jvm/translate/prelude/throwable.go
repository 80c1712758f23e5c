// SPDX-License-Identifier: Apache-2.0

package prelude

// This file models exceptions. In Go they are errors and not objects, so that an error in
// a result is told from other results.

// throwable is an exception that a translation knows.
type throwable interface {
	error
	base() *Throwable
	class() *Class
	M_getMessage() (exc error, res *String)
	M_getLocalizedMessage() (exc error, res *String)
	M_getCause() (exc error, res error)
	M_toString() (exc error, res *String)
}

// A Throwable is what all exceptions have.
//
//java:class java/lang/Throwable
type Throwable struct {
	message  *String
	cause    error
	asObject *thrown
}

func (t *Throwable) base() *Throwable { return t }

//java:virtual getMessage:()Ljava/lang/String;
func (t *Throwable) M_getMessage() (exc error, res *String) { return nil, t.message }

//java:virtual getLocalizedMessage:()Ljava/lang/String;
func (t *Throwable) M_getLocalizedMessage() (exc error, res *String) { return nil, t.message }

//java:virtual getCause:()Ljava/lang/Throwable;
func (t *Throwable) M_getCause() (exc error, res error) { return nil, t.cause }

//java:virtual addSuppressed:(Ljava/lang/Throwable;)V
func (t *Throwable) M_addSuppressed(e error) (exc error) { return nil }

// describe is the text of an exception.
func describe(class string, message *String) string {
	if message == nil {
		return class
	}
	return class + ": " + message.text
}

// plainText is what Throwable.toString gives.
func plainText(t throwable) (exc error, res *String) {
	exc, message := t.M_getLocalizedMessage()
	if exc != nil {
		return exc, nil
	}
	return nil, &String{text: describe(t.class().name, message)}
}

// A thrown is an exception that is used as an object.
type thrown struct{ exc error }

var thrownClass = &Class{"java.lang.Throwable"}

func (t *thrown) class() *Class {
	if k, ok := t.exc.(throwable); ok {
		return k.class()
	}
	return thrownClass
}

func (t *thrown) M_equals(o Object) (exc error, res bool) { return nil, Object(t) == o }

func (t *thrown) M_hashCode() (exc error, res int32) { return nil, identityHash(t) }

func (t *thrown) M_toString() (exc error, res *String) {
	if k, ok := t.exc.(throwable); ok {
		return k.M_toString()
	}
	return nil, unknownText(t)
}

// objectOf is an exception as an object, the same one each time.
func objectOf(e error) Object {
	if e == nil {
		return nil
	}
	if t, ok := e.(throwable); ok {
		b := t.base()
		if b.asObject == nil {
			b.asObject = &thrown{e}
		}
		return b.asObject
	}
	return &thrown{e}
}

// errorOf is the exception that an object is, or nil.
func errorOf(o any) error {
	if t, ok := o.(*thrown); ok {
		return t.exc
	}
	return nil
}

// messageOf is the message of an exception; of one of the environment it is unknown.
func messageOf(e error) (exc error, res *String) {
	if t, ok := e.(throwable); ok {
		return t.M_getMessage()
	}
	return nil, unknownMessage(e)
}

func causeOf(e error) (exc error, res error) {
	if t, ok := e.(throwable); ok {
		return t.M_getCause()
	}
	return nil, unknownCause(e)
}

func textOf(e error) (exc error, res *String) {
	if t, ok := e.(throwable); ok {
		return t.M_toString()
	}
	return nil, unknownMessage(e)
}

func setCause(e error, cause error) error {
	if t, ok := e.(throwable); ok {
		t.base().cause = cause
	}
	return e
}
