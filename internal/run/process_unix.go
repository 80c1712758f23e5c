// SPDX-License-Identifier: Apache-2.0

//go:build unix

package run

import (
	"os/exec"
	"syscall"
)

// alone makes a process the first of a group, so that what it starts can be ended with it.
func alone(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killAll ends the group of a process.
func killAll(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
