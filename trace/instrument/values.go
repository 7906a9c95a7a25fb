package instrument

import (
	"cmp"
	"fmt"
	"go/version"
	"slices"
)

// A ValueProbe says where a build records values, in addition to its probes for blocks: an
// expression, or the variable of a range statement. Offsets are in the original file, in bytes.
type ValueProbe struct {
	File string // absolute
	Site int    // number of the site, from 1
	// Text is the source from Start to End. A file with another text there is left alone.
	Text       string
	Start, End int
	Body       int // where a statement records the variable: at the start of the loop's body; 0 for an expression
}

// values inserts the value probes of a file.
func (r *rewriter) values(probes []ValueProbe) {
	if len(probes) == 0 {
		return
	}
	r.edit.insert(r.offset(r.file.Name.End()), fmt.Sprintf("; import %s %q", r.names.val, "fdebugval"))
	call := r.names.val + ".V"
	// If expressions begin together, the longest comes first ...
	slices.SortStableFunc(probes, func(a, b ValueProbe) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	for _, p := range probes {
		if p.Body > 0 {
			r.edit.insert(p.Body, fmt.Sprintf("%s(%d,%s);", call, p.Site, p.Text))
		} else {
			r.edit.insert(p.Start, fmt.Sprintf("%s(%d,(", call, p.Site))
		}
	}
	// ... and if they end together, the shortest.
	slices.SortStableFunc(probes, func(a, b ValueProbe) int {
		return cmp.Or(cmp.Compare(a.End, b.End), cmp.Compare(b.Start, a.Start))
	})
	for _, p := range probes {
		if p.Body == 0 {
			r.edit.insert(p.End, "))")
		}
	}
}

// valuesIn returns the value probes that fit one file. Their runtime is a package of the shadow
// GOROOT, above much of std.
func (w *writer) valuesIn(pkg *listed, name string, src []byte) []ValueProbe {
	if w.plan.Std != "" {
		return nil
	}
	var list []ValueProbe
	for _, p := range w.values {
		if p.File != name || p.Start < 0 || p.End < p.Start || p.End > len(src) || p.Body > len(src) {
			continue
		}
		if string(src[p.Start:p.End]) == p.Text {
			list = append(list, p)
		}
	}
	if len(list) > 0 && !w.allowGenerics(pkg) {
		return nil
	}
	return list
}

// generics is the first language version that has generic calls, as value probes are.
const generics = "go1.18"

// allowGenerics makes sure that a package can call a generic function even if its module asks for
// an older language. Newer versions up to this one only allow more. It returns false if the user
// has compiler flags, because the go command takes those of one -gcflags only.
func (w *writer) allowGenerics(p *listed) bool {
	if p.Module == nil || version.Compare("go"+cmp.Or(p.Module.GoVersion, "1.16"), generics) >= 0 {
		return true
	}
	if w.plan.Toolchain.hasFlag(w.cfg.BuildFlags, "gcflags") {
		return false
	}
	flag := fmt.Sprintf("-gcflags=%s=-lang=%s", p.ImportPath, generics)
	if !slices.Contains(w.plan.lang, flag) {
		w.plan.lang = append(w.plan.lang, flag)
	}
	return true
}
