package main

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/diagnose"
	"github.com/fdebug/fdebug/internal/lab/phrasing"
)

// Limits of the documentation, so that people read it.
const (
	maxDocWords  = 15_000 // README, CONTRIBUTING and docs together
	maxPage      = 1_500  // words of a page for engineers
	maxSentence  = 20     // words besides code
	maxLimits    = 40     // lines of docs/limits.md
	maxLineBytes = 120    // of a line of text there
)

// pageWords are limits of single pages.
var pageWords = map[string]int{
	"README.md": 700, "CONTRIBUTING.md": 1_400, "docs/architecture.md": 1_000,
	"docs/recording.md": maxPage, "docs/comparison.md": maxPage, "docs/experiments.md": maxPage, "docs/diagnosis.md": maxPage,
}

// docPages returns the pages of the documentation by their path in the repository.
func docPages(t *testing.T) map[string]string {
	t.Helper()
	pages := make(map[string]string)
	names, err := fs.Glob(os.DirFS("../.."), "docs/*.md")
	if err != nil || len(names) == 0 {
		t.Fatal("no docs", err)
	}
	for _, name := range append(names, "README.md", "CONTRIBUTING.md") {
		text, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		pages[name] = string(text)
	}
	return pages
}

// TestDocWords checks that pages stay short.
func TestDocWords(t *testing.T) {
	sum, pages := 0, docPages(t)
	for name, text := range pages {
		n := len(strings.Fields(text))
		sum += n
		if most := pageWords[name]; most > 0 && n > most {
			t.Errorf("%s has %d words, want at most %d", name, n, most)
		}
	}
	if sum > maxDocWords {
		t.Errorf("the documentation has %d words, want at most %d", sum, maxDocWords)
	}
	lines := strings.Split(strings.TrimSuffix(pages["docs/limits.md"], "\n"), "\n")
	if len(lines) > maxLimits {
		t.Errorf("docs/limits.md has %d lines, want at most %d", len(lines), maxLimits)
	}
	for _, line := range lines {
		if len(line) > maxLineBytes {
			t.Errorf("docs/limits.md: a line of %d bytes: %s", len(line), line)
		}
	}
}

var (
	docLink    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	docHeading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	notInSlug  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestDocLinks follows the links of the pages to files and headings of the repository.
func TestDocLinks(t *testing.T) {
	pages := docPages(t)
	for _, name := range []string{"examples/README.md", "internal/lab/accuracy/RESULTS.md", "internal/lab/fidelity/RESULTS.md"} {
		text, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		pages[name] = string(text)
	}
	links := 0
	for name, text := range pages {
		for _, m := range docLink.FindAllStringSubmatch(withoutBlocks(text), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			links++
			if err := resolve(pages, name, m[1]); err != nil {
				t.Errorf("%s: %s: %v", name, m[1], err)
			}
		}
	}
	if links < 30 {
		t.Errorf("%d links were found", links)
	}
}

// docFile matches a file of the tree, with its directory from the root.
var docFile = regexp.MustCompile("`((?:cmd|divergence|internal|report|templates|trace)/[a-z0-9_./-]+\\.(?:go|css|html))`")

// TestDocFiles looks for the files that pages name.
func TestDocFiles(t *testing.T) {
	files := 0
	for name, text := range docPages(t) {
		for _, m := range docFile.FindAllStringSubmatch(text, -1) {
			files++
			if _, err := os.Stat(filepath.Join("../..", m[1])); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if files < 10 {
		t.Errorf("%d files were found", files)
	}
}

// resolve follows a link from a page.
func resolve(pages map[string]string, from, link string) error {
	file, anchor, _ := strings.Cut(link, "#")
	to := from
	if file != "" {
		to = path.Join(path.Dir(from), file)
		if _, err := os.Stat(filepath.Join("../..", to)); err != nil {
			return err
		}
	}
	if anchor == "" {
		return nil
	}
	for _, h := range docHeading.FindAllStringSubmatch(withoutBlocks(pages[to]), -1) {
		if strings.ReplaceAll(notInSlug.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-") == anchor {
			return nil
		}
	}
	return fmt.Errorf("%s has no such heading", to)
}

// TestForbidden looks for these phrases in what people read: pages, help, templates, comments
// in Go files, and inputs and outputs of tests.
func TestForbidden(t *testing.T) {
	texts := docPages(t)
	for name, text := range helpPages(t) {
		texts[name] = text
	}
	eachFile(t, func(path string, text []byte) {
		switch {
		case filepath.Ext(path) == ".go":
			for place, comment := range comments(t, path, text) {
				texts[place] = comment
			}
		case strings.HasPrefix(path, "templates/"), filepath.Ext(path) == ".md":
			texts[path] = string(text)
		}
	})
	maps.Copy(texts, inputs(t))
	for name, text := range texts {
		if m := phrasing.Forbidden.FindString(strings.Join(strings.Fields(text), " ")); m != "" {
			t.Errorf("%s: %q", name, m)
		}
	}
}

// inputs returns the texts in directories of test data, without what begins the lines of comments.
func inputs(t *testing.T) map[string]string {
	t.Helper()
	mark := regexp.MustCompile(`(?m)^\s*(//|#) `)
	texts := make(map[string]string)
	err := filepath.WalkDir("../..", func(path string, d os.DirEntry, err error) error {
		if d != nil && d.IsDir() && (d.Name() == "fuzz" || d.Name() == ".git") {
			return filepath.SkipDir
		}
		if err != nil || !strings.Contains(path, "/testdata/") || !slices.Contains([]string{".txtar", ".txt", ".src", ".golden", ".md"}, filepath.Ext(path)) {
			return err
		}
		text, err := os.ReadFile(path)
		texts[path] = mark.ReplaceAllString(string(text), "")
		return err
	})
	if err != nil || len(texts) == 0 {
		t.Fatal(err)
	}
	return texts
}

// comments returns the comments of a Go file, by their place.
func comments(t *testing.T, path string, text []byte) map[string]string {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	list := make(map[string]string)
	for _, c := range f.Comments {
		list[fmt.Sprintf("%s:%d", path, fset.PositionFor(c.Pos(), false).Line)] = c.Text()
	}
	return list
}

// helpPages returns the help on each subject.
func helpPages(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("help/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no help", err)
	}
	pages := make(map[string]string)
	for _, f := range files {
		var out bytes.Buffer
		name := strings.TrimSuffix(filepath.Base(f), ".txt")
		new(app).printHelp(&out, name)
		pages["fdebug help "+name] = out.String()
	}
	return pages
}

// TestSentences checks that no sentence of pages and help is long.
func TestSentences(t *testing.T) {
	for name, text := range docPages(t) {
		for _, s := range sentences(markdownTexts(text)) {
			if n := countWords(s); n > maxSentence {
				t.Errorf("%s: %d words: %s", name, n, s)
			}
		}
	}
	files, _ := filepath.Glob("help/*.txt")
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range sentences(helpTextsOf(string(text))) {
			if n := countWords(s); n > maxSentence {
				t.Errorf("%s: %d words: %s", f, n, s)
			}
		}
	}
	for _, r := range diagnose.Rules() {
		for _, s := range sentences([]string{r.Doc}) {
			if n := countWords(s); n > maxSentence {
				t.Errorf("rule %s: %d words: %s", r.Name, n, s)
			}
		}
	}
}

var (
	inlineCode  = regexp.MustCompile("`[^`]*`")
	linkText    = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	comment     = regexp.MustCompile(`(?s)<!--.*?-->`)
	listItem    = regexp.MustCompile(`^ *([-*]|\d+\.) `)
	sentenceEnd = regexp.MustCompile(`[.!?]["*)]*( |$)`)
	hasLetter   = regexp.MustCompile(`[\pL\pN]`)
)

// withoutBlocks removes blocks of code.
func withoutBlocks(text string) string {
	var b strings.Builder
	fenced := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
			line = "\n"
		}
		if fenced || strings.HasPrefix(line, "\t") {
			line = "\n"
		}
		b.WriteString(line)
	}
	return b.String()
}

