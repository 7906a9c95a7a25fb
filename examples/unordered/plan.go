// Package unordered plans the steps of a deployment. Each step names the steps
// that must be done before it.
package unordered

import (
	"fmt"
	"strings"
)

// Steps maps the name of each step to the names of the steps it needs.
type Steps map[string][]string

// A CycleError lists steps that wait for each other.
type CycleError struct {
	Steps []string
}

func (e *CycleError) Error() string {
	return fmt.Sprintf("steps wait for each other: %s", strings.Join(e.Steps, ", "))
}

// Plan returns all steps in an order in which they can be done.
func (s Steps) Plan() ([]string, error) {
	missing := make(map[string]int, len(s)) // needs that are not in the plan yet
	neededBy := make(map[string][]string)
	for step, needs := range s {
		missing[step] = len(needs)
		for _, need := range needs {
			if _, ok := s[need]; !ok {
				return nil, fmt.Errorf("step %s needs unknown step %s", step, need)
			}
			neededBy[need] = append(neededBy[need], step)
		}
	}

	var plan []string
	for step, n := range missing {
		if n == 0 {
			plan = append(plan, step)
		}
	}
	for i := 0; i < len(plan); i++ {
		for _, next := range neededBy[plan[i]] {
			missing[next]--
			if missing[next] == 0 {
				plan = append(plan, next)
			}
		}
	}
	if len(plan) < len(s) {
		return nil, cycle(missing)
	}
	return plan, nil
}

// Script returns the plan as a shell script that stops at the first failure.
func (s Steps) Script() (string, error) {
	plan, err := s.Plan()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("set -e\n")
	for _, step := range plan {
		fmt.Fprintf(&b, "./deploy %s\n", step)
	}
	return b.String(), nil
}

func cycle(missing map[string]int) error {
	err := &CycleError{}
	for step, n := range missing {
		if n > 0 {
			err.Steps = append(err.Steps, step)
		}
	}
	return err
}
