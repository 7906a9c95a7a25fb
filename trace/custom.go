package trace

// NewLoadedGoroutine returns a goroutine with the given chunks whose events are loaded on demand.
// It is for programs that make traces, or keep them in a form of their own. load appends the
// events of chunk i to buf[:0]; their number and hash must be those in chunks[i]. It is called
// only for chunks marked as kept.
func NewLoadedGoroutine(id GoroutineID, test string, chunks []Chunk,
	load func(i int, buf []Event) ([]Event, error)) *Goroutine {
	return &Goroutine{ID: id, Test: test, Chunks: chunks, load: load}
}