// markdownTexts returns paragraphs, items of lists, cells of tables and headings, without code.
func markdownTexts(text string) (list []string) {
	text = comment.ReplaceAllString(withoutBlocks(text), "")
	text = linkText.ReplaceAllString(inlineCode.ReplaceAllString(text, "code"), "$1")
	open := false // whether the next line continues the text
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.TrimSpace(line) == "":
			open = false
		case strings.HasPrefix(line, "|"):
			list, open = append(list, strings.Split(line, "|")...), false
		case strings.HasPrefix(line, "#"):
			list, open = append(list, line), false
		case !open || listItem.MatchString(line):
			list, open = append(list, line), true
		default:
			list[len(list)-1] += " " + strings.TrimSpace(line)
		}
	}
	return list
}

// columns matches what precedes the explanation of a flag or an example.
var columns = regexp.MustCompile(`^\t\S.*?  +`)

// helpTextsOf returns paragraphs and explanations in a help text.
func helpTextsOf(text string) (list []string) {
	open := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		rest := columns.ReplaceAllString(line, "")
		switch {
		case line == "":
			open = false
		case rest != line || !open || strings.HasPrefix(line, "\tfdebug ") || strings.HasPrefix(line, "\t-"):
			list, open = append(list, strings.TrimSpace(rest)), true
		default:
			list[len(list)-1] += " " + strings.TrimSpace(line)
		}
	}
	return slices.DeleteFunc(list, func(s string) bool { return strings.HasPrefix(s, "fdebug ") || strings.HasPrefix(s, "Usage:") })
}

// sentences splits texts at the ends of sentences.
func sentences(texts []string) (list []string) {
	for _, text := range texts {
		text = strings.Join(strings.Fields(text), " ")
		for text != "" {
			end := len(text)
			if m := sentenceEnd.FindStringIndex(text); m != nil {
				end = m[1]
			}
			list, text = append(list, strings.TrimSpace(text[:end])), text[end:]
		}
	}
	return list
}

// countWords counts words, without code.
func countWords(s string) (n int) {
	for _, w := range strings.Fields(s) {
		if hasLetter.MatchString(w) && strings.Trim(w, `.,;:()*"'`) != "code" {
			n++
		}
	}
	return n
}

// TestSentenceLength shows what counts.
func TestSentenceLength(t *testing.T) {
	for text, want := range map[string][]int{
		"One two. Three `a b c` four (five)!":                                {2, 3},
		"# A heading\none\ntwo [three four](x.md)\n\n- five. six\n- seven\n": {2, 4, 1, 1, 1},
		"| a b | c. d |\n|---|---|\n":                                        {2, 1, 1},
		"x\n```\nnot counted at all\n```\n\tnor this\n":                      {1},
	} {
		var got []int
		for _, s := range sentences(markdownTexts(text)) {
			if n := countWords(s); n > 0 {
				got = append(got, n)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q has %v, want %v", text, got, want)
		}
	}
	if got := sentences(helpTextsOf("One two.\nThree.\n\n\t-f X    four five\n\t        six\n\tfdebug x    seven\n")); !slices.Equal(got, []string{"One two.", "Three.", "four five six", "seven"}) {
		t.Errorf("%q", got)
	}
}
