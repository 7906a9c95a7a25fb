package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/session"

	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
)

// The text about what a test needs is about the runs that were made, alone and after just those
// tests. Others may do as well.
func TestNeedsWords(t *testing.T) {
	for want, needs := range map[string][]string{
		"fails if it runs alone, and passes if just TestA runs before it in the same process":       {"TestA"},
		"fails if it runs alone, and passes if just TestA, TestB run before it in the same process": {"TestA", "TestB"},
	} {
		if got := unplacedLine(&proof.Proof{Needs: needs}); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// If random stalls have made a test fail in a hunt's log, the hunt says so even if nothing was
// found. A finding, or a failure with nothing perturbed in the first runs, is not reported again.
func TestUnexplained(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log.jsonl")
	text := `{"fdebug_experiments":2,"build":"b","seed":1}` + "\n"
	add := func(step, kind, message string, n int) {
		for i := range n {
			sig := ""
			if message != "" {
				sig = fmt.Sprintf(`"Failed":true,"Message":%q,"Signature":{"Test":"TestPick","Message":%q},`, message, message)
			}
			text += fmt.Sprintf(`{"key":"%s%s%d","test":"TestPick","step":%q,"kind":%q,"outcome":{%s"Ran":true,"Acts":[{"Kind":1,"Applied":true}]}}`+"\n", step, message, i, step, kind, sig)
		}
	}
	add("plain", "", "", 5)
	add("random stalls", "yield", "", 24)
	add("random stalls", "yield", "no address", 6)
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	log, _, err := experiment.OpenLog(name, experiment.Header{Build: "b"})
	if err != nil || log.Len() != 35 {
		t.Fatal(log.Len(), err)
	}
	p := &prey{name: "TestPick", lab: &session.Lab{Target: runner.Target{ImportPath: "m/p"}}, exp: &experiment.Experimenter{Test: "TestPick", Log: log},
		res: &experiment.Result{Plain: experiment.Count{Of: 5}}}
	j := &huntJob{runJob: &runJob{Session: new(session.Session)}, preys: []*prey{p}}
	var b strings.Builder
	j.printOpen(&b)
	want := "unconfirmed  m/p  TestPick\n    failed in 6 of 30 runs (random stalls), with nothing perturbed in 0 of 5: what makes it fail each time was not found\n    no address\n\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	if got, want := j.nothing(), "nothing was confirmed, 1 test was made to fail, in 0 runs of 1 test"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if list := p.loose(); len(list) != 1 || list[0].Failed != 6 || list[0].Of != 30 || list[0].Kind != "random stalls" {
		t.Errorf("%+v", list)
	}
	p.exp.Candidates = []experiment.Candidate{{Step: "stalls", Outcome: experiment.Outcome{Ran: true, Failed: true, Signature: p.unexplained()[0].Signature}}}
	if got, want := unexplainedWords(p.unexplained()[0]), "failed in 6 of 30 runs (random stalls), in 1 run of the stage before (stalls), with nothing perturbed in 0 of 5: what makes it fail each time was not found"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if p.exp.Natural = []runner.Signature{p.unexplained()[0].Signature}; len(j.unconfirmed()) > 0 {
		t.Error("it failed so by itself, and is said to be made to fail")
	}
	p.exp.Natural, p.exp.Candidates = nil, nil
	f := &experiment.Finding{Verdict: experiment.Reproduced, Signature: p.unexplained()[0].Signature}
	if p.res.Findings = []*experiment.Finding{f}; len(p.unexplained()) > 0 {
		t.Error("what is a finding is told once more")
	}
	if p.res.Findings, f.Verdict = nil, experiment.None; len(j.unconfirmed()) != 1 {
		t.Error("it is not told any more")
	}
	if p.res.Plain.Failed = 5; len(j.unconfirmed()) > 0 {
		t.Error("it fails each time with nothing perturbed, and is said to be made to fail")
	}
}
