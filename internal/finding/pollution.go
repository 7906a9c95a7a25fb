package finding

// A Pollution is what tests leave in package variables that makes another test fail, or that it is
// in none of them, as putting back has shown.
type Pollution struct {
	Vars []PackageVar // none of them can be missed; nil if putting back all is not enough
	// Back are the runs in which these were put back before the test, or all if they are none;
	// Without those in which all others were, zero if there are none; Left those in which none was.
	Back, Without, Left Count
}

// A PackageVar is a package variable, and where it is declared.
type PackageVar struct {
	Package, Name string // Package is an import path, with "_test" for external tests
	At            Span
}

// String returns a name that no other variable has.
func (v PackageVar) String() string { return v.Package + "." + v.Name }
