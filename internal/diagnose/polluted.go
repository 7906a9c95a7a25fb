package diagnose

import (
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// isVar reports whether an operation is on a package variable, or on what is in it.
func isVar(o *source.Op, v *finding.PackageVar) bool {
	return len(o.Path) > 0 && source.Global(o.Path[0]) && o.Path[0].Name() == v.Name && o.Path[0].Pkg().Path() == v.Package
}

// narrowed returns of what a test leaves behind, by its blocks, what is in a variable of which it was shown:
// l if that is it, else a change that names the variable; nothing if there is none.
func (s *scene) narrowed(l legacy, v *finding.PackageVar, blocks []int) (best legacy) {
	if l.write != nil && (isVar(l.write, v) || l.via != nil && isVar(l.via, v)) {
		l.link = finding.Decides
		return l
	}
	lines := make(map[trace.Span]bool)
	for _, w := range s.changes(blocks) {
		if !isVar(w, v) {
			continue
		}
		lines[s.lineOf(w)] = true
		if x := (legacy{write: w, link: finding.Decides, read: s.reads(w.Obj())}); s.givesWay(best, x) {
			best = x
		}
	}
	best.places = len(lines)
	return best
}

// reading returns where blocks read a variable, first where failing runs do too, and on how many lines they do; nil if
// they do not.
func (s *scene) reading(v *finding.PackageVar, blocks []int) (read *source.Op, places int) {
	lines := make(map[trace.Span]bool)
	for _, b := range blocks {
		for _, r := range s.Source.Block(b, source.Read) {
			if !isVar(r, v) {
				continue
			}
			lines[s.lineOf(r)] = true
			if read == nil || s.ran(r.Block) && !s.ran(read.Block) {
				read = r
			}
		}
	}
	return read, len(lines)
}

// pollutedBy returns where a test comes to a variable that it leaves polluted, and the beginning of
// this one, where putting it back lets it pass.
func (s *scene) pollutedBy(v *finding.PackageVar, l legacy, blocks []int, ev finding.Evidence, why finding.Reason) (list []finding.Suspect) {
	ev.Link, why.Var = finding.Decides, v.Name
	if l = s.narrowed(l, v, blocks); l.write != nil {
		list = s.changedBy(l, blocks, ev, why)
	} else if r, places := s.reading(v, blocks); r != nil {
		why.Kind, why.Read, why.Of = finding.ReasonPolluted, s.ran(r.Block), places
		list = append(list, at(s.lineOf(r), ev, why))
	}
	ev.Link, why.Kind = finding.Mentions, finding.ReasonPutBack
	return append(list, at(line(s.testFunc(s.Test.Name)), ev, why))
}
