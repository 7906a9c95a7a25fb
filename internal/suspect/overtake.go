package suspect

import (
	"fmt"
	"path"
	"slices"

	"github.com/fdebug/fdebug/divergence"
)

// overtaken takes in goroutines of one origin that changed places: in failing
// runs one was late for a divergence and another one was early for it. What each
// of them ran then is an effect; the go statement is where their order is lost.
func (f *finder) overtaken() {
	orders := f.Analysis.Orders
	for i := range orders {
		for j := range orders {
			if changedPlaces(&orders[i], &orders[j]) {
				f.overtook(&orders[i], &orders[j])
			}
		}
	}
}

func changedPlaces(late, early *divergence.Order) bool {
	return late.Late && !early.Late && late.Divergence == early.Divergence && len(late.Class) > 0 &&
		slices.Equal(late.Class, early.Class) && decides(late.Table) && decides(early.Table)
}

func (f *finder) overtook(late, early *divergence.Order) {
	spawn := late.Class[len(late.Class)-1]
	f.addFrame(spawn, 0.89-0.005*float64(late.Divergence), fmt.Sprintf(
		"nothing orders the goroutines started here, and one overtook another: the first had not yet run %s when the runs parted, %s; the second had already run %s, %s",
		f.place(late.Block), ofRuns(late.Table), f.place(early.Block), ofRuns(early.Table)))
}

// place names the first line of a block, for a sentence.
func (f *finder) place(b int) string {
	span, ok := f.Sites.Pos(b)
	if !ok {
		return "something"
	}
	return fmt.Sprintf("%s:%d", path.Base(span.File), span.Start)
}
