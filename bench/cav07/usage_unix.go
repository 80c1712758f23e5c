// SPDX-License-Identifier: Apache-2.0

//go:build linux || darwin

package main

// This file asks the system what the process has used.

import (
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

// peakMemory is the largest resident size so far, in bytes.
func peakMemory() int64 {
	size := int64(usage().Maxrss)
	if runtime.GOOS == "linux" {
		size *= 1024 // darwin counts bytes, linux kilobytes
	}
	return size
}
