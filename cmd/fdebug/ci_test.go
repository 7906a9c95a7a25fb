package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
)

// A workflow has the commands of a block of docs/ci.md.
type workflow struct{ steps []workflowStep }

// A workflowStep is what one shell runs.
type workflowStep struct {
	id     string
	uses   string   // an action
	shell  []string // "bash", "-e", unless the step says otherwise
	always bool     // whatever the outcome of earlier steps
	env    map[string]string
	run    string
}

const (
	ciDocs  = "../../docs/ci.md"
	action  = "../../action.yml"
	install = "go install github.com/fdebug/fdebug/cmd/fdebug@latest"
)

// docBlock returns the language and the text of the block of a page after <!-- name -->.
func docBlock(page, name string) (language, body string, err error) {
	text, err := os.ReadFile(page)
	if err != nil {
		return "", "", err
	}
	_, rest, ok := strings.Cut(string(text), "<!-- "+name+" -->\n```")
	block, _, ok2 := strings.Cut(rest, "\n```\n")
	language, body, ok3 := strings.Cut(block, "\n")
	if !ok || !ok2 || !ok3 {
		return "", "", fmt.Errorf("%s has no block %s", page, name)
	}
	return language, body, nil
}

// readWorkflow returns the block of docs/ci.md after <!-- name -->.
func readWorkflow(name string) (*workflow, error) {
	language, body, err := docBlock(ciDocs, name)
	if err != nil {
		return nil, err
	}
	if language == "sh" {
		shebang, _, _ := strings.Cut(body, "\n")
		return &workflow{[]workflowStep{{shell: []string{strings.TrimPrefix(shebang, "#!")}, run: body + "\n"}}}, nil
	}
	w := new(workflow)
	w.parse(strings.Split(body, "\n"))
	return w, nil
}

// keyLine is a line of YAML: indent, perhaps the dash of a list, a key, a value.
var keyLine = regexp.MustCompile(`^( *)(- )?([A-Za-z_]+):(?: (.*))?$`)

// parse reads as much YAML as the workflows use: steps with id, if, env and run, and scripts that
// are lists of commands.
func (w *workflow) parse(lines []string) {
	var step *workflowStep
	const nowhere = 1000
	list, env := false, nowhere // whether this is a list of commands; how far env is indented
	for i := 0; i < len(lines); i++ {
		m := keyLine.FindStringSubmatch(lines[i])
		if command, ok := strings.CutPrefix(lines[i], "    - "); ok && list {
			w.steps = append(w.steps, workflowStep{run: command})
			continue
		}
		if m == nil {
			continue
		}
		indent, key, value := len(m[1])+len(m[2]), m[3], m[4]
		list = key == "script"
		if m[2] != "" {
			w.steps = append(w.steps, workflowStep{env: make(map[string]string)})
			step = &w.steps[len(w.steps)-1]
		}
		if indent <= env {
			env = nowhere
		}
		switch {
		case step == nil:
		case key == "id":
			step.id = value
		case key == "if":
			step.always = value == "always()"
		case key == "uses":
			step.uses = value
		case key == "shell":
			step.shell = strings.Fields(value)
		case key == "run" && value == "|":
			for text := strings.Repeat(" ", indent+2); i+1 < len(lines) && strings.HasPrefix(lines[i+1], text); i++ {
				step.run += lines[i+1][len(text):] + "\n"
			}
		case key == "run":
			step.run = value
		case key == "env":
			env = indent
		case indent > env:
			step.env[key] = value
		}
	}
}

// input is an input of an action.
var input = regexp.MustCompile(`(?m)^  ([a-z-]+):\n    description: .*\n    default: (.*)$`)

