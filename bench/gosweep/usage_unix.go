// SPDX-License-Identifier: Apache-2.0

//go:build linux || darwin

package main

// This file asks the system what the process has used.

import (
	"os"
	"runtime"
	"syscall"
	"time"
)

func usage() syscall.Rusage {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return syscall.Rusage{}
	}
	return u
}

// cpuTime is user and system time of all threads so far.
func cpuTime() time.Duration {
	u := usage()
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// forgetPeak makes the system measure the peak of memory from now on, where it
// can (Linux, proc_pid_clear_refs(5)).
func forgetPeak() bool {
	return runtime.GOOS == "linux" && os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) == nil
}
