package shard

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestPartition divides numbers in many ways. Each number is in one part, and the sizes of parts
// differ by at most one.
func TestPartition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		n, of := rng.IntN(500), 1+rng.IntN(60)
		seen := make([]int, n+1)
		for i := 1; i <= of; i++ {
			p, count := Part{i, of}, 0
			for k := 1; k <= n; k++ {
				if p.Has(k) {
					seen[k]++
					count++
				}
			}
			if count != p.Count(n) || count < n/of || count > n/of+1 {
				t.Fatalf("%v of %d has %d, Count says %d", p, n, count, p.Count(n))
			}
		}
		for k := 1; k <= n; k++ {
			if seen[k] != 1 {
				t.Fatalf("%d of %d is in %d of %d parts", k, n, seen[k], of)
			}
		}
	}
	if whole := (Part{}); !whole.Has(7) || whole.Count(7) != 7 {
		t.Error("the zero part is not the whole")
	}
}

// TestParse has arguments of -shard, in the environment of each executor. An empty want is an
// error that contains words.
func TestParse(t *testing.T) {
	for _, c := range []struct{ text, env, want, words string }{
		{"3/20", "", "3/20", ""},
		{"1/1", "", "1/1", ""},
		{"3/20", "GITLAB_CI=true CI_NODE_INDEX=1 CI_NODE_TOTAL=4", "3/20", ""},
		{"0/20", "", "", "counted from 1"},
		{"21/20", "", "", "counted from 1"},
		{"3", "", "", "want 3/20"},
		{"3/", "", "", "want 3/20"},
		{"3/x", "", "", "want 3/20"},
		{"-1/5", "", "", "counted from 1"},
		{"1/1000000", "", "", "is not a part"},
		{"auto/0", "", "", "want 3/20"},
		{"auto", "", "", ErrNoExecutor.Error()},
		{"auto", "GITLAB_CI=true CI_NODE_INDEX=1 CI_NODE_TOTAL=4", "1/4", ""},
		{"auto", "GITLAB_CI=true CI_NODE_INDEX=4 CI_NODE_TOTAL=4", "4/4", ""},
		{"auto", "GITLAB_CI=true CI_NODE_TOTAL=1", "", ErrNoExecutor.Error()},               // a job that is not parallel
		{"auto", "CI_NODE_INDEX=0 CI_NODE_TOTAL=4", "", ErrNoExecutor.Error()},              // of others, who count from 0
		{"auto", "GITLAB_CI=true CI_NODE_INDEX=0 CI_NODE_TOTAL=4", "", "counted from 1"},    // never there
		{"auto", "GITLAB_CI=true CI_NODE_INDEX=one CI_NODE_TOTAL=4", "", "is not a number"}, //
		{"auto/5", "GITLAB_CI=true CI_NODE_INDEX=1 CI_NODE_TOTAL=4", "", "auto/5 disagree"}, //
		{"auto", "BUILDKITE_PARALLEL_JOB=0 BUILDKITE_PARALLEL_JOB_COUNT=3", "1/3", ""},
		{"auto", "CIRCLE_NODE_INDEX=2 CIRCLE_NODE_TOTAL=3", "3/3", ""},
		{"auto", "CIRCLE_NODE_INDEX=3 CIRCLE_NODE_TOTAL=3", "", "not one of 3 shards"},
		{"auto", "JOB_COMPLETION_INDEX=0", "", "does not say how many"},
		{"auto/20", "JOB_COMPLETION_INDEX=0", "1/20", ""},
		{"auto/20", "JOB_COMPLETION_INDEX=19", "20/20", ""},
		{"auto/20", "JOB_COMPLETION_INDEX=20", "", "not one of 20 shards"},
		{"auto", "SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=20", "3/20", ""},
		{"auto", "SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_COUNT=20", "4/20", ""},
		{"auto", "SLURM_ARRAY_TASK_ID=5 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_STEP=2 SLURM_ARRAY_TASK_COUNT=4", "3/4", ""}, // 1,3,5,7
		{"auto", "SLURM_ARRAY_TASK_ID=9 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=3", "", "not one of 3 shards"},         // 1,2,9
		{"auto", "AWS_BATCH_JOB_ARRAY_INDEX=9 AWS_BATCH_JOB_ARRAY_SIZE=10", "10/10", ""},
		{"auto", "CLOUD_RUN_TASK_INDEX=0 CLOUD_RUN_TASK_COUNT=10", "1/10", ""},
		{"auto/8", "PARALLEL_SEQ=8", "8/8", ""},
		{"auto", "GITHUB_ACTIONS=true", "", ErrNoExecutor.Error()},
	} {
		p, _, err := Parse(c.text, environ(c.env))
		switch {
		case c.want == "" && (err == nil || !strings.Contains(err.Error(), c.words)):
			t.Errorf("-shard %s with %s: error %v, want %q", c.text, c.env, err, c.words)
		case c.want != "" && (err != nil || p.String() != c.want):
			t.Errorf("-shard %s with %s: %v, %v, want %s", c.text, c.env, p, err, c.want)
		}
	}
	var total *TotalError
	if _, _, err := Parse("auto", environ("PARALLEL_SEQ=1")); !errors.As(err, &total) || total.executor.Name != "GNU parallel" {
		t.Errorf("error %v", err)
	}
}

// environ looks variables up in "A=1 B=2".
func environ(text string) func(string) string {
	return func(name string) string {
		for _, kv := range strings.Fields(text) {
			if k, v, _ := strings.Cut(kv, "="); k == name {
				return v
			}
		}
		return ""
	}
}

// TestRun checks what all shards of a run of an executor share, and counts attempts.
func TestRun(t *testing.T) {
	for _, c := range []struct {
		env, run string
		attempt  int
	}{
		{"", "", 0},
		{"GITHUB_ACTIONS=true GITHUB_RUN_ID=77 GITHUB_RUN_ATTEMPT=2", "GitHub Actions 77", 2},
		{"GITHUB_RUN_ID=77", "", 0},
		{"BUILDKITE_PARALLEL_JOB=0 BUILDKITE_BUILD_ID=b-1 BUILDKITE_RETRY_COUNT=0", "Buildkite b-1", 1},
		{"AWS_BATCH_JOB_ARRAY_INDEX=3 AWS_BATCH_JOB_ID=11-22:3 AWS_BATCH_JOB_ATTEMPT=1", "AWS Batch 11-22", 1},
		{"SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_JOB_ID=9 SLURM_RESTART_COUNT=1", "Slurm 9", 2},
		{"SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_JOB_ID=9", "Slurm 9", 0},
		{"CLOUD_RUN_TASK_INDEX=3 CLOUD_RUN_EXECUTION=job-abc CLOUD_RUN_TASK_ATTEMPT=x", "Cloud Run job-abc", 0},
	} {
		if run, attempt := Run(environ(c.env)); run != c.run || attempt != c.attempt {
			t.Errorf("%s: %q, attempt %d", c.env, run, attempt)
		}
	}
}
