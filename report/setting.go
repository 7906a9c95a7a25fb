package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
)

// SaidSettings says what the system around a program was set to: what follows "the test
// fails if".
func SaidSettings(list proof.Acts) string { return saidSettings(list, "it") }

// saidSettings is SaidSettings with a name for the test that starts.
func saidSettings(list proof.Acts, test string) string {
	var parts []string
	for _, s := range list {
		if text := settingWords(s, test); text != "" && !slices.Contains(parts, text) { // of several places
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " and ")
}

// starts names what starts: of a subtest it is the test that it is in.
func (v *viewer) starts() string {
	if top, _, sub := strings.Cut(v.t.Name, "/"); sub {
		return top
	}
	return "it"
}

func settingWords(s proof.Act, test string) string {
	d := time.Duration(s.Value)
	switch s.Name() {
	case "clock phase":
		return fmt.Sprintf("%s starts when the wall clock is %s into a period of %s", test, dose(d), dose(time.Duration(s.Unit)))
	case "clock shift":
		return "the wall clock is " + ahead(d) + " (shifted clock: files that were there before are as old as they are)"
	case "clock instant":
		return "the wall clock says " + time.Unix(0, s.Value).UTC().Format("2006-01-02 15:04:05.000") + " UTC when " + test + " starts (shifted clock)"
	case "clock date":
		return "the wall clock says " + time.Unix(0, s.Value).UTC().Format("2006-01-02 15:04:05") + " UTC when the process starts (shifted clock: files that were there before are as old as they are)"
	case "timer late":
		return "what is set fires " + dose(d) + " late"
	case "read most":
		return fmt.Sprintf("reads return at most %s", plural(int(s.Value), "byte"))
	case "dir order":
		return "the entries of a directory come in another order"
	case "limits taken":
		return "the port that is chosen is in use by another process"
	case "limits free":
		return "the system chooses a free port"
	case "limits files":
		return fmt.Sprintf("the process may have %d files open (ulimit -n %[1]d)", s.Value)
	case "limits no network":
		return "no other machine can be reached"
	case "limits new TMPDIR":
		return "TMPDIR is a new directory with nothing in it"
	case "limits new HOME":
		return "HOME is a new directory with nothing in it"
	case "limits no HOME":
		return "HOME is a directory that is not there and can't be made"
	case "limits as it is":
		return "the machine is as it is"
	case "gc off":
		return "nothing is collected"
	case "gc often":
		return "garbage is collected all the time"
	case "gc at":
		return "garbage is collected"
	case "clock grain":
		return "the clock has a resolution of " + dose(d)
	case "clock zone":
		return "the local zone is " + s.Text
	}
	return ""
}

// ahead says by how much a clock is ahead or behind.
func ahead(d time.Duration) string {
	word := "ahead"
	if d < 0 {
		d, word = -d, "behind"
	}
	if days := d.Hours() / 24; days >= 2 {
		return fmt.Sprintf("%.1f days %s", days, word)
	}
	return d.Round(time.Second).String() + " " + word
}

// settingSaid is verdictSaid for what the system around the program decides.
func (v *viewer) settingSaid(d *finding.Verdict) prose {
	p := say("The test fails if " + v.clean.line(saidSettings(d.Settings(), v.starts()), 400))
	if len(d.Window) > 0 {
		p = v.spans(p.text(", "+askedWord(d)+" "), d.Window)
		if d.Kind() == "read" {
			p = p.text(" or by a goroutine of a library that is started there")
		}
	}
	p = p.text(fmt.Sprintf(": in %s", inRuns(d.Proof.Confirmed.With)))
	if d.Class == finding.Proved && d.Proof.Confirmed.Cure.Of > 0 {
		p = p.text(fmt.Sprintf("; set otherwise in %s", shareOf(d.Proof.Confirmed.Cure)))
	}
	return p.text(".")
}

// askedWord says what a program does at the lines of a window.
func askedWord(d *finding.Verdict) string {
	if d.Kind() == "gc" {
		return "before"
	}
	return "asked for " + whereChosen(d.Window)
}
