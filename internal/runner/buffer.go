package runner

import (
	"fmt"
	"strings"
)

// A headTail keeps the beginning and the end of what is written to it. A test that prints 100 MB
// must not cost 100 MB, and the part that matters is at the beginning or the end: the first failed
// check, or the last words before a crash.
type headTail struct {
	maxHead, maxTail int
	head             []byte
	tail             []byte // up to twice maxTail, so that it is rarely moved
	cut              int64  // bytes between head and tail that were dropped
}

func newHeadTail(max int) headTail {
	return headTail{maxHead: max / 2, maxTail: max - max/2}
}

func (h *headTail) Write(b []byte) (int, error) {
	n := len(b)
	if room := h.maxHead - len(h.head); room > 0 {
		k := min(room, len(b))
		h.head = append(h.head, b[:k]...)
		b = b[k:]
	}
	if drop := len(b) - h.maxTail; drop > 0 {
		h.cut += int64(drop + len(h.tail))
		h.tail = h.tail[:0]
		b = b[drop:]
	}
	if len(h.tail)+len(b) > 2*h.maxTail {
		drop := len(h.tail) - h.maxTail + len(b)
		h.cut += int64(drop)
		h.tail = h.tail[:copy(h.tail, h.tail[drop:])]
	}
	h.tail = append(h.tail, b...)
	return n, nil
}

// String returns the parts kept, as valid UTF-8, with a line that says how much was left out.
func (h *headTail) String() string {
	tail, cut := h.tail, h.cut
	if over := len(tail) - h.maxTail; over > 0 {
		tail, cut = tail[over:], cut+int64(over)
	}
	if cut == 0 {
		return strings.ToValidUTF8(string(h.head)+string(tail), "\uFFFD")
	}
	mid := fmt.Sprintf("\n[... %d bytes left out ...]\n", cut)
	return strings.ToValidUTF8(string(h.head)+mid+string(tail), "\uFFFD")
}

func (h *headTail) reset() { h.head, h.tail, h.cut = nil, nil, 0 }

func (h *headTail) empty() bool { return len(h.head) == 0 }
