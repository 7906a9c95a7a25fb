package diagnose

import (
	"regexp"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
)

// saidPermuted reports whether all runs with a failure said that they got what was wanted, in another order. What all
// of them said must be known.
func saidPermuted(f *finding.Failure) bool {
	return f.MoreWordings == 0 && len(f.Runs) > 0 && diffPermuted(f.Message) &&
		!slices.ContainsFunc(f.Wordings, func(w finding.Wording) bool { return !diffPermuted(w.Text) })
}

var hunk = regexp.MustCompile(`(?s)\n--- Expected\n\+\+\+ Actual\n@@[^\n]*@@\n(.*)$`)

// diffPermuted reports whether the diff in a message of testify, if that is in one piece,
// has whole elements of a list on both sides, and the same ones.
func diffPermuted(message string) bool {
	m := hunk.FindStringSubmatch(message)
	if m == nil || strings.Contains(m[1], "\n@@") {
		return false
	}
	var want, got []string
	for _, line := range strings.Split(strings.TrimRight(m[1], "\n"), "\n") {
		if line == "" {
			return false
		}
		text := strings.TrimSuffix(strings.TrimSpace(strings.TrimLeft(line[:1], "+-")+line[1:]), ",")
		if line[0] != '+' {
			want = append(want, text)
		}
		if line[0] != '-' {
			got = append(got, text)
		}
	}
	a, ok := dumped(unwrapped(want))
	b, too := dumped(unwrapped(got))
	return ok && too && a == b
}

// unwrapped returns the lines of the elements of a list that is printed whole, else all.
func unwrapped(lines []string) []string {
	n := len(lines)
	if n > 2 && strings.HasPrefix(lines[0], "([") && strings.HasSuffix(lines[0], "{") && lines[n-1] == "}" {
		return lines[1 : n-1]
	}
	return lines
}

// dumped returns the elements of a list as they are printed, a line for each part, in one
// order; ok is false if these are parts of elements, or fields.
func dumped(lines []string) (text string, ok bool) {
	var list []string
	depth := 0
	for _, s := range lines {
		if strings.HasPrefix(s, "}") {
			depth--
		}
		switch {
		case depth < 0, depth == 0 && !strings.HasPrefix(s, "(") && !strings.HasPrefix(s, "}"):
			return "", false
		case depth == 0 && !strings.HasPrefix(s, "}"):
			list = append(list, s)
		default:
			list[len(list)-1] += "\n" + s
		}
		if strings.HasSuffix(s, "{") {
			depth++
		}
	}
	slices.Sort(list)
	return strings.Join(list, "\n"), depth == 0 && len(list) > 1
}
