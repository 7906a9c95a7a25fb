package perturb

import "github.com/fdebug/fdebug/trace"

var dirKind = Kind{
	Name:     "dir",
	Varies:   "The order of the entries that File.ReadDir, Readdir and Readdirnames return.",
	Legal:    `"Readdirnames reads the contents of the directory associated with file and returns a slice of up to n names of files in the directory, in directory order": file systems have no order that is promised.`,
	Source:   "https://pkg.go.dev/os#File.Readdirnames; readdir(3): \"unlikely that the names will be sorted\"",
	Sites:    "calls that read",
	Category: "io",
	Asked:    true,
	Tries:    orders,
	aspects: []aspect{
		{what: DirOrder, name: "order", opposites: func(a Act, g Guess) []Act { return orders(a.At.Block, g) }},
	},
}

// DirOrder determines the order of directory entries that Block reads, from Value.
const DirOrder Aspect = 64

// Entries gives an order to the directory entries that a block reads.
func Entries(block uint32, seed int64) Act {
	return Act{Kind: trace.ActDir, What: DirOrder, At: Position{Block: block}, Value: seed}
}

// orders are some of one directory.
func orders(block uint32, g Guess) (list []Act) {
	for i := range 4 {
		list = append(list, Entries(block, g.Seed(i)))
	}
	return list
}
