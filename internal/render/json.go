// SPDX-License-Identifier: Apache-2.0

package render

// This file writes the interface file itself, byte for byte as typestate does.

import (
	"io"

	"github.com/interlock-go/interlock/typestate"
)

func writeJSON(w io.Writer, i *typestate.Interface, _ Options) error {
	if i == nil {
		return errNone
	}
	return typestate.Write(w, i)
}
