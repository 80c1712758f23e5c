package p

// NeverSwallows does not err: it recovers all that it panics with.
func (t *T) NeverSwallows(n int) {
	defer func() { _ = recover() }()
	if n > 3 {
		panic("large")
	}
}

// NeverSwallowsDeep does so for a function that it calls.
func (t *T) NeverSwallowsDeep(n int) {
	defer func() { _ = recover() }()
	panicsIf(n > 3)
}

func panicsIf(large bool) {
	if large {
		panic("large")
	}
}

// OnlyAfter errs where nothing is recovered.
func (t *T) OnlyAfter(n int) {
	swallow(n)
	panicsIf(n > 7)
}

func swallow(n int) {
	defer func() { _ = recover() }()
	panicsIf(n > 3)
}