// TestAction checks that the action with its defaults does what docs/ci.md shows for a pull
// request, which the script ci runs: the same actions and the same commands, by the same shell.
func TestAction(t *testing.T) {
	text, err := os.ReadFile(action)
	if err != nil {
		t.Fatal(err)
	}
	filled := string(text)
	for _, m := range input.FindAllStringSubmatch(filled, -1) {
		filled = strings.ReplaceAll(filled, "${{ inputs."+m[1]+" }}", m[2])
	}
	got, want := new(workflow), new(workflow)
	got.parse(strings.Split(filled, "\n"))
	for i, s := range got.steps {
		if s.run != "" && !slices.Equal(s.shell, []string{"bash", "-e", "{0}"}) { // as GitHub does where a workflow says nothing
			t.Errorf("step %d runs in %q", i, s.shell)
		}
		s.run = strings.ReplaceAll(s.run, "${REF:-latest}", "latest")
		s.run = strings.ReplaceAll(s.run, "$ARGS", s.env["ARGS"])
		delete(s.env, "ARGS")
		delete(s.env, "REF")
		s.shell, s.always = nil, false
		got.steps[i] = s
	}
	w, err := readWorkflow("github-pull-request")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range w.steps {
		if !strings.HasPrefix(s.uses, "actions/checkout@") {
			s.always = false
			want.steps = append(want.steps, s)
		}
	}
	if diff := cmp.Diff(want.steps, got.steps, cmp.AllowUnexported(workflowStep{})); diff != "" || len(want.steps) != 5 {
		t.Errorf("docs/ci.md, with %d steps, and action.yml differ (-want +got):\n%s", len(want.steps), diff)
	}
}

// manyRuns is -n with more runs than are needed to see a test pass and fail that fails half of
// the time. With fewRuns, all are alike in less than one of 10^8 scripts.
var manyRuns = regexp.MustCompile(` -n [12]00\b`)

const fewRuns = " -n 30"

// ciCommand is a command of scripts: ci [-few] NAME runs the commands of a block of docs/ci.md as
// the CI system would, and keeps the output of step N in N.stdout and N.stderr. With -few it
// makes fewer runs than written there. With "!" one of the steps must fail.
func ciCommand(ts *testscript.TestScript, neg bool, args []string) {
	few := args[0] == "-few"
	if few {
		args = args[1:]
	}
	w, err := readWorkflow(args[0])
	ts.Check(err)
	outcomes, failed, installed, n := make(map[string]string), false, false, 0
	for _, s := range w.steps {
		script := strings.Replace(s.run, install, ":", 1) // fdebug is installed already
		installed = installed || script != s.run
		if script == "" || failed && !s.always {
			continue
		}
		if few {
			script = manyRuns.ReplaceAllString(script, fewRuns)
		}
		for name, value := range s.env {
			ts.Setenv(name, expand(value, outcomes))
		}
		shell := s.shell
		if shell == nil {
			shell = []string{"bash", "-e"}
		}
		err := ts.Exec(shell[0], append(shell[1:], "-c", script)...)
		n++
		for _, out := range []string{"stdout", "stderr"} {
			ts.Check(os.WriteFile(ts.MkAbs(fmt.Sprintf("%d.%s", n, out)), []byte(ts.ReadFile(out)), 0o666))
		}
		outcomes[s.id] = "success"
		if err != nil {
			outcomes[s.id], failed = "failure", true
		}
	}
	if n == 0 || !installed && args[0] != "cron" {
		ts.Fatalf("%s: nothing was run, or fdebug is not installed", args[0])
	}
	if failed != neg {
		ts.Fatalf("%s: failed: %v", args[0], failed)
	}
}

// expand evaluates expressions as GitHub does.
func expand(value string, outcomes map[string]string) string {
	value = strings.ReplaceAll(value, "${{ github.token }}", "ghs_abcdefgh")
	value = strings.ReplaceAll(value, "${{ github.event.pull_request.number }}", "7")
	for id, outcome := range outcomes {
		value = strings.ReplaceAll(value, "${{ steps."+id+".outcome }}", outcome)
	}
	return value
}
