package report

import (
	"path"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

const replaySuffix = ".replay.json"

// replayName returns what to call a replay by: its test if there is no other for that,
// else the name of the file, which fdebug finds in its store.
func (v *viewer) replayName(d *finding.Verdict) string {
	file := strings.ReplaceAll(d.Proof.Replay, `\`, "/")
	base, ok := strings.CutSuffix(path.Base(file), replaySuffix)
	switch {
	case !ok:
		return d.Proof.Replay
	case v.t.Name != "" && v.replaysNamed(v.t.Name) <= 1:
		return v.t.Name
	}
	return base
}

// replaysNamed counts the replays that are called by the name of a test: those of a
// subtest are by that of its test too.
func (v *viewer) replaysNamed(name string) int {
	files := map[string]bool{}
	for _, t := range v.r.Tests {
		if t.Name != name && trace.TopTest(t.Name) != name {
			continue
		}
		for _, d := range t.Verdicts {
			if d.Proof.Replay != "" {
				files[d.Proof.Replay] = true
			}
		}
	}
	return len(files)
}
