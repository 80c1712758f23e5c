// Package o has settings behind a pointer that never changes.
package o

type Settings struct{ Most, least int }

var standard = &Settings{Most: 10, least: 1}

var Shared = &Settings{Most: 10}

func SetLeast(n int) { standard.least = n }

// Limit asks the settings.
func Limit(n int) int {
	for k := range n {
		if k > standard.Most {
			return standard.least
		}
	}
	return standard.Most
}

func each(n int, f func(int)) {
	for k := range n {
		f(k)
	}
}

// Fill writes by way of a function that it gives to another one.
func Fill(p *complex64) { each(3, func(int) { *p++ }) }

func add(p *complex128) { *p++ }

func call(f func(*complex128), p *complex128) { f(p) }

// Add gives a function to another one that has a name.
func Add(p *complex128) { call(add, p) }

// A Hook has a function of whoever set it.
type Hook struct{ F func() }

func run(f func()) { f() }

// Run gives a function to another one that it finds somewhere.
func Run(h *Hook) { run(h.F) }

// Count counts with a function of its own that writes nothing of others.
func Count(list []uintptr) (n int) {
	each(len(list), func(k int) {
		if list[k] == 0 {
			n++
		}
	})
	return n
}
