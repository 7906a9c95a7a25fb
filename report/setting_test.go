package report

import (
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/internal/proof"
)

// What was set is said in words, each kind and aspect of it, and hostile text of a zone
// stays text.
func TestSettingWords(t *testing.T) {
	ms := int64(time.Millisecond)
	for want, list := range map[string]proof.Acts{
		"it starts when the wall clock is 99ms into a period of 100ms": {{Kind: "clock", What: perturb.ClockPhase, Value: 99 * ms, Unit: 100 * ms}},
		"the clock has a resolution of 16ms and the wall clock says 2024-02-29 12:00:00.000 UTC when it starts (shifted clock)": {
			{Kind: "clock", What: perturb.ClockGrain, Value: 16 * ms},
			{Kind: "clock", What: perturb.ClockInstant, Value: time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC).UnixNano()},
		},
		"the wall clock is 1h0m0s behind (shifted clock: files that were there before are as old as they are)": {{Kind: "clock", What: perturb.ClockShift, Value: -int64(time.Hour)}},
		"the local zone is Asia/Kolkata":                       {{Kind: "clock", What: perturb.ClockZone, Text: "Asia/Kolkata"}},
		"what is set fires 8ms late":                           {{Kind: "timer", What: perturb.TimerLate, Value: 8 * ms}},
		"reads return at most 1 byte":                          {{Kind: "read", What: perturb.ReadMost, Value: 1}},
		"the entries of a directory come in another order":     {{Kind: "dir", What: perturb.DirOrder, Value: 7}},
		"the port that is chosen is in use by another process": {{Kind: "limits", What: perturb.PortTaken}},
		"the process may have 256 files open (ulimit -n 256)":  {{Kind: "limits", What: perturb.FilesMost, Value: 256}},
		"no other machine can be reached":                      {{Kind: "limits", What: perturb.NetworkNone}},
		"TMPDIR is a new directory with nothing in it":         {{Kind: "limits", What: perturb.TempFresh}},
		"HOME is a new directory with nothing in it and the process may have 256 files open (ulimit -n 256)": {{Kind: "limits", What: perturb.HomeFresh}, {Kind: "limits", What: perturb.FilesMost, Value: 256}},
		"HOME is a directory that is not there and can't be made":                                            {{Kind: "limits", What: perturb.HomeNone}},
		"nothing is collected": {{Kind: "gc", What: perturb.GCOff}},
		"":                     {{Kind: "clock"}},
	} {
		if got := SaidSettings(list); got != want {
			t.Errorf("%+v: %q, want %q", list, got, want)
		}
	}
}

// The sentence has the place at which the program asks, and both counts.
func TestSettingSaid(t *testing.T) {
	d := &finding.Verdict{
		Class: finding.Proved, Window: []finding.Span{{File: "m.go", Start: 7, End: 7}},
		Proof: proof.Proof{Plan: proof.Acts{{Kind: "clock", What: perturb.ClockPhase, Value: 5e6, Unit: 1e7}}, Confirmed: proof.Confirmation{With: finding.Count{Failed: 20, Of: 20}, Plain: finding.Count{Failed: 9, Of: 20}, Cure: finding.Count{Failed: 1, Of: 20}}},
	}
	v := newViewer(&finding.Result{})
	v.t = &finding.Test{}
	got := v.verdictView(d)
	said := got.Said.Plain()
	if !strings.Contains(said, "5ms into a period of 10ms, asked for at m.go:7: in 20 of 20 runs; set otherwise in 1 of 20.") {
		t.Errorf("%q", said)
	}
	var labels []string
	for _, b := range got.Bars {
		labels = append(labels, b.Label)
	}
	if text := strings.Join(labels, ", "); text != "set so, set otherwise, nothing changed" {
		t.Errorf("bars %s", text)
	}
}

// The advice names where the program asks, if that is known, and leaves it out if not.
func TestFixOfSettings(t *testing.T) {
	v := newViewer(&finding.Result{})
	v.t = &finding.Test{}
	at := []finding.Span{{File: "m.go", Start: 7, End: 7}}
	for _, c := range []struct {
		kind, what string
		window     []finding.Span
		want       string
	}{
		{"limits", "taken", at, "Let the system choose a free port at m.go:7: listen on port 0"},
		{"limits", "files", at, "Close what is opened at m.go:7, or before"},
		{"limits", "no network", nil, "in place of what it reaches: httptest.NewServer"},
		{"limits", "new TMPDIR", nil, "the one that is asked for is shared"},
		{"limits", "new HOME", nil, "with all in it that is expected."},
		{"limits", "no HOME", nil, "before anything asks for it."},
		{"clock", "phase", at, "Let the test set the clock that is read at m.go:7: a field"},
		{"clock", "grain", at, "Two readings at m.go:7 may be equal"},
		{"clock", "zone", nil, "Say which zone is meant: t.UTC()"},
		{"timer", "late", at, "what is set at m.go:7 may fire later"},
		{"read", "most", at, "Read until there is all at m.go:7: with io.ReadFull"},
		{"dir", "order", at, "Sort the entries that are read at m.go:7, or use os.ReadDir"},
		{"gc", "often", at, "Do not count on when something is collected"},
	} {
		d := &finding.Verdict{Class: finding.Proved, Category: "time", Proof: proof.Proof{Plan: proof.Named(c.kind + " " + c.what)}, Window: c.window}
		lines := v.fix(d)
		if len(lines) < 2 || !strings.Contains(lines[0].Plain(), c.want) {
			t.Errorf("%s %s: %d lines, %q; want %q", c.kind, c.what, len(lines), lines[0].Plain(), c.want)
		}
		for _, l := range lines {
			if strings.Contains(l.Plain(), "{") {
				t.Errorf("%s %s: %q", c.kind, c.what, l.Plain())
			}
		}
	}
}

