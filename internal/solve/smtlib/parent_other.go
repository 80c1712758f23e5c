// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package smtlib

import "syscall"

// dieWithParent does nothing here: when this process goes, the other one ends at
// its next look at its input.
func dieWithParent() *syscall.SysProcAttr { return nil }
