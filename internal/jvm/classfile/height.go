// SPDX-License-Identifier: Apache-2.0

package classfile

// This file follows the height of the operand stack through a method. The format
// demands that it is the same on all ways to an instruction, so it is a check of
// the code and of the decoder.

import (
	"fmt"
	"strings"
)

// Unreached is the height before an instruction that no way leads to.
const Unreached = -1

// Effect is how many entries of the operand stack an instruction takes and leaves.
func (in *Instr) Effect() (pops, pushes int, err error) {
	effect := ops[in.Op].effect
	if effect != "*" {
		before, after, _ := strings.Cut(effect, ":")
		pushes := entries(after)
		if in.Op == Ldc2W || (in.Op == Ldc || in.Op == LdcW) && in.Const.Tag == TagDynamic {
			if pushes = 1; in.Const.Tag != TagDynamic || Type(in.Const.Member.Descriptor).Slots() == 2 {
				pushes = 2
			}
		}
		return entries(before), pushes, nil
	}
	if in.Op == Multianewarray {
		return int(in.Int), 1, nil
	}
	m := in.Const.Member
	receiver := 1
	switch in.Op {
	case Getstatic, Putstatic, Invokestatic, Invokedynamic:
		receiver = 0
	}
	switch in.Op {
	case Getstatic, Getfield:
		return receiver, Type(m.Descriptor).Slots(), nil
	case Putstatic, Putfield:
		return receiver + Type(m.Descriptor).Slots(), 0, nil
	}
	d, ok := ParseDescriptor(m.Descriptor)
	if !ok {
		return 0, 0, fmt.Errorf("%q is no type of a method", m.Descriptor)
	}
	return receiver + d.Slots(), d.Result.Slots(), nil
}

func entries(kinds string) int {
	return len(kinds) + strings.Count(kinds, "J") + strings.Count(kinds, "D")
}

// Heights gives, for each of the instructions, the height of the operand stack
// before it, or Unreached. It fails if two ways differ, if the stack gets too low or
// too high, or if execution runs off the end of the code.
func (c *Code) Heights(code []Instr) ([]int, error) {
	index := make(map[int]int, len(code))
	heights := make([]int, len(code))
	for k := range code {
		index[code[k].PC], heights[k] = k, Unreached
	}
	bad := func(k int, format string, args ...any) error {
		return &Error{c.Method.Class.File, c.at + code[k].PC, fmt.Sprintf("method %s, instruction %v: %s", c.Method.Name, code[k].Op, fmt.Sprintf(format, args...))}
	}
	var work []int
	flow := func(from, to, height int) error {
		switch k := index[to]; heights[k] {
		case Unreached:
			heights[k] = height
			work = append(work, k)
		case height:
		default:
			return bad(k, "the stack has %d entries on one way and %d on another", heights[k], height)
		}
		return nil
	}
	heights[0] = 0
	work = append(work, 0)
	for len(work) > 0 {
		k := work[len(work)-1]
		work = work[:len(work)-1]
		in := &code[k]
		pops, pushes, err := in.Effect()
		if err != nil {
			return nil, bad(k, "%v", err)
		}
		h := heights[k] - pops
		if h < 0 || h+pushes > c.MaxStack {
			return nil, bad(k, "with %d entries on the stack it takes %d and leaves %d; the limit is %d", heights[k], pops, pushes, c.MaxStack)
		}
		for _, t := range in.Targets() {
			if err := flow(k, t, h+pushes); err != nil {
				return nil, err
			}
		}
		if !in.Ends() {
			if k+1 == len(code) {
				return nil, bad(k, "execution runs off the end of the code")
			}
			if err := flow(k, in.Next, h+pushes); err != nil {
				return nil, err
			}
		}
		for _, e := range c.Handlers {
			if e.Start <= in.PC && in.PC < e.End {
				if err := flow(k, e.PC, 1); err != nil {
					return nil, err
				}
			}
		}
	}
	return heights, nil
}
