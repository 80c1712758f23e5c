// SPDX-License-Identifier: Apache-2.0

//go:build unix

package run

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

// alone makes a process the first of a group, so that what it starts can be ended with it.
func alone(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killAll ends the group of a process.
func killAll(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// killMarked ends the processes that have a mark in their environment: those that a driver started and that have
// left its group. Where the system has no list of processes it does nothing.
func killMarked(mark string) {
	list, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range list {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err != nil || pid == os.Getpid() {
			continue
		}
		if text, err := os.ReadFile(name); err == nil && bytes.Contains(append(text, 0), []byte(mark+"\x00")) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}
