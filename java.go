// SPDX-License-Identifier: Apache-2.0

package interlock

// This file synthesizes the interfaces of Java classes, which the front end turns into those of translated text and back.

import (
	"context"

	"github.com/interlock-go/interlock/internal/frontend/java"
	"github.com/interlock-go/interlock/internal/ladder"
	"github.com/interlock-go/interlock/internal/synth"
	"github.com/interlock-go/interlock/typestate"
)

// A JavaType says which Java class is a component.
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
	// AnyBlame counts exceptions that are the environment's fault too.
	AnyBlame bool
	// Strict makes cells unknown that are not covered.
	Strict   bool
	Progress func(Event)
}

// A JavaComponent is a Java class that was lowered to open programs.
type JavaComponent struct {
	class  *java.Component
	ladder ladder.Component
}

// LoadJava reads a class and lowers it.
func LoadJava(ctx context.Context, t JavaType) (*JavaComponent, error) {
	k, err := java.Compile(ctx, java.Options{Place: java.Place{JDK: t.JDK, ClassPath: t.ClassPath}, Class: t.Name, Calls: t.Methods, Factories: t.Factories,
		Errors: t.Errors, Inline: t.Inline, BlameAny: t.AnyBlame, Progress: phases(t.Progress)})
	if err != nil {
		return nil, public(ladder.TooLarge(t.Name, err))
	}
	return &JavaComponent{k, ladder.Component{Result: k.Result, Name: t.Name, Strict: t.Strict}}, nil
}

func (c *JavaComponent) infer(ctx context.Context, o *Options) (*typestate.Interface, error) {
	if o.Certificate {
		return nil, &RefusedError{What: "a certificate", Reason: "the program of a class is not stored", Next: "leave it out", Option: true}
	}
	i, err := ladder.Entire(ctx, c.ladder, o.strategy(), o.Limits.Steps)
	if err != nil {
		return nil, err
	}
	return i, c.class.Rename(i)
}

func (c *JavaComponent) unknown(ctx context.Context, reason string) (*typestate.Interface, error) {
	i, err := ladder.Unknown(ctx, c.ladder, reason)
	if err != nil {
		return nil, err
	}
	return i, c.class.Rename(i)
}

func (c *JavaComponent) verify(context.Context, *typestate.Interface, synth.VerifyOptions) (synth.Verification, error) {
	return synth.Verification{}, &RefusedError{What: "an interface of a Java class", Reason: "it has no certificate", Next: "infer it again"}
}

// JavaHome is the JDK that an environment names: by JAVA_HOME, or by the path of the program java; "" if by neither.
func JavaHome(javaHome, program string) string { return java.HomeFrom(javaHome, program) }
