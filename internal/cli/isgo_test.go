// SPDX-License-Identifier: Apache-2.0

package cli

import "testing"

// TestIsGo tells the names of Go types from those of files that do not exist.
func TestIsGo(t *testing.T) {
	for name, want := range map[string]bool{
		"bufio.Scanner":           true,
		"net/http/cookiejar.Jar":  true,
		"example.com/render.JSON": true,
		"bufio.(*Scanner)":        true,
		"cache.LRU[string,int]":   true,
		"./store.tx":              true,
		"missing.open":            false,
		"dir/missing.json":        false,
		"missing.jar":             false,
		"lock":                    false,
		".hidden":                 false,
	} {
		if got := isGo(name); got != want {
			t.Errorf("isGo(%q) = %v", name, got)
		}
	}
}
