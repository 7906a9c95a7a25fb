package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/freedom"
)

// A kindList is the flag -kinds: kinds of perturbation, separated by commas. nil means all.
type kindList []string

func (k *kindList) String() string { return strings.Join(*k, ",") }

func (k *kindList) Set(s string) error {
	*k = strings.Split(s, ",")
	return nil
}

// check refuses unknown kinds.
func (k kindList) check() error {
	var names []string
	for _, x := range freedom.Settable() {
		names = append(names, x.Name)
	}
	for _, name := range k {
		if freedom.Gone(name) {
			return advice.With(advice.Usagef("-kinds: %q is no longer a kind", name),
				"holds from the check outward took its place: -kinds stall")
		}
		if !slices.Contains(names, name) {
			return advice.With(advice.Usagef("-kinds: there is no kind %q", name),
				append(advice.DidYouMean(name, names),
					fmt.Sprintf("the kinds are %s: fdebug help perturbations", strings.Join(names, ", ")))...)
		}
	}
	return nil
}
