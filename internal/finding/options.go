package finding

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/text"
)

// Options are what was said on the command line of a run that the outcome of a
// test may depend on, so that it can be run again under the same conditions.
type Options struct {
	Dir      string   `json:"dir,omitempty"`      // where packages were named from, "" for the module root
	C        string   `json:"C,omitempty"`        // -C as typed
	Out      string   `json:"out,omitempty"`      // -o as typed
	Bundle   string   `json:"bundle,omitempty"`   // -bundle as typed
	Packages []string `json:"packages,omitempty"` // patterns
	Run      string   `json:"run,omitempty"`      // -run
	Skip     string   `json:"skip,omitempty"`     // -skip
	Shuffle  string   `json:"shuffle,omitempty"`  // -shuffle: "on", "off" or a seed
	Parallel int      `json:"p,omitempty"`        // -p
	CPU      string   `json:"cpu,omitempty"`      // -cpu
	Flags    []string `json:"flags,omitempty"`    // all others that matter: "-race", "-timeout=30s"
	Args     []string `json:"args,omitempty"`     // what stood after --
}

// LooksForRaces reports whether -race was given, or a flag that excludes it.
func (o *Options) LooksForRaces() bool {
	return o.Bundle != "" || slices.ContainsFunc(o.Flags, func(flag string) bool {
		return slices.Contains([]string{"-race", "-msan", "-asan"}, flag)
	})
}

// Words returns the words of a command line under these conditions, as fdebug run PACKAGES -n 50; n is
// 0 for a command that decides itself how many runs it makes.
func (o *Options) Words(command string, n int) []string {
	words := []string{"fdebug"}
	add := func(flag, value string) {
		if value != "" {
			words = append(words, flag, value)
		}
	}
	add("-C", o.C)
	words = append(words, command)
	add("-o", o.Out)
	add("-bundle", o.Bundle)
	words = append(words, o.Packages...)
	add("-run", o.Run)
	add("-skip", o.Skip)
	words = append(words, o.Flags...)
	if o.CPU != "" {
		words = append(words, "-cpu="+o.CPU)
	}
	if o.Parallel > 1 {
		words = append(words, fmt.Sprintf("-procs=%d", o.Parallel))
	}
	add("-shuffle", o.Shuffle)
	if n > 0 {
		add("-n", fmt.Sprint(n))
	}
	if len(o.Args) > 0 {
		words = append(append(words, "--"), o.Args...)
	}
	return words
}

// Typed is Words as they are typed.
func (o *Options) Typed(command string) string {
	words := o.Words(command, 0)
	for i, w := range words {
		words[i] = text.ShellQuote(w)
	}
	return strings.Join(words, " ")
}

// RunPattern returns the -run pattern for exactly the named test.
func RunPattern(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}
