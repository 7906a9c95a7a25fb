package session

import (
	"os"
	"strconv"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
)

// Options returns the options of a rerun under the same conditions.
func (j *Session) Options() finding.Options {
	s := j.Sel
	o := finding.Options{
		C: j.Chdir, Out: j.Out, Packages: j.Patterns, Bundle: j.BundleFile,
		Run: s.Run, Skip: s.Skip, Shuffle: s.Shuffle, Parallel: j.Parallel, CPU: s.CPU,
		Flags: j.runFlags(), Args: s.Extra,
	}
	if !j.Builds() {
		o.Packages = j.Packed.Asked
		return o
	}
	if dir := j.AbsDir(); !sameDir(dir, j.Plan.Sites.Root) {
		o.Dir = dir
	}
	o.Flags = append(j.BuiltWith(), o.Flags...)
	return o
}

// BuiltWith returns the flags that say how the tests are built, here or before.
func (j *Session) BuiltWith() (list flagList) {
	for _, flag := range j.Flags {
		list = append(list, strings.TrimSuffix(flag, "=true"))
	}
	list.text("vet", j.Vet)
	list.text("overlay", j.Overlay)
	for _, p := range j.Instrument {
		list.text("instrument", p)
	}
	list.on("generated", j.Generated)
	return list
}

// runFlags returns the flags that say how the tests run.
func (j *Session) runFlags() (list flagList) {
	s := j.Sel
	list.text("exec", joined(s.Exec))
	if s.CPUs > 0 {
		list.text("cpus", strconv.FormatFloat(s.CPUs, 'g', -1, 64))
	}
	if s.Timeout > 0 {
		list.text("timeout", s.Timeout.String())
	}
	for _, f := range []struct {
		name  string
		value int
	}{{"parallel", s.Parallel}, {"count", s.Count}} {
		if f.value > 0 {
			list.text(f.name, strconv.Itoa(f.value))
		}
	}
	list.on("short", s.Short)
	list.on("failfast", s.FailFast)
	list.on("fullpath", s.FullPath)
	return list
}

// A flagList is flags as they are typed.
type flagList []string

func (l *flagList) text(name, value string) {
	if value != "" {
		*l = append(*l, "-"+name+"="+value)
	}
}

func (l *flagList) on(name string, on bool) {
	if on {
		*l = append(*l, "-"+name)
	}
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
