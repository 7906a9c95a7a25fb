package kernels

// Calls is recursion with a method call on the way: small functions. The
// compiler inlines some of them as long as no probe is in them.
func Calls(n int) int {
	var c counter
	c.fib(n)
	return c.calls
}

type counter struct{ calls int }

func (c *counter) fib(n int) int {
	c.count()
	if n < 2 {
		return n
	}
	return add(c.fib(n-1), c.fib(n-2))
}

func (c *counter) count() { c.calls++ }

func add(a, b int) int { return a + b }
