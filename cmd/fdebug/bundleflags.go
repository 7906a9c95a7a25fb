package main

import (
	"flag"
	"slices"

	"github.com/fdebug/fdebug/internal/advice"
)

// fixedByBundle are flags that say how tests are built, besides those of the go command.
var fixedByBundle = []string{"instrument", "generated", "overlay", "vet"}

// refuseWithBundle refuses flags that mean nothing when nothing is built.
func (fs *flagSet) refuseWithBundle() error {
	var err error
	fs.Visit(func(f *flag.Flag) {
		_, forGo := f.Value.(*goFlag)
		switch {
		case forGo || slices.Contains(fixedByBundle, f.Name):
			err = advice.With(advice.Usagef("-%s and -bundle exclude each other: the tests are built already", f.Name),
				"fdebug build -bundle FILE takes -"+f.Name)
		case f.Name == "changed" || f.Name == "flaky":
			err = advice.With(advice.Usagef("-%s and -bundle exclude each other: that needs the source", f.Name),
				"packages after the flags say which of the bundle's to run")
		}
	})
	return err
}
