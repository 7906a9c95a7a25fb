//go:build !linux

package session

// room reports whether there is memory for another process, which is unknown here.
func room() bool { return true }
