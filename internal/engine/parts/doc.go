// SPDX-License-Identifier: Apache-2.0

// Package parts takes a program apart, by error sites or by methods that share no state, and puts the interfaces of the
// parts together again: decompose, product, and agree, which compares two interfaces of one program along the words that
// can happen.
package parts
