// SPDX-License-Identifier: Apache-2.0

package smtlib

import "syscall"

// dieWithParent makes the process end when this one does, however it does.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
