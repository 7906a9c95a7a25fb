package freedom

import (
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/trace"
)

var dirFreedom = Freedom{
	Name:     "dir",
	Varies:   "The order of the entries that File.ReadDir, Readdir and Readdirnames return.",
	Legal:    `"Readdirnames reads the contents of the directory associated with file and returns a slice of up to n names of files in the directory, in directory order": file systems have no order that is promised.`,
	Source:   "https://pkg.go.dev/os#File.Readdirnames; readdir(3): \"unlikely that the names will be sorted\"",
	Sites:    "calls that read",
	Category: "io",
	Where:    ByAnswers,
	Verbs:    settingVerbs,
	Prior:    0.005, // 4 of the 35 tests of the corpus
	Asked:    true,
	Tries:    orders,
	Propose:  []*Proposer{{Guesses: (*Freedom).atAskers}},
	aspects: []aspect{
		{what: DirOrder, name: "order",
			says: say.Setting{Cause: say.Decides(say.Dir), With: say.BarFirst, Cure: say.BarOther, Mark: say.MarkLists,
				Fix: []say.Template{say.FixDir}}, opposites: func(a Step, b Bench) []Step { return orders(a.At.Block, b) }},
	},
}

// DirOrder determines the order of directory entries that Block reads, from Value.
const DirOrder Aspect = trace.DirOrder

// Entries gives an order to the directory entries that a block reads.
func Entries(block uint32, seed int64) Step {
	return Step{Kind: trace.ActDir, What: DirOrder, At: Position{Block: block}, Value: seed}
}

// orders are some of one directory.
func orders(block uint32, b Bench) (list []Step) {
	for i := range 4 {
		list = append(list, Entries(block, int64(b.Seed("dir", i)>>1)))
	}
	return list
}
