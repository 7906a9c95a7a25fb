package source_test

import (
	"context"
	"fmt"

	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// A gauge is read in one function and set in another. The file need not exist on disk: its
// content is enough, though its imports are then unknown.
func Example() {
	const text = `package gauge

type Gauge struct{ level, max int }

func (g *Gauge) Full() bool {
	if g.level >= g.max {
		return true
	}
	return false
}

func (g *Gauge) Add(n int) { g.level += n }
`
	sites := &trace.Sites{
		Module: "example.com/gauge", Root: "/gone",
		Files: []trace.File{{Path: "gauge.go", Name: "example.com/gauge/gauge.go"}},
		Funcs: []trace.Func{{Name: "(*Gauge).Full", Line: 5, End: 10}, {Name: "(*Gauge).Add", Line: 12, End: 12}},
		Blocks: []trace.Block{{},
			{Func: 0, StartLine: 6, StartCol: 2, EndLine: 6, EndCol: 22},
			{Func: 1, StartLine: 12, StartCol: 30, EndLine: 12, EndCol: 43},
		},
	}
	x := source.Load(context.Background(), source.Config{
		Dir: sites.Root, Sites: sites, Read: func(string) ([]byte, error) { return []byte(text), nil },
	})
	fmt.Println("typed:", x.Typed)
	for _, cond := range x.Decision(1).Looks {
		fmt.Println("block 1 is left by", x.Text(cond))
		for _, read := range x.In(cond, source.Read) {
			for _, w := range x.Of(read.Obj(), source.Write) {
				fmt.Println(read.Name(), "is changed in line", x.Line(w.Node), "by block", w.Block, "with", w.How)
			}
		}
	}
	// Output:
	// typed: false
	// block 1 is left by g.level >= g.max
	// g.level is changed in line 12 by block 2 with +=
}
