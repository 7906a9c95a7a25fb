//go:build unix

package prog

import "runtime/debug"

// limitStack makes the stack overflow soon: a gigabyte takes long to fill.
func limitStack() { debug.SetMaxStack(1 << 20) }
