package values

import (
	"slices"
	"testing"
)

const gathering = `package gather

import (
	"slices"
	"sort"
	"testing"
)

func TestGather(t *testing.T) {
	m := map[string]int{"a": 1, "b": 2}
	appended := []string{}
	for k := range m { // 12
		appended = append(appended, k)
	}
	slices.Sort(appended)
	filled := make([]string, len(m))
	i := 0
	for k := range m { // 18
		filled[i] = k
		i++
	}
	sort.Strings(filled)
	unsorted := make([]string, len(m))
	i = 0
	for k := range m { // 25
		unsorted[i] = k
		i++
	}
	ranks, rank := make([]string, len(m)), 0
	for k := range m { // 30
		rank++
		ranks[0] = k
	}
	sort.Strings(ranks)
	at := make([]string, len(m))
	for k, v := range m { // 36
		at[v-1] = k
		i++
	}
	sort.Strings(at)
}
`

// The order of a map's keys does not matter if a list of all of them is sorted (lines 12 and 18),
// however it was filled. It matters if the list is not sorted (25), if something else is counted
// as well (36), and if each key replaces the previous one (30).
func TestOrderless(t *testing.T) {
	choice := chosenIn(t, "gather", gathering)
	var got []int
	for _, s := range choice.Sites {
		if s.Source == "map order" {
			got = append(got, s.Line)
		}
	}
	slices.Sort(got)
	if want := []int{25, 30, 36}; !slices.Equal(got, want) {
		t.Errorf("keys of lines %v are recorded, want %v", got, want)
	}
}
