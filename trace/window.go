package trace

import "io"

// windowSize is how much of a file a window holds. Records that must be read in one piece are far
// smaller.
const windowSize = 256 << 10

// A window shows pieces of a file that is mostly read forwards. The memory it takes does not
// depend on the size of the file.
type window struct {
	r    io.ReaderAt
	size int64  // of the file, or of the readable part of it
	buf  []byte // bytes of the file from off on
	off  int64
}

func newWindow(r io.ReaderAt, size int64) *window {
	return &window{r: r, size: size, buf: make([]byte, 0, min(size, windowSize))}
}

// at returns the n bytes of the file at off, or as many as there are. They are valid until the
// next call. n is at most windowSize.
func (w *window) at(off, n int64) ([]byte, error) {
	n = min(n, w.size-off)
	if n <= 0 {
		return nil, nil
	}
	if off < w.off || off+n > w.off+int64(len(w.buf)) {
		if err := w.fill(off); err != nil {
			return nil, err
		}
	}
	return w.buf[off-w.off:][:n], nil
}

// fill moves the window to off.
func (w *window) fill(off int64) error {
	n := min(w.size-off, int64(cap(w.buf)))
	w.buf, w.off = w.buf[:n], off
	if got, err := w.r.ReadAt(w.buf, off); got < len(w.buf) {
		w.buf = w.buf[:0]
		if err == io.EOF {
			err = io.ErrUnexpectedEOF // the file has become shorter
		}
		return err
	}
	return nil
}
