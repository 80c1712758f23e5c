package n

import "strings"

// B has a builder that its code copies: the copy errs.
type B struct{ b strings.Builder }

func MakeB() *B { return new(B) }

func (b *B) Write(s string) { b.b.WriteString(s) }
func (b *B) Copy()          { *b = B{b: *pointer(b)} }
func (b *B) Len() int       { return b.b.Len() }

func pointer(b *B) *strings.Builder { return &b.b }
