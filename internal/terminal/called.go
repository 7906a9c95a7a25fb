package terminal

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fdebug/fdebug/internal/text"
)

// CalledAs returns what the user types for fdebug: "fdebug", or the go command that has built it.
func CalledAs(args []string) string {
	exe, err := os.Executable()
	if err != nil || !isGoBuilt(exe, os.TempDir()) {
		return "fdebug"
	}
	parent, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(os.Getppid()), "cmdline")) // on Linux
	if err == nil {
		if s := goCommand(strings.Split(strings.TrimSuffix(string(parent), "\x00"), "\x00"), len(args)); s != "" {
			return s
		}
	}
	if info, err := os.Stat("cmd/fdebug"); err == nil && info.IsDir() { // fdebug's own tree
		return "go run ./cmd/fdebug"
	}
	return "go tool fdebug"
}

// isGoBuilt reports whether go run or go tool has built an executable: it is where go builds, or
// in the build cache.
func isGoBuilt(exe, temp string) bool {
	rel, err := filepath.Rel(temp, exe)
	return err == nil && strings.HasPrefix(rel, "go-build") || inCache.MatchString(filepath.ToSlash(exe))
}

// inCache matches the name of an executable in the build cache.
var inCache = regexp.MustCompile(`/[0-9a-f]{2}/[0-9a-f]{64}-d/[^/]*$`)

// goCommand returns the beginning of a command line of go run or go tool that ends with the given
// number of arguments of fdebug, or "" if it is another command.
func goCommand(line []string, args int) string {
	n := len(line) - args
	if n < 3 || strings.TrimSuffix(filepath.Base(line[0]), ".exe") != "go" ||
		!slices.Contains(line[1:n-1], "run") && !slices.Contains(line[1:n-1], "tool") {
		return ""
	}
	words := []string{"go"}
	for _, word := range line[1:n] {
		words = append(words, text.ShellQuote(word))
	}
	return strings.Join(words, " ")
}

// Namer returns a function that replaces fdebug in commands in a text with what the user types,
// or nil if that is fdebug itself.
func Namer(called string, commands []string) func(string) string {
	if called == "fdebug" {
		return nil
	}
	command := regexp.MustCompile("(^|[\\s`'\"(])fdebug ((?:" + strings.Join(commands, "|") + ")\\b)")
	return func(s string) string {
		return command.ReplaceAllString(s, "${1}"+strings.ReplaceAll(called, "$", "$$")+" ${2}")
	}
}

// A namedWriter names commands in what is written to it. Each must be in one call of Write.
type namedWriter struct {
	w    io.Writer
	name func(string) string
}

func (n namedWriter) Write(p []byte) (int, error) {
	if _, err := io.WriteString(n.w, n.name(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}
