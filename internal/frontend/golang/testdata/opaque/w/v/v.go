// Package v has variables that others read.
package v

// Limit is for everybody to write, and Bound, too, but nobody does.
var Limit, Bound = 3, 3

// A Code never changes once it is made.
type Code struct {
	has  [256]bool
	size int
}

// Std is a Code.
var Std = NewCode("abc")

// NewCode makes a Code.
func NewCode(s string) *Code {
	c := new(Code)
	for i := range len(s) {
		c.has[s[i]] = true
		c.size++
	}
	return c
}

// Has looks into it.
func (c *Code) Has(b byte) bool { return c.size > 0 && c.has[b] }

// A Loose changes.
type Loose struct{ has [256]bool }

// Wide is a Loose.
var Wide = &Loose{}

// Has looks into it.
func (l *Loose) Has(b byte) bool { return l.has[b] }

// Set changes it.
func (l *Loose) Set(b byte) { l.has[b] = true }

// A Whole has no code that changes its fields.
type Whole struct{ has byte }

// One is a Whole.
var One = &Whole{has: 1}

// Two is another.
var Two = &Whole{has: 2}

// Has looks into it.
func (w *Whole) Has(b byte) bool { return w.has == b }

// A Part is inside another object, whose code has its address.
type Part struct{ has byte }

type box struct{ p Part }

var inside = &box{}

// Within is such a Part.
var Within = &inside.p

// Put changes it.
func Put(b byte) { inside.p = Part{b} }

// Has looks into it.
func (p *Part) Has(b byte) bool { return p.has == b }
