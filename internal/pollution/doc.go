// Package pollution finds the package variables by which tests that ran before make another
// one fail: what they leave in these decides, which putting them back before that test shows
// ("heap state polluters", Gyori et al., ISSTA 2015).
//
// For that a test binary is built by an overlay in which each package of the module makes its
// variables known to [keep], the tests that pollute have their state noted when they begin, and the
// victim has it put back when it begins. Nothing else is changed, no line moves, and with no variable
// named nothing is put back.
//
// An alternative would be to compare the state before and after the polluter. That tells what
// changed, which is nearly always more than what decides; putting back tells this by
// experiment, and with all others put back instead it has its control.
package pollution
