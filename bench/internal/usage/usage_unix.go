// SPDX-License-Identifier: Apache-2.0

//go:build linux || darwin

// Package usage asks the system what the process has used.
package usage

import (
	"os"
	"runtime"
	"syscall"
	"time"
)

func self() syscall.Rusage {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return syscall.Rusage{}
	}
	return u
}

// CPU is user and system time of all threads so far; 0 where the system does not
// say.
func CPU() time.Duration {
	u := self()
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Peak is the largest resident size so far, in bytes; 0 where the system does not
// say.
func Peak() int64 {
	size := int64(self().Maxrss)
	if runtime.GOOS == "linux" {
		size *= 1024 // darwin counts bytes, linux kilobytes
	}
	return size
}

// ForgetPeak makes the system measure the peak of memory from now on, where it
// can (Linux, proc_pid_clear_refs(5)).
func ForgetPeak() bool {
	return runtime.GOOS == "linux" && os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) == nil
}
