package remedy

import (
	"go/version"
	"path"
	"regexp"
)

// SortedKeys is the first version of Go with which slices.Sorted(maps.Keys(m)) builds.
const SortedKeys = "go1.23"

var goLine = regexp.MustCompile(`(?m)^go[ \t]+(1\.[0-9]+)`)

// Go returns the version of Go that a file is written for, by the go line of the nearest go.mod
// above it, or "" if none can be read. A go.mod without that line means Go 1.16.
func (p *Proposer) Go(file string) string {
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

// Has reports whether a file may use what was added in a version of Go, as far as is known.
func (p *Proposer) Has(file, since string) bool {
	v := p.Go(file)
	return v == "" || version.Compare(v, since) >= 0
}
