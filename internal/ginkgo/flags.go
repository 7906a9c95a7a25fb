package ginkgo

import (
	"regexp"
	"strconv"
	"strings"
)

// Run translates the pattern of -run. tests selects tests of package testing, specs is for the
// flags of Ginkgo; it is "" if all specs are meant. The pattern may name specs as fdebug does,
// TestBooks:Cart_adds, or as if they were subtests, TestBooks/adds.
func (s Suite) Run(pattern string) (tests, specs string) {
	pattern = s.level(pattern)
	if !strings.Contains(pattern, s.Test+":") {
		return pattern, ""
	}
	tests = regexp.MustCompile(regexp.QuoteMeta(s.Test)+
		`:(?:\\.|\[[^\]]*\]|[^|)$\\])*`).ReplaceAllLiteralString(pattern, s.Test)
	return tests, s.specs(pattern)
}

// level changes TestBooks/adds to TestBooks:.*adds, and TestBooks/^Cart to TestBooks:Cart.
func (s Suite) level(pattern string) string {
	test, spec, ok := strings.Cut(pattern, "/")
	if start := strings.TrimSuffix(test, "$"); !ok || strings.TrimPrefix(start, "^") != s.Test {
		return pattern
	}
	if spec, exact := strings.CutPrefix(spec, "^"); exact {
		return s.Test + ":" + spec
	}
	return s.Test + ":.*" + spec
}

// specs returns the pattern for the text that Ginkgo compares: the description of the suite, and
// the texts of a spec. A name does not tell what an underscore stands for.
func (s Suite) specs(pattern string) string {
	text := ".* "
	if s.Description != "" {
		text = regexp.QuoteMeta(s.Description) + " "
	}
	return "(?s)" + strings.ReplaceAll(strings.ReplaceAll(pattern, s.Test+":", text), "_", ".")
}

// Flags returns the flags of Ginkgo for the values of -run, -skip and -shuffle.
func (s Suite) Flags(run, skip, shuffle string) []string {
	flags := order(shuffle)
	if _, specs := s.Run(run); specs != "" {
		flags = append(flags, "-ginkgo.focus="+specs)
	}
	if _, specs := s.Run(skip); specs != "" {
		flags = append(flags, "-ginkgo.skip="+specs)
	}
	return flags
}

// order says in which order specs run. Without a seed Ginkgo takes one from the clock. It then
// shuffles top-level containers, and so it does for the seeds that [Seed] returns. For others it
// shuffles all specs, as -shuffle does with tests.
func order(shuffle string) []string {
	seed, err := strconv.ParseInt(shuffle, 10, 64)
	switch {
	case shuffle == "on":
		return []string{"-ginkgo.randomize-all"}
	case err != nil || seed == 0:
		return []string{"-ginkgo.seed=1"}
	case seed < 0:
		return []string{"-ginkgo.seed=" + strconv.FormatInt(-seed, 10)}
	}
	return []string{"-ginkgo.seed=" + shuffle, "-ginkgo.randomize-all"}
}

// Seed returns the value of -shuffle for an order that Ginkgo may choose itself.
func Seed(seed uint64) string { return strconv.FormatInt(-int64(seed&(1<<62-1)), 10) }

// OwnOrder reports whether a value of -shuffle comes from [Seed]. Package testing does not get it.
func OwnOrder(shuffle string) bool { return strings.HasPrefix(shuffle, "-") }
