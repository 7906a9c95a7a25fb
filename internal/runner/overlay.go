package runner

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An overlay is what a build passes to go as -overlay: the user's own, with the instrumented
// files on top.
type overlay struct {
	dir   string   // where go runs; relative paths are relative to it
	path  string   // of the JSON file to pass, "" for none
	flags []string // the build flags without the user's -overlay
	// user maps a path to the file that replaces it in the user's overlay, ours to the
	// instrumented or added one. All paths are absolute.
	user, ours map[string]string
}

// overlay merges the instrumented files and the added ones with the user's own -overlay. It
// writes the merged file to dir.
func (b *Build) overlay(dir string) (*overlay, error) {
	base, err := filepath.Abs(b.Dir)
	if err != nil {
		return nil, err
	}
	o := &overlay{dir: base, flags: b.Flags}
	if b.Overlay == "" && len(b.Added) == 0 {
		return o, nil
	}
	theirs, rest := cutOverlay(b.Flags)
	o.flags, o.path = rest, b.Overlay
	if theirs == "" {
		theirs, _ = cutOverlay(goflags(append(os.Environ(), b.Env...)))
	}
	if o.ours, err = readOverlay(b.Overlay, base); err != nil || theirs == "" && len(b.Added) == 0 {
		return o, err
	}
	maps.Copy(o.ours, b.Added)
	if o.user, err = readOverlay(theirs, base); err != nil {
		return o, err
	}
	merged := maps.Clone(o.user)
	maps.Copy(merged, o.ours)
	data, err := json.Marshal(map[string]any{"Replace": merged})
	if err != nil {
		return o, err
	}
	o.path = filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(o.path, data, 0o666); err != nil {
		return o, fmt.Errorf("writing the merged overlay: %w", err)
	}
	return o, nil
}

// cutOverlay returns the value of the last -overlay in flags, and the other flags.
func cutOverlay(flags []string) (path string, rest []string) {
	for i := 0; i < len(flags); i++ {
		name, value, inline := strings.Cut(strings.TrimLeft(flags[i], "-"), "=")
		switch {
		case name != "overlay" || !strings.HasPrefix(flags[i], "-"):
			rest = append(rest, flags[i])
		case inline:
			path = value
		case i+1 < len(flags):
			path = flags[i+1]
			i++
		}
	}
	return path, rest
}

// goflags returns the flags in the last GOFLAGS of an environment. It does not see one set with
// `go env -w`.
func goflags(env []string) []string {
	for _, kv := range slices.Backward(env) {
		if v, ok := strings.CutPrefix(kv, "GOFLAGS="); ok {
			return strings.Fields(v)
		}
	}
	return nil
}

// readOverlay reads an overlay file, "" for none, and makes its paths absolute.
func readOverlay(path, dir string) (map[string]string, error) {
	if path == "" {
		return make(map[string]string), nil
	}
	data, err := os.ReadFile(absolute(path, dir))
	if err != nil {
		return nil, fmt.Errorf("reading the overlay: %w", err)
	}
	var file struct{ Replace map[string]string }
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("reading the overlay %s: %w", path, err)
	}
	abs := make(map[string]string, len(file.Replace))
	for from, to := range file.Replace {
		if to != "" { // "" removes the file
			to = absolute(to, dir)
		}
		abs[absolute(from, dir)] = to
	}
	return abs, nil
}

func absolute(path, dir string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

var errorPosition = regexp.MustCompile(`(?m)^((?:vet: )?)(\S[^\n]*?\.go):(\d+)(?::(\d+))?(:? )`)

// restore replaces the positions in go's error messages by the user's paths and columns. The go
// command names the instrumented file in most errors, and the user's own in syntax errors. The
// column is always in the instrumented file.
func (o *overlay) restore(output string) string {
	if len(o.ours) == 0 {
		return output
	}
	return errorPosition.ReplaceAllStringFunc(output, func(s string) string {
		m := errorPosition.FindStringSubmatch(s)
		from, to := o.find(absolute(m[2], o.dir))
		if from == "" {
			return s
		}
		column := ""
		if m[4] != "" {
			line, _ := strconv.Atoi(m[3])
			col, _ := strconv.Atoi(m[4])
			column = fmt.Sprintf(":%d", originalColumn(from, to, line, col))
		}
		return m[1] + o.short(from) + ":" + m[3] + column + m[5]
	})
}

// find returns the user's file and the instrumented one, given the path of either.
func (o *overlay) find(path string) (from, to string) {
	for target, instrumented := range o.ours {
		if path != target && path != instrumented {
			continue
		}
		if own := o.user[target]; own != "" {
			return own, instrumented
		}
		return target, instrumented
	}
	return "", ""
}

// short names a file as the go command does: relative to its directory, if that is shorter.
func (o *overlay) short(path string) string {
	rel, err := filepath.Rel(o.dir, path)
	if err != nil || len(rel) >= len(path) {
		return path
	}
	if !strings.ContainsRune(rel, filepath.Separator) {
		return "." + string(filepath.Separator) + rel
	}
	return rel
}

// originalColumn maps a column of the instrumented file to the user's. Probes are inserted within
// lines, so the user's line is a subsequence of the instrumented one.
func originalColumn(from, to string, line, col int) int {
	a, b := lineOf(from, line), lineOf(to, line)
	if a == b || len(a)*len(b) > 4<<20 {
		return col
	}
	return min(align(a, b, col-1), len(a)) + 1
}

func lineOf(file string, n int) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		if n--; n == 0 {
			return strings.TrimRight(line, "\r\n")
		}
	}
	return ""
}

// align returns the offset in a that corresponds to offset at in b, which is a with text
// inserted. It looks for the alignment with the fewest insertions, from the end: an entry [i][j]
// below is their number in b[j:] against a[i:].
func align(a, b string, at int) int {
	const never = 1 << 20
	w := len(b) + 1
	match := make([]int32, (len(a)+1)*w)  // lowest cost if b[j] belongs to a
	insert := make([]int32, (len(a)+1)*w) // lowest cost if b[j] is inserted text
	for i := len(a); i >= 0; i-- {
		for j := len(b); j >= 0; j-- {
			k := i*w + j
			match[k], insert[k] = never, never
			if i == len(a) && j == len(b) {
				match[k], insert[k] = 0, 0
				continue
			}
			if i < len(a) && j < len(b) && a[i] == b[j] {
				match[k] = min(match[k+w+1], insert[k+w+1]+1)
			}
			if j < len(b) {
				insert[k] = min(insert[k+1], match[k+1])
			}
		}
	}
	if min(match[0], insert[0]) >= never {
		return at // b is not a with insertions after all
	}
	i, inserting := 0, insert[0]+1 < match[0]
	for j := 0; j < min(at, len(b)); j++ {
		k := i*w + j
		if inserting {
			inserting = insert[k+1] <= match[k+1]
			continue
		}
		inserting = insert[k+w+1]+1 < match[k+w+1]
		i++
	}
	for i > 0 && i < len(a) && !utf8.RuneStart(a[i]) {
		i--
	}
	return i
}
