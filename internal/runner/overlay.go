package runner

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// An overlay is the -overlay that a build passes to go: the user's own, with the instrumented
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
	if o.ours, err = ReadOverlay(b.Overlay, base); err != nil || theirs == "" && len(b.Added) == 0 {
		return o, err
	}
	maps.Copy(o.ours, b.Added)
	if o.user, err = ReadOverlay(theirs, base); err != nil {
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

// ReadOverlay reads an overlay file, "" for none, and returns the files that replace others, by their paths. All are
// absolute.
func ReadOverlay(path, dir string) (map[string]string, error) {
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

var errorPosition = regexp.MustCompile(`(?m)^((?:vet: )?)(\S[^\n]*?\.go):(\d+)(?::\d+)?(:? )`)

// restore replaces the positions in go's error messages by the user's paths and lines. The go command names the
// instrumented file in most errors, and the user's own in syntax errors. The column, always in the instrumented file, goes.
func (o *overlay) restore(output string) string {
	if len(o.ours) == 0 {
		return output
	}
	return errorPosition.ReplaceAllStringFunc(output, func(s string) string {
		m := errorPosition.FindStringSubmatch(s)
		if own := o.find(absolute(m[2], o.dir)); own != "" {
			return m[1] + o.short(own) + ":" + m[3] + m[4]
		}
		return s
	})
}

// find returns the user's file, given its path or that of the instrumented one; "" for another file.
func (o *overlay) find(path string) string {
	for target, instrumented := range o.ours {
		if path == target || path == instrumented {
			return cmp.Or(o.user[target], target)
		}
	}
	return ""
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
