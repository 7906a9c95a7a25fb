package main

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// printMan prints all help as one manual page, in the language of man(7).
func (a *app) printMan(w io.Writer) {
	fmt.Fprintf(w, ".TH FDEBUG 1 \"\" %q\n.ad l\n.SH NAME\nfdebug \\- find out why a Go test is flaky\n",
		"fdebug "+version())
	section := func(title, name string) {
		var help bytes.Buffer
		a.printHelp(&help, name)
		fmt.Fprintf(w, ".SH %s\n", roff(title))
		writeMan(w, help.String())
	}
	section("DESCRIPTION", "fdebug")
	names := commandNames()
	for _, name := range names {
		section("fdebug "+name, name)
	}
	for _, name := range a.subjectNames("") {
		if name != "fdebug" && !slices.Contains(names, name) {
			section(name, name)
		}
	}
}

var (
	// twoColumns are a flag or an example, and its explanation.
	twoColumns = regexp.MustCompile(`^(?:\t|  )(?:(\S.*?)  +(\S.*)|(-.{14}) (\S.*))$`)
	// heading is the title of a list, alone on its line.
	heading = regexp.MustCompile(`^[A-Z][^.]*:$`)
	// name is what the next lines explain.
	name = regexp.MustCompile(`^[\w-]+$`)
)

// writeMan writes a text of help. In those texts a paragraph ends with an empty line or where the
// next is indented less, a name alone on its line is explained by what follows, and a list has two
// columns.
func writeMan(w io.Writer, help string) {
	begins := true // the next line begins a paragraph
	bare := false  // the line before is a command without an explanation
	depth := -1    // how far it is indented
	for line := range strings.Lines(help) {
		line = strings.TrimRight(line, "\n")
		text := strings.TrimPrefix(strings.TrimLeft(line, "\t "), "Usage: ")
		if text == "" {
			begins = true
			continue
		}
		first, was, afterBare := depth < 0, depth, bare
		depth = len(line) - len(strings.TrimLeft(line, "\t ")) + 7*strings.Count(line, "\t")
		begins = begins || depth < was
		m := twoColumns.FindStringSubmatch(line)
		bare = m == nil && strings.HasPrefix(text, "fdebug ") && (depth > 0 || strings.HasPrefix(line, "Usage: "))
		macro := ".PP\n"
		switch {
		case first || !begins && !bare:
			macro = ""
		case afterBare && !begins:
			macro = ".br\n"
		case depth > 0:
			macro = ".IP\n"
		}
		switch {
		case m != nil:
			fmt.Fprintf(w, ".TP\n%s\n%s\n", bold(m[1]+m[3]), roff(m[2]+m[4]))
			depth++ // what goes on is indented more
		case begins && depth == 0 && heading.MatchString(text):
			fmt.Fprintf(w, ".SS %s\n", roff(strings.TrimSuffix(text, ":")))
		case begins && name.MatchString(text):
			fmt.Fprintf(w, ".TP\n%s\n", bold(text))
		case bare:
			fmt.Fprintf(w, "%s%s\n", macro, bold(text))
		default:
			fmt.Fprintf(w, "%s%s\n", macro, roff(text))
		}
		begins = false
	}
}

func bold(text string) string { return `\fB` + roff(text) + `\fR` }

// roff quotes what is not text to roff: backslashes, hyphens that are minus signs, and a dot or an
// apostrophe that begins a line.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
