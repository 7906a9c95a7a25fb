package report

import (
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
)

// A dump shows each goroutine only if it has several: that of a panic has but the one
// that panicked, unless GOTRACEBACK says otherwise.
func TestDumped(t *testing.T) {
	const (
		one  = "goroutine 7 [running]:\nm.f()\n\t/m/m.go:3 +0x1d\n"
		two  = "\ngoroutine 1 [chan receive, 2 minutes]:\ntesting.(*T).Run()\n\t/go/testing.go:3 +0x1d\n"
		zero = "\ngoroutine 0 [idle]:\nruntime.park()\n\t/go/proc.go:3 +0x1d\n"
	)
	for name, c := range map[string]struct{ message, dump, who, title string }{
		"panic":           {"", "panic: oops\n\n" + one, "the goroutine that panicked was", "The goroutine that panicked"},
		"panic, no head":  {"panic: oops", one, "the goroutine that panicked was", "The goroutine that panicked"},
		"the scheduler's": {"", "panic: oops\n\n" + one + zero, "the goroutine that panicked was", "The goroutine that panicked"},
		"all of a panic":  {"", "panic: oops\n\n" + one + two, "each goroutine was", "Goroutines when it was stopped"},
		"fatal error":     {"", "fatal error: concurrent map writes\n\n" + one, "one goroutine was", "One goroutine when the process ended"},
		"all":             {"", "SIGQUIT: quit\n\n" + one + two, "each goroutine was", "Goroutines when it was stopped"},
		"cut by the run":  {"", one + two + "\n[... the rest is kept with the first tests of this run ...]\n", "goroutines were", "Goroutines when it was stopped"},
		"cut by the page": {"", one + two + strings.Repeat("\t/m/m.go:3\n", 20000), "goroutines were", "Goroutines when it was stopped"},
	} {
		f := &finding.Failure{Message: c.message, Dump: c.dump}
		if got := dumped(f); got.title != c.title || got.who != c.who {
			t.Errorf("%s: got %+v", name, got)
		}
		if got := (&viewer{}).seeDump(f).Plain(); got != "The dump of goroutines on this page shows where "+c.who+" when the process ended." {
			t.Errorf("%s: says %q", name, got)
		}
	}
}
