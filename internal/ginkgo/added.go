package ginkgo

import (
	_ "embed"
	"strconv"
	"strings"
)

//go:embed added.go.txt
var added string

//go:embed recorder.go.txt
var recorder string

// Files returns the files that are added to the suite, by name. In a binary with probes the
// recorder is told of each spec.
func (s Suite) Files(probes bool) map[string]string {
	tell := strings.NewReplacer("package p", "package "+s.Package)
	if !probes {
		tell = strings.NewReplacer("package p", "package "+s.Package, "import fdebugruntime \"runtime\"\n\n", "",
			"\tfdebugruntime.FdebugSpec(suite, spec)\n", "")
	}
	return map[string]string{
		"fdebug_specs_test.go": strings.NewReplacer("package p", "package "+s.Package, `"SUITE"`,
			strconv.Quote(s.Test)).Replace(added),
		"fdebug_recorder_test.go": tell.Replace(recorder),
	}
}
