package provenance

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

func env(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

func TestFromEnv(t *testing.T) {
	for _, c := range []struct {
		vars map[string]string
		want Origin
	}{
		{nil, Origin{}},
		{map[string]string{"CI": "true"}, Origin{}},
		{map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_SHA": "abc", "GITHUB_HEAD_REF": "", "GITHUB_REF_NAME": "main", "GITHUB_WORKFLOW": "ci",
			"GITHUB_JOB": "test", "GITHUB_RUN_ID": "17", "GITHUB_RUN_ATTEMPT": "2"},
			Origin{Commit: "abc", Branch: "main", Job: "ci/test/17", Attempt: 2, CI: "GitHub Actions"}},
		{map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_HEAD_REF": "topic", "GITHUB_REF_NAME": "5/merge"}, Origin{Branch: "topic", CI: "GitHub Actions"}},
		{map[string]string{"GITLAB_CI": "true", "CI_COMMIT_SHA": "abc", "CI_COMMIT_REF_NAME": "main", "CI_JOB_NAME": "test 1/3", "CI_JOB_ID": "9"},
			Origin{Commit: "abc", Branch: "main", Job: "test 1/3/9", CI: "GitLab"}},
		// Buildkite counts retries; the first retry is the second attempt.
		{map[string]string{"BUILDKITE": "true", "BUILDKITE_COMMIT": "abc", "BUILDKITE_RETRY_COUNT": "1", "BUILDKITE_JOB_ID": "u"},
			Origin{Commit: "abc", Job: "u", Attempt: 2, CI: "Buildkite"}},
		{map[string]string{"JENKINS_URL": "x", "GIT_COMMIT": "abc", "GIT_BRANCH": "refs/heads/main", "JOB_NAME": "j", "BUILD_NUMBER": "3"},
			Origin{Commit: "abc", Branch: "main", Job: "j/3", CI: "Jenkins"}},
		{map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_RUN_ATTEMPT": "-7"}, Origin{CI: "GitHub Actions"}},
	} {
		if got := FromEnv(env(c.vars)); got != c.want {
			t.Errorf("%v: got %+v, want %+v", c.vars, got, c.want)
		}
	}
}

func TestFromGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	dir := t.TempDir()
	if got := FromGit(context.Background(), dir); got != (Origin{}) {
		t.Errorf("in no repository: %+v", got)
	}
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a",
			"GIT_COMMITTER_EMAIL=a@example.com", "GIT_COMMITTER_DATE=2026-11-22T10:00:00Z")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	run("init", "-q", "-b", "main")
	file := filepath.Join(dir, "a.go")
	if err := os.WriteFile(file, []byte("package a\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	run("add", ".")
	run("commit", "-q", "-m", "one")
	at := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	got := FromGit(context.Background(), dir)
	if len(got.Commit) != 40 || !got.CommitTime.Equal(at) || got.Modified || got.Branch != "main" {
		t.Errorf("%+v", got)
	}
	if when := CommitTime(context.Background(), dir, got.Commit[:10]); !when.Equal(at) {
		t.Errorf("made at %v", when)
	}
	for _, hash := range []string{"", "--all", "0123456789", "x; true"} {
		if when := CommitTime(context.Background(), dir, hash); !when.IsZero() {
			t.Errorf("%q: made at %v", hash, when)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "b.go"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if got := FromGit(context.Background(), dir); !got.Modified {
		t.Error("an untracked file does not count as a change")
	}
}

func TestOr(t *testing.T) {
	tree := Origin{Commit: "abc", Modified: true}
	job := Origin{Commit: "def", Branch: "main", Job: "j", Attempt: 2, CI: "GitLab"}
	if got, want := tree.Or(job), (Origin{Commit: "abc", Modified: true, Branch: "main", Job: "j", Attempt: 2, CI: "GitLab"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := (Origin{}).Or(tree); got != tree {
		t.Errorf("got %+v", got)
	}
}
