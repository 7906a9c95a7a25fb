package report

import "strings"

// funcName shortens "example.com/m/p.(*T).Method" to "p.(*T).Method".
func (v *viewer) funcName(s string) string {
	s = withoutTypeArguments(s)
	return v.clean.Line(s[strings.LastIndexByte(s, '/')+1:], 80)
}

// withoutTypeArguments writes "[...]" for the type arguments in the name of a function,
// as the runtime does in stacks: they are long, and have slashes and dots of their own.
func withoutTypeArguments(s string) string {
	var b strings.Builder
	depth := 0
	for _, r := range s {
		if r == '[' {
			if depth++; depth == 1 {
				b.WriteString("[...]")
			}
		}
		if depth == 0 {
			b.WriteRune(r)
		}
		if r == ']' {
			depth = max(0, depth-1)
		}
	}
	return b.String()
}
