package inject

import (
	"encoding/json"
	"io"
	"strings"
)

// A row is a line of mutants.jsonl. internal/lab/accuracy/results keeps them.
type row struct {
	Seed          uint64  `json:"seed"`
	How           string  `json:"how"` // run or hunt
	Mutant        string  `json:"mutant"`
	Module        string  `json:"module"` // path without version
	Edit          string  `json:"edit"`
	PlainFailed   int     `json:"plain_failed"`
	Plain         int     `json:"plain"`
	Failed        int     `json:"failed"` // recorded runs
	Runs          int     `json:"runs"`
	Test          string  `json:"test,omitempty"`
	FirstSuspect  string  `json:"first,omitempty"`
	Category      string  `json:"category,omitempty"` // of the first experiment
	Grade         string  `json:"grade"`
	FirstFunction bool    `json:"first_function,omitempty"`
	AnyFunction   bool    `json:"any_function,omitempty"`
	FactFirst     bool    `json:"fact_first,omitempty"`
	FactAny       bool    `json:"fact_any,omitempty"`
	Likely        bool    `json:"likely,omitempty"` // the first fact is told as what is likely to decide
	Proved        bool    `json:"proved,omitempty"`
	Took          float64 `json:"took_s,omitempty"`
	Spent         float64 `json:"spent_s,omitempty"` // on experiments until the verdict
	Ochiai        bool    `json:"ochiai,omitempty"`
	Check         bool    `json:"check,omitempty"`
	Last          bool    `json:"last,omitempty"`
}

// printRows writes a line of JSON for each mutant.
func (l *lab) printRows(w io.Writer, grades []grade) error {
	how := "run"
	if l.silent {
		how = "hunt"
	}
	enc := json.NewEncoder(w)
	for i := range grades {
		r := grades[i].row()
		r.Seed, r.How = l.seed, how
		if err := enc.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

// row describes one mutant.
func (g *grade) row() row {
	first := ""
	if len(g.got.Suspects) > 0 {
		first = g.got.Suspects[0].String()
	}
	module, _, _ := strings.Cut(g.mutant.Module, "@")
	return row{
		Mutant: g.mutant.ID, Module: module, Edit: Place{g.mutant.File, g.mutant.Lines[0]}.String(),
		PlainFailed: g.trial.Failed, Plain: g.trial.Runs, Failed: g.got.Failed, Runs: g.got.Runs,
		Test: g.got.Test, FirstSuspect: first, Category: g.got.Category, Grade: g.word(),
		FirstFunction: g.FirstFunc, AnyFunction: g.AnyFunc,
		FactFirst: g.FactFirst, FactAny: g.FactAny, Likely: g.got.Likely, Proved: g.got.Proved, Took: g.got.Took,
		Spent: g.got.Spent, Ochiai: g.Ochiai, Check: g.Check, Last: g.Last,
	}
}
