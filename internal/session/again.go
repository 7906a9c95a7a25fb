package session

import (
	"os"
	"strconv"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
)

// Options returns what a rerun under the same conditions needs.
func (j *Session) Options() finding.Options {
	s := j.Sel
	o := finding.Options{
		C: j.Chdir, Out: j.Out, Packages: j.Patterns,
		Run: s.Run, Skip: s.Skip, Shuffle: s.Shuffle, Parallel: j.Parallel, CPU: s.CPU, Args: s.Extra,
	}
	if dir := j.AbsDir(); j.Bundle == nil && !sameDir(dir, j.Plan.Sites.Root) {
		o.Dir = dir
	}
	for _, flag := range j.Flags {
		o.Flags = append(o.Flags, strings.TrimSuffix(flag, "=true"))
	}
	text := func(name, value string) {
		if value != "" {
			o.Flags = append(o.Flags, "-"+name+"="+value)
		}
	}
	text("vet", j.Vet)
	text("overlay", j.Overlay)
	for _, p := range j.Instrument {
		text("instrument", p)
	}
	text("exec", joined(s.Exec))
	if s.CPUs > 0 {
		text("cpus", strconv.FormatFloat(s.CPUs, 'g', -1, 64))
	}
	if s.Timeout > 0 {
		text("timeout", s.Timeout.String())
	}
	for _, f := range []struct {
		name  string
		value int
	}{{"parallel", s.Parallel}, {"count", s.Count}} {
		if f.value > 0 {
			text(f.name, strconv.Itoa(f.value))
		}
	}
	for _, f := range []struct {
		name string
		on   bool
	}{{"short", s.Short}, {"failfast", s.FailFast}, {"fullpath", s.FullPath}, {"generated", j.Generated}} {
		if f.on {
			o.Flags = append(o.Flags, "-"+f.name)
		}
	}
	return o
}

// joined quotes and joins the words of a command, as -exec takes it.
func joined(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		switch {
		case w != "" && !strings.ContainsAny(w, " \t\n\r'\""):
			quoted[i] = w
		case strings.Contains(w, "'"):
			quoted[i] = `"` + w + `"`
		default:
			quoted[i] = "'" + w + "'"
		}
	}
	return strings.Join(quoted, " ")
}

func sameDir(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
