// SPDX-License-Identifier: Apache-2.0

package main

// This file has what the papers say.

// A row is a row of Table 1 of SAS 2012: 2 GHz Core i7, 8 GB.
type row struct {
	name                                     string
	file                                     string // under testdata
	methods, symbols, refinements, states, k int
	seconds                                  float64
}

func table1() []row {
	return []row{
		{"Signature", "corpus/signature", 5, 5, 0, 4, 3, 10.5},
		{"PipedOutputStream", "wide/piped-output-stream", 4, 5, 1, 3, 3, 32.0},
		{"IntMath", "wide/int-math", 8, 16, 7, 3, 1, 74.1},
		{"AltBit", "wide/alt-bit", 2, 5, 3, 5, 4, 34.8},
		{"CEV-FlightRule", "wide/cev-flight-rule", 3, 5, 2, 3, 3, 192.7},
		{"CEV", "wide/cev", 18, 23, 5, 9, 3, 2846.1},
	}
}

// A laterRow is a row of a later paper: symbols with the constructor, states
// with the error state and the one before construction.
type laterRow struct {
	name, file      string
	symbols, states int
	depth, by       string
}

func later() []laterRow {
	return []laterRow{
		{"AltBit, Java's %", "wide/alt-bit-truncating", 7, 6, "162", "ISoLA'18, one hour"},
		{"AccMeter", "wide/accelerometer", 12, 8, "7", "ISSTA'13, one hour"},
		{"CEV", "wide/cev", 27, 34, "17", "ISoLA'18, 44 min (memory)"},
		{"CEV V2", "wide/cev-v2", 21, 20, "all", "ISoLA'18, search, 13 min"},
		{"Socket", "wide/socket-full", 57, 42, "all", "ISoLA'18, search, 19 min"},
		{"Count (ours)", "wide/count", 3, 3, "4", "PSYCO 2016; wrong"},
		{"Xor2 (ours)", "wide/xor2", 0, 0, "-", "PSYCO 2016; gives up"},
	}
}
