// SPDX-License-Identifier: Apache-2.0

//go:build !(linux || darwin)

// Package usage asks the system what the process has used.
package usage

import "time"

// CPU is user and system time of all threads so far; 0 where the system does not
// say.
func CPU() time.Duration { return 0 }

// Peak is the largest resident size so far, in bytes; 0 where the system does not
// say.
func Peak() int64 { return 0 }

// ForgetPeak makes the system measure the peak of memory from now on, where it
// can.
func ForgetPeak() bool { return false }
