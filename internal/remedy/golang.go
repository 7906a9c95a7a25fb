package remedy

import (
	"go/version"
	"path"
	"regexp"
)

// sortedKeysSince is the first version of Go with which slices.Sorted(maps.Keys(m)) builds.
const sortedKeysSince = "go1.23"

var goLine = regexp.MustCompile(`(?m)^go[ \t]+(1\.[0-9]+)`)

// goVersion returns the version of Go that a file is written for, by the go line of the nearest go.mod
// above it, or "" if none can be read. A go.mod without that line means Go 1.16.
func (p *Proposer) goVersion(file string) string {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		if text, err := p.Source(path.Join(dir, "go.mod")); err == nil {
			if m := goLine.FindSubmatch(text); m != nil {
				return "go" + string(m[1])
			}
			return "go1.16"
		}
		if dir == "." || dir == "/" || dir == path.Dir(dir) || path.Base(dir) == ".." {
			return ""
		}
	}
}

// hasSortedKeys reports whether a file may use slices.Sorted(maps.Keys(m)), as far as is known.
func (p *Proposer) hasSortedKeys(file string) bool {
	v := p.goVersion(file)
	return v == "" || version.Compare(v, sortedKeysSince) >= 0
}
