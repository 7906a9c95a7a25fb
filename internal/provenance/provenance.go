// Package provenance says where results come from: the commit, from git, and the job, from the
// environment variables of CI systems.
package provenance

import (
	"context"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// An Origin is what is known about where results come from. Unknown fields are empty.
type Origin struct {
	Commit     string    `json:"commit,omitempty"`
	CommitTime time.Time `json:"commit_time,omitzero"`
	// Modified is set if there were uncommitted changes.
	Modified bool   `json:"modified,omitempty"`
	Branch   string `json:"branch,omitempty"`
	Job      string `json:"job,omitempty"`
	Attempt  int    `json:"attempt,omitempty"` // of the job, from 1
	CI       string `json:"ci,omitempty"`      // "GitHub Actions"
}

// A system is a CI system: the variable that identifies it, and variables that say more. Of
// several variables the first that is set counts.
type system struct {
	name    string
	marker  string
	commit  []string
	branch  []string
	job     []string // joined by slashes, if set
	attempt []string
	// retries says that attempt counts from 0.
	retries bool
}

// systems are common CI systems. The variables are as in their documentation.
var systems = []system{
	{name: "GitHub Actions", marker: "GITHUB_ACTIONS", commit: []string{"GITHUB_SHA"},
		branch: []string{"GITHUB_HEAD_REF", "GITHUB_REF_NAME"},
		job:    []string{"GITHUB_WORKFLOW", "GITHUB_JOB", "GITHUB_RUN_ID"}, attempt: []string{"GITHUB_RUN_ATTEMPT"}},
	{name: "GitLab", marker: "GITLAB_CI", commit: []string{"CI_COMMIT_SHA"},
		branch: []string{"CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "CI_COMMIT_REF_NAME"},
		job:    []string{"CI_JOB_NAME", "CI_JOB_ID"}},
	{name: "Buildkite", marker: "BUILDKITE", commit: []string{"BUILDKITE_COMMIT"}, branch: []string{"BUILDKITE_BRANCH"},
		job:     []string{"BUILDKITE_PIPELINE_SLUG", "BUILDKITE_LABEL", "BUILDKITE_JOB_ID"},
		attempt: []string{"BUILDKITE_RETRY_COUNT"}, retries: true},
	{name: "CircleCI", marker: "CIRCLECI", commit: []string{"CIRCLE_SHA1"}, branch: []string{"CIRCLE_BRANCH"},
		job: []string{"CIRCLE_JOB", "CIRCLE_BUILD_NUM", "CIRCLE_NODE_INDEX"}},
	{name: "Jenkins", marker: "JENKINS_URL", commit: []string{"GIT_COMMIT"},
		branch: []string{"CHANGE_BRANCH", "BRANCH_NAME", "GIT_BRANCH"}, job: []string{"JOB_NAME", "BUILD_NUMBER"}},
	{name: "Azure Pipelines", marker: "TF_BUILD", commit: []string{"BUILD_SOURCEVERSION"},
		branch:  []string{"SYSTEM_PULLREQUEST_SOURCEBRANCH", "BUILD_SOURCEBRANCHNAME"},
		job:     []string{"BUILD_DEFINITIONNAME", "SYSTEM_JOBDISPLAYNAME", "BUILD_BUILDID"},
		attempt: []string{"SYSTEM_JOBATTEMPT"}},
	{name: "Travis CI", marker: "TRAVIS", commit: []string{"TRAVIS_COMMIT"},
		branch: []string{"TRAVIS_PULL_REQUEST_BRANCH", "TRAVIS_BRANCH"},
		job:    []string{"TRAVIS_JOB_NAME", "TRAVIS_JOB_NUMBER"}},
	{name: "TeamCity", marker: "TEAMCITY_VERSION", commit: []string{"BUILD_VCS_NUMBER"},
		job: []string{"TEAMCITY_BUILDCONF_NAME", "BUILD_NUMBER"}},
	{name: "Drone", marker: "DRONE", commit: []string{"DRONE_COMMIT_SHA"},
		branch: []string{"DRONE_SOURCE_BRANCH", "DRONE_BRANCH"},
		job:    []string{"DRONE_STAGE_NAME", "DRONE_STEP_NAME", "DRONE_BUILD_NUMBER"}},
	{name: "Woodpecker", marker: "CI_SYSTEM_NAME", commit: []string{"CI_COMMIT_SHA"},
		branch: []string{"CI_COMMIT_SOURCE_BRANCH", "CI_COMMIT_BRANCH"},
		job:    []string{"CI_WORKFLOW_NAME", "CI_STEP_NAME", "CI_PIPELINE_NUMBER"}},
	{name: "Prow", marker: "PROW_JOB_ID", commit: []string{"PULL_PULL_SHA", "PULL_BASE_SHA"},
		branch: []string{"PULL_HEAD_REF", "PULL_BASE_REF"}, job: []string{"JOB_NAME", "BUILD_ID"}},
}

// FromEnv returns the origin by the environment of a CI system, or nothing outside CI.
func FromEnv(getenv func(string) string) Origin {
	for _, s := range systems {
		if v := getenv(s.marker); v != "" && v != "false" {
			return s.read(getenv)
		}
	}
	return Origin{}
}

func (s *system) read(getenv func(string) string) Origin {
	first := func(names []string) string {
		for _, n := range names {
			if v := getenv(n); v != "" {
				return v
			}
		}
		return ""
	}
	o := Origin{CI: s.name, Commit: first(s.commit), Branch: strings.TrimPrefix(first(s.branch), "refs/heads/")}
	var job []string
	for _, n := range s.job {
		if v := getenv(n); v != "" {
			job = append(job, v)
		}
	}
	o.Job = strings.Join(job, "/")
	if n, err := strconv.Atoi(first(s.attempt)); err == nil && n >= 0 {
		o.Attempt = n
		if s.retries {
			o.Attempt++
		}
	}
	return o
}

// patience is how long git may take. A tree on a slow disk is not worth more.
const patience = 10 * time.Second

// FromGit returns the state of the working tree that contains a directory, or nothing if there is
// none or git is not available.
func FromGit(ctx context.Context, dir string) Origin {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	head, err := git(ctx, dir, "log", "-1", "--no-show-signature", "--format=%H %ct")
	if err != nil {
		return Origin{}
	}
	o := Origin{}
	hash, at, _ := strings.Cut(head, " ")
	o.Commit, o.CommitTime = hash, unix(at)
	if changed, err := git(ctx, dir, "status", "--porcelain"); err != nil || changed != "" {
		o.Modified = true
	}
	if branch, err := git(ctx, dir, "symbolic-ref", "--short", "-q", "HEAD"); err == nil {
		o.Branch = branch
	}
	return o
}

// CommitTime returns when a commit was made, or zero if the repository around a directory does
// not have it.
func CommitTime(ctx context.Context, dir, hash string) time.Time {
	if hash == "" || strings.HasPrefix(hash, "-") {
		return time.Time{}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	at, err := git(ctx, dir, "log", "-1", "--no-show-signature", "--format=%ct", hash+"^{commit}", "--")
	if err != nil {
		return time.Time{}
	}
	return unix(at)
}

func unix(seconds string) time.Time {
	n, err := strconv.ParseInt(strings.TrimSpace(seconds), 10, 64)
	if err != nil || n <= 0 || n > 1<<36 {
		return time.Time{}
	}
	return time.Unix(n, 0).UTC()
}

// git runs git and returns its output. git must never ask on a terminal.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}

// Or returns o, with unknown fields taken from p. The state of a tree is taken as a whole.
func (o Origin) Or(p Origin) Origin {
	if o.Commit == "" {
		o.Commit, o.CommitTime, o.Modified = p.Commit, p.CommitTime, p.Modified
	}
	if o.Branch == "" {
		o.Branch = p.Branch
	}
	if o.Job == "" {
		o.Job = p.Job
	}
	if o.Attempt == 0 {
		o.Attempt = p.Attempt
	}
	if o.CI == "" {
		o.CI = p.CI
	}
	return o
}