// A sync.Map is walked by a call, and has no keys that a loop could sort.
func TestFixOfSyncMap(t *testing.T) {
	f := newFixture(t)
	f.file("m.go", "package m\n\nfunc (c *counter) names() (list []string) {\n\tc.counts.Range(func(name, _ any) bool { list = append(list, name.(string)); return true })\n\treturn list\n}\n")
	d := &finding.Verdict{Class: finding.Proved, Category: "unordered-collections", Proof: proof.Proof{Plan: proof.Named("map")}, Window: []finding.Span{{File: "m.go", Start: 4, End: 4}}}
	lines := newViewer(f.result()).fix(d)
	if len(lines) != 3 || !strings.HasPrefix(lines[0].Plain(), "Sort what is collected at ") || strings.Contains(lines[0].Plain(), "slices.Sorted(maps.Keys") {
		t.Errorf("got %q", lines)
	}
}

// TestStillSaid has a hold with which clocks that stood still brought the test to pass: the time that passes decides, and
// the advice is about that.
func TestStillSaid(t *testing.T) {
	f := newFixture(t)
	f.file("m.go", "package m\n\nfunc (e *entry) old() bool {\n\treturn time.Now().After(e.expires)\n}\n")
	span := finding.Span{File: "m.go", Start: 4, End: 4}
	d := &finding.Verdict{
		Class: finding.Proved, Category: "time", Proof: proof.Proof{Plan: proof.Named("stall"), Confirmed: proof.Confirmation{Held: 11 * time.Millisecond, With: finding.Count{Failed: 20, Of: 20}, Plain: finding.Count{Of: 20}}}, At: finding.Span{File: "m.go", Start: 3, End: 3},
		Window: []finding.Span{{File: "m.go", Start: 3, End: 3}}, Still: finding.Count{Failed: 1, Of: 20}, Reading: span,
	}
	v := newViewer(f.result())
	if got, want := v.verdictSaid(d).Plain(), "Held likewise, with a clock that stands still meanwhile for what is read at return time.Now().After(e.expires) (m.go:4), it failed in 1 of 20: how much time passes decides."; !strings.HasSuffix(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := v.fix(d)[0].Plain(), "What the clock says at return time.Now().After(e.expires) (m.go:4) tells the outcome"; !strings.HasPrefix(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	why := Why(&finding.Suspect{File: "m.go", Start: 4, End: 4, Reason: finding.Reason{Kind: finding.ReasonReading, Verdict: d}})
	if want := "the clock is read here: with the goroutine held at m.go:3 for 11ms the test failed in 20 of 20 runs, with nothing changed in 0 of 20, and with a clock that stands still meanwhile for what is read here in 1 of 20"; why != want {
		t.Errorf("got  %s\nwant %s", why, want)
	}
	d.Reading, d.Still = finding.Span{}, finding.Count{}
	if got := v.verdictSaid(d).Plain(); strings.Contains(got, "clock") {
		t.Errorf("nothing was shown of the clock: %s", got)
	}
}

// What starts at an instant is the test that a subtest is in.
func TestSettingOfSubtest(t *testing.T) {
	v := newViewer(newFixture(t).result())
	d := &finding.Verdict{
		Class: finding.Reproduced, Proof: proof.Proof{Plan: proof.Acts{{Kind: "clock", What: perturb.ClockPhase, Value: 5e6, Unit: 1e7}}, Confirmed: proof.Confirmation{With: finding.Count{Failed: 11, Of: 20}, Plain: finding.Count{Of: 20}}},
	}
	for name, want := range map[string]string{
		"TestNow":        "The test fails if it starts when the wall clock is 5ms into a period of 10ms: in 11 of 20 runs.",
		"TestNow/format": "The test fails if TestNow starts when the wall clock is 5ms into a period of 10ms: in 11 of 20 runs.",
	} {
		v.t = &finding.Test{Name: name}
		if got := v.settingSaid(d).Plain(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
