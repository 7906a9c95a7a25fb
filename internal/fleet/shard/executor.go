package shard

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// An Executor is a system that starts the same command several times, and tells each process by
// environment variables which one it is.
type Executor struct {
	Name   string
	Index  string // variable with the index; "" if there is none
	First  int    // the lowest index
	Min    string // variable with the lowest index, if that is not always First
	step   string // variable with the step between indices, if that is not always 1
	Total  string // variable with the number of shards; "" if there is none
	marker string // variable that must also be set, if others use the same names
	run    string // variable that is the same in all shards of one run and differs between runs
	tries  string // variable that counts the attempts of one shard
	// fromZero says that tries counts from 0.
	fromZero bool
}

// Executors are those that -shard auto knows, with those that may run inside another one first.
// The variables are as in their documentation.
func Executors() []Executor {
	return []Executor{
		{Name: "GNU parallel", Index: "PARALLEL_SEQ", First: 1},
		{Name: "GitLab", Index: "CI_NODE_INDEX", First: 1, Total: "CI_NODE_TOTAL", marker: "GITLAB_CI",
			run: "CI_PIPELINE_ID"},
		{Name: "Buildkite", Index: "BUILDKITE_PARALLEL_JOB", Total: "BUILDKITE_PARALLEL_JOB_COUNT",
			run: "BUILDKITE_BUILD_ID", tries: "BUILDKITE_RETRY_COUNT", fromZero: true},
		{Name: "CircleCI", Index: "CIRCLE_NODE_INDEX", Total: "CIRCLE_NODE_TOTAL", run: "CIRCLE_WORKFLOW_ID"},
		{Name: "GitHub Actions", marker: "GITHUB_ACTIONS", run: "GITHUB_RUN_ID", tries: "GITHUB_RUN_ATTEMPT"},
		{Name: "Slurm", Index: "SLURM_ARRAY_TASK_ID", Min: "SLURM_ARRAY_TASK_MIN", step: "SLURM_ARRAY_TASK_STEP",
			Total: "SLURM_ARRAY_TASK_COUNT", run: "SLURM_ARRAY_JOB_ID", tries: "SLURM_RESTART_COUNT", fromZero: true},
		{Name: "AWS Batch", Index: "AWS_BATCH_JOB_ARRAY_INDEX", Total: "AWS_BATCH_JOB_ARRAY_SIZE",
			run: "AWS_BATCH_JOB_ID", tries: "AWS_BATCH_JOB_ATTEMPT"},
		{Name: "Cloud Run", Index: "CLOUD_RUN_TASK_INDEX", Total: "CLOUD_RUN_TASK_COUNT", run: "CLOUD_RUN_EXECUTION",
			tries: "CLOUD_RUN_TASK_ATTEMPT", fromZero: true},
		{Name: "Kubernetes", Index: "JOB_COMPLETION_INDEX"},
	}
}

// here reports whether this process was started by the executor.
func (e *Executor) here(getenv func(string) string) bool {
	if e.marker != "" && (getenv(e.marker) == "" || getenv(e.marker) == "false") {
		return false
	}
	return e.Index == "" || getenv(e.Index) != ""
}

// ErrNoExecutor is returned if no executor says which shard this is.
var ErrNoExecutor = errors.New("no variable of an executor says which shard this is")

// auto returns the part that the environment says. of is the number of shards if that is given,
// or 0.
func auto(of int, getenv func(string) string) (Part, *Executor, error) {
	for _, e := range Executors() {
		if e.Index == "" || !e.here(getenv) {
			continue
		}
		p, err := e.part(of, getenv)
		return p, &e, err
	}
	return Part{}, nil, ErrNoExecutor
}

func (e *Executor) part(of int, getenv func(string) string) (Part, error) {
	var first error
	number := func(name string, otherwise int) int {
		text := getenv(name)
		if name == "" || text == "" {
			return otherwise
		}
		n, err := strconv.Atoi(text)
		if err != nil && first == nil {
			first = fmt.Errorf("%s=%s, of %s, is not a number", name, text, e.Name)
		}
		return n
	}
	index, low := number(e.Index, 0), number(e.Min, e.First)
	total, step := number(e.Total, 0), max(number(e.step, 1), 1)
	switch {
	case first != nil:
		return Part{}, first
	case total == 0 && of == 0:
		return Part{}, &TotalError{e}
	case total != 0 && of != 0 && total != of:
		return Part{}, fmt.Errorf("%s=%d, of %s, and auto/%d disagree", e.Total, total, e.Name, of)
	}
	p := Part{I: (index-low)/step + 1, Of: max(total, of)}
	if (index-low)%step != 0 || p.check() != nil {
		return Part{}, fmt.Errorf("%s=%d, of %s, is not one of %d shards counted from %d", e.Index,
			index, e.Name, p.Of, low)
	}
	return p, nil
}

// A TotalError says that an executor does not know how many shards there are.
type TotalError struct{ executor *Executor }

func (e *TotalError) Error() string {
	return fmt.Sprintf("%s does not say how many shards there are", e.executor.Name)
}

// Run returns the name that the environment has for all shards of one run, or "", and which attempt at
// this shard it is, from 1, or 0 if unknown.
func Run(getenv func(string) string) (run string, attempt int) {
	for _, e := range Executors() {
		if !e.here(getenv) {
			continue
		}
		if run == "" && e.run != "" && getenv(e.run) != "" {
			id, _, _ := strings.Cut(getenv(e.run), ":") // of an array of AWS Batch, without the index
			run = e.Name + " " + id
		}
		if n, err := strconv.Atoi(getenv(e.tries)); e.tries != "" && err == nil && n >= 0 && attempt == 0 {
			if attempt = n; e.fromZero {
				attempt++
			}
		}
	}
	return run, attempt
}
