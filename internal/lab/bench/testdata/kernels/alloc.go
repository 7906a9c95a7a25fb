package kernels

// A tree is a node of a binary search tree.
type tree struct {
	left, right *tree
	key         uint32
	value       []byte
}

// Alloc builds search trees of pseudo-random keys: allocation, pointers and
// the garbage collector.
func Alloc(n int) (depth int) {
	x := uint32(1)
	for range n {
		var root *tree
		for range 1000 {
			x = x*1664525 + 1013904223
			root = root.insert(x)
		}
		depth = max(depth, root.depth())
	}
	return depth
}

func (t *tree) insert(key uint32) *tree {
	if t == nil {
		return &tree{key: key, value: make([]byte, 16)}
	}
	if key < t.key {
		t.left = t.left.insert(key)
	} else {
		t.right = t.right.insert(key)
	}
	return t
}

func (t *tree) depth() int {
	if t == nil {
		return 0
	}
	return 1 + max(t.left.depth(), t.right.depth())
}
