package runner

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// A masking replaces one kind of text that differs from run to run.
type masking struct {
	pattern *regexp.Regexp
	with    string
}

// maskings are applied in order: the more specific patterns come first, and
// plain numbers last.
var maskings = []masking{
	{regexp.MustCompile(`\x1b\[[0-9;?]*[ -/]*[@-~]`), ""}, // terminal escapes
	{regexp.MustCompile(`\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b`), "<uuid>"},
	{regexp.MustCompile(`\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?: ?(?:Z\b|[+-]\d\d:?\d\d(?: [A-Z]{3,4}\b)?|[A-Z]{3,4}\b))?(?: m=[+-][\d.]+)?`), "<time>"},
	{regexp.MustCompile(`\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b`), "<time>"},
	{regexp.MustCompile(`(?:/private)?(?:/var/folders/[\w+]+/[\w+]+/T|/tmp|/var/tmp|/dev/shm)/[^\s"'` + "`" + `:,;)\]}]+`), "<tmp>"},
	{regexp.MustCompile(`[A-Za-z]:\\[^\s"']*\\Temp\\[^\s"':,;)\]}]+`), "<tmp>"},
	{regexp.MustCompile(`\b0[xX][0-9a-fA-F]+\??`), "<addr>"},
	{regexp.MustCompile(`(?:\b\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-fA-F:]*:[0-9a-fA-F:.]*(?:%\w+)?\]|\blocalhost):\d+\b`), "<host:port>"},
	{regexp.MustCompile(`-?\b(?:\d+(?:\.\d+)?(?:ns|us|µs|μs|ms|h|m|s))+\b`), "<duration>"},
	{regexp.MustCompile(`\bgoroutine \d+\b`), "goroutine N"},
	{regexp.MustCompile(`\b(?:[0-9]+[a-f]+|[a-f]+[0-9]+)[0-9a-f]{6,}\b`), "<hex>"},
	{regexp.MustCompile(`[-+]?\b\d+(?:[.,_]\d+)*(?:e[-+]?\d+)?`), "N"},
	{regexp.MustCompile(`\d+`), "N"}, // within words: "worker12"
	{regexp.MustCompile(`\s+`), " "},
}

// maxMessage bounds a masked message, in bytes.
const maxMessage = 240

// Mask replaces what differs between runs of the same code (numbers,
// addresses, durations, times, temporary paths, ports, goroutine ids, UUIDs)
// by fixed words, and returns one line.
func Mask(s string) string {
	if len(s) > 8<<10 {
		s = s[:8<<10]
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	for _, m := range maskings {
		s = m.pattern.ReplaceAllString(s, m.with)
	}
	s = strings.TrimSpace(s)
	if len(s) <= maxMessage {
		return s
	}
	s = s[:maxMessage]
	for !utf8.ValidString(s) {
		s = s[:len(s)-1]
	}
	return s
}
