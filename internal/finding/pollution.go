package finding

// A Pollution is what tests leave in package variables that makes another test fail, as
// putting back has shown.
type Pollution struct {
	Vars []PackageVar // none of which can be missed
	Of   int          // how many variables could have been put back
	// Back are the runs in which these were put back before the test, Without those in which
	// all others were, and Left those in which none was.
	Back, Without, Left Count
	Runs                int // made to find out
}

// A PackageVar is a package variable, and where it is declared.
type PackageVar struct {
	Package, Name string // Package is an import path, with "_test" for external tests
	At            Span
}
