// Package wide has clients of packages that import much.
package wide

import (
	"io"
	"mime/multipart"
)

func boundary(w io.Writer) error {
	m := multipart.NewWriter(w)
	if _, err := m.CreateFormField("a"); err != nil {
		return err
	}
	return m.SetBoundary("xyz") // want `multipart.Writer: SetBoundary fails here, .*: it returns the error "mime: SetBoundary called after write"`
}
