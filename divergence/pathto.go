package divergence

import "github.com/fdebug/fdebug/trace"

// PathTo returns the call path of a goroutine at its event number pos, outermost first. That
// event is the last block of the innermost function.
func PathTo(sites *trace.Sites, g *trace.Goroutine, pos int64) ([]Call, error) {
	t := newTally(newCode(sites))
	if err := t.read(g, pos+1, 0); err != nil {
		return nil, err
	}
	return t.callStack.path(), nil
}
