//go:build !linux

package pgtest

import "syscall"

// ownedBy leaves a directory to whoever runs the tests: not root, where servers are
// tested.
func ownedBy(string) (*syscall.SysProcAttr, error) { return nil, nil }
