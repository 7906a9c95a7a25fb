package diagnose

import (
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/source"
)

// isVar reports whether an operation is on a package variable, or on a part of it.
func isVar(o *source.Op, v *finding.PackageVar) bool {
	return len(o.Path) > 0 && source.Global(o.Path[0]) && o.Path[0].Name() == v.Name &&
		o.Path[0].Pkg().Path() == v.Package
}

// narrowed returns the change that a test leaves behind in a variable that was shown to matter, by the test's blocks:
// l if that is it, else a change that names the variable; nothing if there is none.
func (s *scene) narrowed(l legacy, v *finding.PackageVar, blocks []int) (best legacy) {
	if l.write != nil && (isVar(l.write, v) || l.via != nil && isVar(l.via, v)) {
		l.link = finding.Decides
		return l
	}
	for _, w := range s.changes(blocks) {
		if !isVar(w, v) {
			continue
		}
		if x := (legacy{write: w, link: finding.Decides, read: s.reads(w.Obj())}); s.givesWay(best, x) {
			best = x
		}
	}
	return best
}

// reading returns where blocks read a variable, first where failing runs do too; nil if they do not.
func (s *scene) reading(v *finding.PackageVar, blocks []int) (read *source.Op) {
	for _, b := range blocks {
		for _, r := range s.Source.Block(b, source.Read) {
			if isVar(r, v) && (read == nil || s.ran(r.Block) && !s.ran(read.Block)) {
				read = r
			}
		}
	}
	return read
}

// pollutedBy returns where a test comes to a variable that it leaves polluted, and the beginning of
// this one, where putting it back lets it pass.
func (s *scene) pollutedBy(v *finding.PackageVar, l legacy, blocks []int, ev finding.Evidence,
	why legator) (list []finding.Suspect) {
	ev.Link, why.variable = finding.Decides, v.Name
	if l = s.narrowed(l, v, blocks); l.write != nil {
		list = s.changedBy(l, blocks, ev, why)
	} else if r := s.reading(v, blocks); r != nil {
		why.kind = whyPolluted
		list = append(list, at(s.lineOf(r), ev, why))
	}
	ev.Link, why.kind = finding.Mentions, whyPutBack
	return append(list, at(line(s.testFunc(s.Test.Name)), ev, why))
}
