package analyze

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
)

// unseen says which tests of a package failed only in the runs that record values: no page tells of them.
func unseen(pkg *runner.Package, result *finding.Result) (list []string) {
	units := slices.DeleteFunc(pkg.Units(), func(u *runner.Unit) bool {
		return u.Test == "" || u.Failed == 0 || slices.ContainsFunc(result.Tests, func(t *finding.Test) bool {
			return t.Package == pkg.ImportPath && (t.Name == u.Test || strings.HasPrefix(t.Name, u.Test+"/"))
		})
	})
	for _, u := range units {
		inner := slices.ContainsFunc(units, func(o *runner.Unit) bool { return strings.HasPrefix(o.Test, u.Test+"/") })
		if inner { // it failed because that did
			continue
		}
		list = append(list, fmt.Sprintf(
			"%s failed in %d of %d runs that record values, and in none of the runs that are compared: more runs may show it (-n)",
			u.Test, u.Failed, u.Failed+u.Passed))
	}
	return list[:min(len(list), maxUnseen)]
}

// maxUnseen is how many such tests of a package are named.
const maxUnseen = 5
