// SPDX-License-Identifier: Apache-2.0

package interlock

// This file synthesizes the interfaces of Java classes, which the front end turns into those of translated text and back.

import (
	"context"
	"fmt"

	"github.com/interlock-go/interlock/internal/frontend/golang"
	"github.com/interlock-go/interlock/internal/frontend/java"
	"github.com/interlock-go/interlock/typestate"
)

// A JavaType says which Java class to synthesize the interface of.
type JavaType struct {
	// Name is the class with its package: java.util.ArrayList.ListItr, java.util.ArrayList$ListItr.
	Name string
	// JDK is the directory of a Java runtime or JDK, ClassPath has jars, directories and class files.
	JDK, ClassPath string
	// Methods are the calls, "write" or "write(int)"; none: all public methods.
	Methods []string
	// Factories are expressions that make the object: "new ArrayList(c).listIterator(i)". None: its constructors, or methods of
	// classes about it that make one.
	Factories []string
	// Errors are classes of exceptions, "CLASS at FILE:LINE", "message TEXT", or "misuse"; none: "misuse".
	Errors []string
	// Inline are patterns of classes that are followed.
	Inline []string
	// BlameAny counts exceptions that are the environment's fault too.
	BlameAny bool
	// Strict makes cells unknown that are not covered.
	Strict bool
}

// SynthesizeJava computes the interface of a Java class. Source, Filename, Uses, Width and Certificate of the configuration are not used.
func SynthesizeJava(ctx context.Context, t JavaType, c Config) (*typestate.Interface, error) {
	k, err := java.Compile(ctx, java.Options{Place: java.Place{JDK: t.JDK, ClassPath: t.ClassPath}, Class: t.Name, Calls: t.Methods, Factories: t.Factories,
		Errors: t.Errors, Inline: t.Inline, BlameAny: t.BlameAny, Progress: c.Progress})
	if err != nil {
		return nil, tooLarge(t.Name, err)
	}
	c.NoWrap, c.Ends, c.Width, c.Certificate = true, true, 0, false
	c = c.remembering().limited(1)
	// Only the program that follows everything is asked: exceptions are values, of which programs that leave code out know too little.
	if k.IsPartial() {
		return nil, tooLarge(t.Name, fmt.Errorf("%w; fewer -methods may do", golang.ErrTooLarge))
	}
	best, err := explicitGo(ctx, k.Result, c)
	if err != nil {
		return nil, err
	}
	if !best.sure {
		best.forget()
	}
	i, err := finishGo(GoType{Name: t.Name, Strict: t.Strict}, k.Result, best.i)
	if err != nil {
		return nil, err
	}
	if err := k.Rename(i); err != nil {
		return nil, err
	}
	return i, nil
}

// JavaHome is the JDK that an environment names: by JAVA_HOME, or by the path of the program java; "" if by neither.
func JavaHome(javaHome, java1 string) string { return java.HomeFrom(javaHome, java1) }
