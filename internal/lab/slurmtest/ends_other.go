//go:build !linux

package slurmtest

import "syscall"

func endsWithUs(attr *syscall.SysProcAttr) *syscall.SysProcAttr { return attr }

func alone() *syscall.SysProcAttr { return nil }
