//go:build !linux

package pgtest

import "syscall"

// ownedBy leaves a directory to the user who runs the tests, who is not root where servers are
// tested.
func ownedBy(string) (*syscall.SysProcAttr, error) { return nil, nil }
