package runner

import (
	"regexp"
	"strings"
)

// A masking replaces one kind of text that differs from run to run.
type masking struct {
	pattern *regexp.Regexp
	with    string
	number  bool // it may be a value that the test got
}

// maskings are applied in order: the more specific patterns first, and plain numbers last.
var maskings = []masking{
	{regexp.MustCompile(`\x1b\[[0-9;?]*[ -/]*[@-~]`), "", false}, // terminal escapes
	{regexp.MustCompile(`\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b`),
		"<uuid>", false},
	{regexp.MustCompile(
		`\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?: ?(?:Z\b|[+-]\d\d:?\d\d(?: [A-Z]{3,4}\b)?|[A-Z]{3,4}\b))?(?: m=[+-][\d.]+)?`),
		"<time>", false},
	{regexp.MustCompile(`\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b`), "<time>", false},
	{regexp.MustCompile(`(?:/private)?(?:/var/folders/[\w+]+/[\w+]+/T|/tmp|/var/tmp|/dev/shm)/[^\s"'` + "`" +
		`:,;)\]}]+`), "<tmp>", false},
	{regexp.MustCompile(`[A-Za-z]:\\[^\s"']*\\Temp\\[^\s"':,;)\]}]+`), "<tmp>", false},
	{regexp.MustCompile(`\b0[xX][0-9a-fA-F]+\??`), "<addr>", false},
	{regexp.MustCompile(`(?:\b\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-fA-F:]*:[0-9a-fA-F:.]*(?:%\w+)?\]|\blocalhost):\d+\b`),
		"<host:port>", false},
	{regexp.MustCompile(`-?\b(?:\d+(?:\.\d+)?(?:ns|us|µs|μs|ms|h|m|s))+\b`), "<duration>", false},
	{regexp.MustCompile(`\bgoroutine \d+\b`), "goroutine N", false},
	{regexp.MustCompile(`\b(?:[0-9]+[a-f]+|[a-f]+[0-9]+)[0-9a-f]{6,}\b`), "<hex>", false},
	{regexp.MustCompile(`[-+]?\b\d+(?:[.,_]\d+)*(?:e[-+]?\d+)?`), "N", true},
	{regexp.MustCompile(`\d+`), "N", true}, // within words: "worker12"
	{regexp.MustCompile(`\s+`), " ", false},
}

// maxMessage limits a masked message, in bytes.
const maxMessage = 240

// Wording returns a message with all that Mask replaces, except plain numbers. Messages with the
// same wording say the same.
func Wording(s string) string { return masked(s, false) }

func masked(s string, numbers bool) string {
	s = strings.ToValidUTF8(s[:min(len(s), 8<<10)], "\uFFFD")
	s = strings.ReplaceAll(s, "\u00a0", " ") // go-cmp randomly prints either
	for _, m := range maskings {
		if numbers || !m.number {
			s = m.pattern.ReplaceAllString(s, m.with)
		}
	}
	return strings.TrimSpace(s)
}

// Mask replaces all that differs between runs of the same code (numbers, addresses, durations, times,
// temporary paths, ports, goroutine ids, UUIDs) with fixed words, and returns one line.
func Mask(s string) string {
	s = masked(s, true)
	return strings.ToValidUTF8(s[:min(len(s), maxMessage)], "")
}
