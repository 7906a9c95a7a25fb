package tracker

import (
	"encoding/json"
	"time"

	"github.com/fdebug/fdebug/internal/tracker/history"
	"github.com/fdebug/fdebug/internal/tracker/score"
)

// The output of history -json. Rates are shares of 1; times are in RFC 3339.
type (
	historyJSON struct {
		Oldest   time.Time         `json:"oldest"` // run
		Newest   time.Time         `json:"newest"`
		Sessions int               `json:"sessions"`
		Runs     int               `json:"runs"`
		Results  int               `json:"results"`
		Known    int               `json:"known_tests"`
		Commits  int               `json:"commits"`
		HalfLife float64           `json:"half_life_days"`
		Tests    []historyTestJSON `json:"tests"`
	}
	historyTestJSON struct {
		Package string        `json:"package"`
		Test    string        `json:"test"`
		State   history.State `json:"state"`
		Weekly  float64       `json:"runs_a_week"`
		Impact  float64       `json:"impact"`
		scoreJSON
		Signatures []signatureJSON   `json:"signatures"`
		Verdicts   []history.Verdict `json:"verdicts,omitempty"` // without the test
	}
	scoreJSON struct {
		Runs   int       `json:"runs"`
		Failed int       `json:"failed"`
		Broken int       `json:"broken,omitempty"`
		Rate   *float64  `json:"rate,omitempty"` // nil for a test that was only ever broken
		Low    *float64  `json:"low,omitempty"`
		High   *float64  `json:"high,omitempty"`
		First  time.Time `json:"first_failure"`
		Last   time.Time `json:"last_failure"`
		Since  *since    `json:"since,omitempty"`
		Flips  int       `json:"flips"`
		Mixed  int       `json:"mixed_commits"`
		Gone   bool      `json:"gone"`
		Quiet  int       `json:"runs_since_last_failure"`
		Chance float64   `json:"chance_of_that"`
	}
	since struct {
		Commit string  `json:"commit"`
		From   string  `json:"from"` // it began there or later, with 95 %
		To     string  `json:"to"`   // the first failure
		Before float64 `json:"before_history"`
	}
	signatureJSON struct {
		Signature string `json:"signature"`
		Message   string `json:"message"`
		scoreJSON
	}
)

func (j *History) printJSON() error {
	t := j.tally
	out := historyJSON{
		Oldest: t.Oldest, Newest: t.Newest, Sessions: t.Sessions, Runs: t.Runs, Results: t.Results, Known: t.Known,
		Commits: len(t.Commits), HalfLife: score.HalfLife.Hours() / 24, Tests: []historyTestJSON{},
	}
	for i := range j.list {
		out.Tests = append(out.Tests, j.testJSON(&j.list[i]))
	}
	return j.printIndented(out)
}

func (j *History) printIndented(x any) error {
	enc := json.NewEncoder(j.Stdout)
	enc.SetIndent("", "  ")
	return enc.Encode(x)
}

func (j *History) testJSON(r *history.Ranked) historyTestJSON {
	x := historyTestJSON{
		Package: r.Package, Test: r.Name, State: r.State, Weekly: r.Weekly, Impact: r.Impact,
		scoreJSON:  j.scoreJSON(&r.Score),
		Signatures: []signatureJSON{},
	}
	for _, s := range r.Signatures {
		sub := j.scoreOf(r, s)
		x.Signatures = append(x.Signatures, signatureJSON{s.Text, s.Message, j.scoreJSON(&sub)})
	}
	for _, v := range r.Verdicts {
		v.Package, v.Test = "", ""
		x.Verdicts = append(x.Verdicts, v)
	}
	return x
}

func (j *History) scoreJSON(s *score.Score) scoreJSON {
	x := scoreJSON{
		Runs: s.Runs, Failed: s.Failed, Broken: s.Broken, Flips: s.Flips, Mixed: s.Mixed,
		First: history.FromMinute(s.First), Last: history.FromMinute(s.Last),
		Gone: s.Gone.Yes, Quiet: s.Gone.Silence, Chance: s.Gone.Chance,
	}
	if !s.NoFlake {
		x.Rate, x.Low, x.High = &s.Rate, &s.Low, &s.High
	}
	if c := s.Since; c.Commit >= 0 {
		hash := func(i int32) string { return j.tally.Commits[i].Hash }
		x.Since = &since{hash(c.Commit), hash(c.From), hash(c.Failed), c.Before}
	}
	return x
}
