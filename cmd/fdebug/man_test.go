package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/session"
)

// TestWriteMan shows what becomes of the parts of a text of help.
func TestWriteMan(t *testing.T) {
	const help = `Usage: fdebug x [-n N]
       fdebug x DIR

X does it. It takes
.two lines.

Examples:

	fdebug x -n 5    five times
	fdebug x DIR
	fdebug x -n 7

	-n N            how often,
	                at least 1
	-a-long-budge S as \long as that
	-a, -b and others

  kind
      what it is

Last.
`
	const want = `\fBfdebug x [\-n N]\fR
.br
\fBfdebug x DIR\fR
.PP
X does it. It takes
\&.two lines.
.SS Examples
.TP
\fBfdebug x \-n 5\fR
five times
.IP
\fBfdebug x DIR\fR
.br
\fBfdebug x \-n 7\fR
.TP
\fB\-n N\fR
how often,
at least 1
.TP
\fB\-a\-long\-budge S\fR
as \elong as that
.IP
\-a, \-b and others
.TP
\fBkind\fR
what it is
.PP
Last.
`
	var got bytes.Buffer
	writeMan(&got, help)
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

// TestCommandFlags asks each command for its flags, which does nothing else.
func TestCommandFlags(t *testing.T) {
	a := &app{Console: &session.Console{Getenv: func(string) string { return "" }}}
	for _, c := range commands() {
		want := map[string]int{"run": 50, "hunt": 50, "help": 1, "explain": 0, "completion": 0, "version": 0}
		least, ok := want[c.name]
		if !ok {
			least = 2
		}
		if got := c.flags(a).names("-"); len(got) < least || least == 0 && len(got) > 0 {
			t.Errorf("%s has the flags %q", c.name, got)
		}
	}
}

// TestManWhole checks that the manual page has all help: every word of it.
func TestManWhole(t *testing.T) {
	var page bytes.Buffer
	new(app).printMan(&page)
	words := make(map[string]bool)
	for _, w := range strings.Fields(strings.NewReplacer(`\-`, "-", `\e`, `\`, `\fB`, "", `\fR`, "", `\&`, "").Replace(page.String())) {
		words[strings.TrimSuffix(w, ":")] = true
	}
	for name, text := range helpPages(t) {
		for _, w := range strings.Fields(text) {
			if w = strings.TrimSuffix(w, ":"); w != "Usage" && !words[w] {
				t.Errorf("%s: the manual page has no %q", name, w)
			}
		}
	}
}
