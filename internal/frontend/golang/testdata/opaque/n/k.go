package n

import (
	"bufio"
	"context"
	"math/big"
	"regexp"
	"strings"
)

// K has values of other packages inside that err by what was done with them.
type K struct {
	scanner bufio.Scanner
	x, y, z big.Int
	ctx     context.Context
	items   heap
	re      *regexp.Regexp
	keys    map[string]int
}

func MakeK() *K { return new(K) }

// A heap errs when it is empty.
type heap []int

func (h *heap) pop() int {
	if len(*h) == 0 {
		panic("n: empty")
	}
	x := (*h)[0]
	*h = (*h)[1:]
	return x
}

func (k *K) Scan() bool     { return k.scanner.Scan() }
func (k *K) Buffer()        { k.scanner.Buffer(nil, 10) }
func (k *K) Split()         { k.scanner.Split(bufio.ScanWords) }
func (k *K) Divide()        { k.z.Div(&k.x, &k.y) }
func (k *K) Root()          { k.z.Sqrt(&k.x) }
func (k *K) Set(x, y int64) { k.x.SetInt64(x); k.y.SetInt64(y) }
func (k *K) Push(n int)     { k.items = append(k.items, n) }
func (k *K) Pop() int       { return k.items.pop() }
func (k *K) All() (n int) {
	for range k.items {
		n += k.items.pop()
	}
	return n
}

// Keyed errs for some keys that are in a map.
func (k *K) Keyed(s string) int {
	n, ok := k.keys[s]
	if ok && n < 0 {
		panic("n: negative")
	}
	return n
}

// OnlyValue errs by fields that no call changes.
func (k *K) OnlyValue() any {
	if k.ctx == nil {
		return nil
	}
	return context.WithValue(k.ctx, k.keys, 1)
}

// Loop errs after so many rounds.
func (k *K) Loop(s string) string {
	for i := range k.items {
		if s = strings.TrimSuffix(s, "x"); i > 5 {
			panic("n: too many")
		}
	}
	return s
}

// OnlyLoop counts what it is given.
func (k *K) OnlyLoop(list []string) int {
	n := 0
	for _, s := range list {
		if n += len(s); n > 100 {
			panic("n: too long")
		}
	}
	return n
}
