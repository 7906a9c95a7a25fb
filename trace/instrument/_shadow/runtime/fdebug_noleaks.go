//go:build !go1.26

package runtime

// fdebugLeaks does nothing: this release of Go cannot tell which goroutines can never go on.
func fdebugLeaks() {}

func fdebugNoteLeaks() {}

func fdebugCollect() { GC() }

func fdebugSearch() {}

func fdebugWaiting(status uint32) uint32 { return status }
