package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
)

// The commands to go on with have the conditions under which the test failed.
func TestNext(t *testing.T) {
	for _, c := range []struct {
		name    string
		options finding.Options
		test    finding.Test
		want    []string
	}{
		{"nothing given", finding.Options{}, finding.Test{}, []string{
			"Run again: fdebug run ./queue -n 50",
		}},
		{"fails alone", finding.Options{Run: "Drain|Add", Skip: "Slow"}, finding.Test{Alone: "^TestDrain$"}, []string{
			"Run again: fdebug run ./queue -run '^TestDrain$' -skip Slow -n 50",
		}},
		{"everything given", finding.Options{
			C: "the module", Out: "out", Run: "Drain|Add", Shuffle: "on", Parallel: 4, CPU: "1,2",
			Flags: []string{"-race", "-vet=off", "-timeout=30s"}, Args: []string{"-v"},
		}, finding.Test{Seed: "42"}, []string{
			"Run again: fdebug -C 'the module' run -o out ./queue -run 'Drain|Add' -race -vet=off -timeout=30s -cpu=1,2 -procs=4 -shuffle 42 -n 50 -- -v",
		}},
		{"alone already", finding.Options{Run: "^TestDrain$"}, finding.Test{}, []string{
			"Run again: fdebug run ./queue -run '^TestDrain$' -n 50",
		}},
		{"failed without the recorder only", finding.Options{Run: "Drain|Add", Shuffle: "on", Flags: []string{"-vet=off"}, Args: []string{"-v"}}, finding.Test{PlainFailure: &finding.PlainFailure{}}, []string{
			"Make it fail: fdebug hunt ./queue -run '^TestDrain$' -vet=off -- -v",
		}},
		{"named from elsewhere", finding.Options{Dir: "/home/gopher/m/queue", Flags: []string{"-msan"}}, finding.Test{Alone: "^TestDrain$"}, []string{
			"Run again: fdebug run example.com/m/queue -run '^TestDrain$' -msan -n 50",
		}},
		{"in the home directory", finding.Options{C: "/home/gopher/my module", Out: "/home/gopher/out", Flags: []string{"-race", "-overlay=/home/gopher/o.json"}}, finding.Test{Alone: "^TestDrain$"}, []string{
			"Run again: fdebug -C ~/'my module' run -o ~/out ./queue -run '^TestDrain$' -race -overlay ~/o.json -n 50",
		}},
		{"of a bundle", finding.Options{Bundle: "b.fdz", Flags: []string{"-short"}}, finding.Test{}, []string{
			"Run again: fdebug run -bundle b.fdz ./queue -short -n 50",
		}},
		{"another module of the workspace", finding.Options{Flags: []string{"-asan"}}, finding.Test{Package: "example.com/other/queue", Alone: "^TestDrain$"}, []string{
			"Run again: fdebug run example.com/other/queue -run '^TestDrain$' -asan -n 50",
		}},
	} {
		r := newFixture(t).result()
		r.Options = c.options
		test := c.test
		test.Name, test.Runs = "TestDrain", runs(50, finding.Failed, 3, 7, 12, 13, 19, 24, 28, 31, 37, 40, 44, 49)
		if test.Package == "" {
			test.Package = "example.com/m/queue"
		}
		for _, f := range test.Failures {
			f.Analysis = &divergence.Analysis{}
		}
		r.Tests = []*finding.Test{&test}
		var got []string
		for _, n := range newViewer(r).test(&test).Next {
			if n.Label != "As an issue" {
				got = append(got, n.Label+": "+n.Line)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}
