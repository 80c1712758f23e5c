// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"flag"
)

func explainCommand() command {
	return command{name: "explain", flags: func(*flag.FlagSet, *options) {}, run: func(context.Context, *invocation) (int, error) { return 2, nil }}
}
