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
