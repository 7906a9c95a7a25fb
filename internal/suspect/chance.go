package suspect

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
)

// data takes in the places where chance enters.
func (f *finder) data() {
	for i, d := range f.Data {
		file, ok := f.Sites.Rel(d.At.File)
		if !ok {
			file = d.At.File
		}
		score := 0.6
		switch {
		case f.src.delays(file, d.At.Line):
			score = 0.55 // how long something takes is not what goes wrong
		case d.Sure && d.Source == "a channel" && !f.decidesBy(d):
			score = 0.825 // an order of goroutines that just goes along
		case d.Sure && d.Source == "a channel":
			score = 0.84 // an order of goroutines, seen by its effect
		case d.Sure:
			score = 0.97
		case d.Source == "a channel" && f.decidesFirst():
			score = 0.82 // which makes up nothing, and may just follow what is sent
		case d.Source == "the clock" && f.decidesFirst():
			score = 0.825 // which is different in each run, whatever decides
		case f.decidesFirst():
			score = 0.845
		}
		f.add(finding.Suspect{File: file, Start: d.At.Line, End: d.At.Line, Score: score - 0.01*float64(i),
			Why: fmt.Sprintf("%s enters here: %s", d.Source, d.Why)})
	}
}

// decidesBy reports whether a source is one that a value which decided is
// computed from, or is that value.
func (f *finder) decidesBy(d finding.DataDivergence) bool {
	at := fmt.Sprintf("%s at %s:%d", d.Source, path.Base(d.At.File), d.At.Line)
	return slices.ContainsFunc(f.Values, func(v finding.Value) bool {
		return v.At == d.At || strings.Contains(v.Source, at)
	})
}

// decidesFirst reports whether a value that came from chance is in the
// condition at which runs parted first. In a later one it may just follow.
func (f *finder) decidesFirst() bool {
	if len(f.Analysis.Chain) == 0 {
		return true
	}
	b, ok := f.Analysis.Chain[0].LastCommon.Block()
	span, known := f.Sites.Pos(b)
	if !ok || !known || f.Analysis.Chain[0].SamePath {
		return true
	}
	return slices.ContainsFunc(f.Values, func(v finding.Value) bool {
		path, ok := f.Sites.Rel(v.At.File)
		return ok && v.Source != "" && path == span.File && span.Start <= v.At.Line && v.At.Line <= span.End
	})
}

// values takes in values that came from chance.
func (f *finder) values() {
	for _, v := range f.Values {
		if v.Source != "" && f.decidesFirst() {
			f.addFrame(v.At, 0.81, fmt.Sprintf("%s comes from %s here, and goes with the outcome", v.Expr, v.Source))
		}
	}
}

// often takes in what had been done so often in failing runs only: the first of
// them, in the order of the source.
func (f *finder) often() {
	for _, o := range f.Analysis.Often {
		if slices.ContainsFunc(f.Analysis.Chain, func(d *divergence.Divergence) bool {
			last, _ := d.LastCommon.Block()
			return f.src.sameFunction(o.Block, last) // whose paths were compared
		}) {
			continue
		}
		if f.src.polls(o.Block) && timedWait.Match(f.functionText(o.Block)) {
			continue
		}
		times := fmt.Sprintf("at least %d times ", o.AtLeast)
		if o.AtLeast == 1 {
			times = ""
		}
		f.addBlock(o.Block, 0.835, fmt.Sprintf("had been run %sby then %s", times, ofRuns(o.Table)))
		return
	}
}

func (f *finder) functionText(b int) []byte {
	fn := f.Sites.Funcs[f.Sites.Blocks[b].Func]
	return f.src.text(f.Sites.Files[fn.File].Path, fn.Line, fn.End)
}
