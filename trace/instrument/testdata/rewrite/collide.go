package p

import fdebugrt "strings"

func fdebugb(fdebugrt_ int) { _ = fdebugrt.ToUpper }

func min(a, b int) int { panic("a builtin's name") }

func use() int {
	x := min(1, 2)
	x = max(x, 2)
	return x
}
