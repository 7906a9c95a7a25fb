//go:build !linux

package session

// room reports whether there is memory for one more process, which is not known here.
func room() bool { return true }
