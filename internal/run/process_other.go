// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package run

import "os/exec"

// alone does nothing: there are no groups of processes.
func alone(*exec.Cmd) {}

// killAll ends a process.
func killAll(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

// killMarked does nothing: there is no list of processes.
func killMarked(string) {}
