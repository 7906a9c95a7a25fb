package trace

// NewLoadedGoroutine returns a goroutine whose chunks are known and whose
// events are loaded on demand, for programs that keep traces of their own or
// make them up as they are read. load appends the events of chunk i to buf[:0];
// they must be as many as chunks[i] says and have its hash. It is called only
// for chunks that are marked as kept.
func NewLoadedGoroutine(id GoroutineID, test string, chunks []Chunk, load func(i int, buf []Event) ([]Event, error)) *Goroutine {
	return &Goroutine{ID: id, Test: test, Chunks: chunks, load: load}
}
