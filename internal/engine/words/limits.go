// SPDX-License-Identifier: Apache-2.0

package words

// maxReplay bounds the steps of one call of a witness that the interpreter follows. A longer run is not confirmed, and no witness; each step
// takes less than a microsecond.
const maxReplay = 1 << 16
