// SPDX-License-Identifier: Apache-2.0

package cli

// This file is the command line for Java classes.

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"

	"github.com/interlock-go/interlock"
	"github.com/interlock-go/interlock/internal/compat"
	"github.com/interlock-go/interlock/typestate"
)

// javaOptions say where Java classes are.
type javaOptions struct {
	jdk, classPath string
}

func (o *javaOptions) flags(fs *flagSet) {
	fs.StringVar(&o.jdk, "jdk", "", "read classes of Java from the JDK or Java runtime in `directory` (default: JAVA_HOME, or that of java on the PATH)")
	fs.StringVar(&o.classPath, "cp", "", "read classes of Java from a `path` of jars, directories and class files, before the JDK")
}

// given lists the flags that only Java classes have.
func (o *javaOptions) given() []given {
	return []given{{"jdk", o.jdk != ""}, {"cp", o.classPath != ""}}
}

// isJava tells the name of a Java class from that of a Go type or of a file: it has no slash, and two dots or more, unless a flag says
// where classes are.
func (o *javaOptions) isJava(name string) bool {
	if name == "" || strings.ContainsAny(name, "/\\[(@ ") {
		return false
	}
	if _, err := os.Stat(name); err == nil {
		return false
	}
	if o.jdk != "" || o.classPath != "" {
		return true
	}
	for _, e := range fileExtensions {
		if strings.HasSuffix(name, e) {
			return false
		}
	}
	first, rest, _ := strings.Cut(name, ".")
	return first != "" && strings.Contains(rest, ".")
}

// home is the JDK that is meant.
func (o *javaOptions) home() string {
	if o.jdk != "" {
		return o.jdk
	}
	program, _ := exec.LookPath("java")
	return interlock.JavaHome(os.Getenv("JAVA_HOME"), program)
}

// javaType says which Java class is meant by a name.
func (o *javaOptions) javaType(code *goOptions, name string) (interlock.JavaType, error) {
	for _, g := range code.given() {
		switch g.name {
		case "constructor", "dir", "tags", "contracts":
			if g.set {
				return interlock.JavaType{}, usagef("-%s: %s is a Java class; expected a Go type with it", g.name, shown(name))
			}
		}
	}
	t := interlock.JavaType{Name: name, JDK: o.home(), ClassPath: o.classPath, Factories: code.factories, Errors: code.errorKinds, Inline: code.scope.inline,
		AnyBlame: code.blame == "any", Strict: code.strict}
	if code.methods != "" {
		t.Methods = splitMethods(code.methods)
	}
	return t, nil
}

// splitMethods divides a list at the commas outside brackets: write(byte[],int,int),close.
func splitMethods(text string) (out []string) {
	depth, from := 0, 0
	for k := range len(text) {
		switch text[k] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				out, from = append(out, strings.TrimSpace(text[from:k])), k+1
			}
		}
	}
	return append(out, strings.TrimSpace(text[from:]))
}

// inferJava is the command infer for a Java class.
func (o *inferOptions) inferJava(ctx context.Context, c *invocation) (int, error) {
	name := c.args[0]
	if d := o.parts.dividing(); d != "" {
		return exitWrong, usagef("%s: expected a component in the text form, not a Java class", d)
	}
	for _, g := range []given{{"program", o.program}, {"run", o.running.mode != ""}, {"width", o.synthesis.width > 0}, {"certificate", o.synthesis.certificate}} {
		if g.set {
			return exitWrong, usagef("-%s: not known for Java classes", g.name)
		}
	}
	t, err := o.output.target()
	if err != nil {
		return exitWrong, err
	}
	j, err := o.java.javaType(&o.code, name)
	if err != nil {
		return exitWrong, err
	}
	i, err := o.synthesis.synthesizeJava(ctx, c, j)
	if err != nil {
		return exitWrong, err
	}
	return o.inferred(c, t, i)
}

func (o *synthesisOptions) synthesizeJava(ctx context.Context, c *invocation, j interlock.JavaType) (r *interlock.Report, err error) {
	p := c.startProgress(j.Name)
	defer p.stop()
	j.Progress = p.report
	k, err := interlock.LoadJava(ctx, j)
	if err == nil {
		r, err = interlock.Infer(ctx, k, o.options(p))
	}
	var refused *interlock.RefusedError
	switch {
	case err == nil || undecided(err) || ctx.Err() != nil:
		return r, err
	case errors.As(err, &refused) && refused.Option:
		return nil, usagef("-%w", err)
	}
	return nil, usagef("%w", err)
}

// javaInterface synthesizes the interface that a protocol of a Java class is about. A crash is an error: the table goes on.
func (o *conformOptions) javaInterface(ctx context.Context, p *compat.Protocol) (i *typestate.Interface, err error) {
	defer func() {
		if r := recover(); r != nil {
			i, err = nil, errors.New("internal error: it crashed")
		}
	}()
	q, err := p.JavaQuestion()
	if err != nil {
		return nil, err
	}
	t := interlock.JavaType{Name: q.Name, JDK: o.java.home(), ClassPath: o.java.classPath, Methods: q.Methods, Factories: q.Factories, Errors: q.Errors, Inline: o.scope.inline}
	// Objects of nested classes come from ones in any state: what was done with these before is not told.
	if strings.Contains(q.Name, "$") {
		t.Factories = nil
	}
	// A factory that cannot be read is not asked for: then the object comes from what makes it by default.
	k, err := interlock.LoadJava(ctx, t)
	if err != nil && ctx.Err() == nil && strings.Contains(err.Error(), "-factory") {
		t.Factories = nil
		k, err = interlock.LoadJava(ctx, t)
	}
	if err != nil {
		return nil, err
	}
	r, err := interlock.Infer(ctx, k, &interlock.Options{Limits: interlock.Limits{Steps: o.budget}})
	if err != nil {
		return nil, err
	}
	return r.Interface, nil
}

// interfaceOf synthesizes the interface that a protocol is about.
func (o *conformOptions) interfaceOf(ctx context.Context, c *invocation, p *compat.Protocol, q compat.Question) (*typestate.Interface, error) {
	if p.Language == "java" {
		return o.javaInterface(ctx, p)
	}
	return o.entryInterface(ctx, c, q)
}
