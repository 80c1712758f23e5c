// SPDX-License-Identifier: Apache-2.0

package golang

import (
	"go/types"
	"testing"

	"golang.org/x/tools/go/ssa"
)

// TestCommonMessage: which of its messages an error has, its fields say, which are not known;
// errors that wrap others, or are none under study, have nothing to do with it.
func TestCommonMessage(t *testing.T) {
	own, other := types.NewPackage("m/p", "p"), types.NewPackage("m/q", "q")
	c := &compiler{l: &loaded{pkg: &ssa.Package{Pkg: own}}, kinds: kinds{misuse: true, panics: true}}
	closed := &errorValue{message: "closed", global: "m/p.errClosed", key: "closed", pkg: own}
	again := &errorValue{message: "closed", global: "m/p.errClosed", key: "closed", pkg: own}
	broken := &errorValue{message: "broken", global: "m/p.errBroken", key: "broken", pkg: own}
	is := func(message string, pkg *types.Package, inner *errorValue) errorCase {
		return errorCase{is: &errorValue{message: message, pkg: pkg, inner: inner}}
	}
	for _, m := range []struct {
		want string
		list []errorCase
	}{
		{"read: closed", []errorCase{is("read: closed", own, closed)}},
		{"read…: closed", []errorCase{is("read: closed", own, closed), is("read tcp: closed", own, again)}},
		{"read: closed", []errorCase{is("read: closed", own, closed), is("read tcp: broken", own, broken)}},
		{"read: closed", []errorCase{is("read: closed", own, closed), is("read tcp: closed", other, closed)}},
		{"read: closed", []errorCase{is("read: closed", own, closed), is("read tcp: nothing", own, nil)}},
		{"nothing", []errorCase{is("nothing", own, nil), is("read tcp: closed", own, closed)}},
	} {
		if got := c.commonMessage(m.list[0].is, m.list); got != m.want {
			t.Errorf("%s, expected %s", got, m.want)
		}
	}
}
