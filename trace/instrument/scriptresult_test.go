package instrument

import (
	"bytes"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
)

// A result is the outcome of running a test binary.
type result struct {
	status         string
	stdout, stderr string
}

func (r result) String() string {
	return r.stdout + r.stderr + "status " + r.status
}

func runResult(cmd *exec.Cmd, b built) (result, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		return result{}, err
	}
	return result{
		status: cmd.ProcessState.String(),
		stdout: b.mask(stdout.String()),
		stderr: b.mask(stderr.String()),
	}, nil
}

// masks are what may differ between two runs of one program, and between a function that was
// inlined and one that was not.
var masks = []struct {
	from *regexp.Regexp
	to   string
}{
	{regexp.MustCompile(`\b\d+\.\d+s\b`), "0.00s"},
	{regexp.MustCompile(` +[0-9.]+ ns/op`), " ns/op"},
	{regexp.MustCompile(`\b([gG]oroutine) \d+`), "$1 N"},
	{regexp.MustCompile(`(?m)^(\S.*)\([^()]*\)$`), "$1()"}, // arguments in a stack trace
	{regexp.MustCompile(` \+0x[0-9a-f]+\b`), ""},
	{regexp.MustCompile(`0x[0-9a-f]+`), "0x0"},
	{regexp.MustCompile(`\b(pid|m)=\d+`), "$1=N"},
	{regexp.MustCompile(`(?m)^exitcode=.*\n`), ""},
	{regexp.MustCompile(`(?m)^ *(time\.fdebugAfterFunc|sync\.fdebugGo)\.func1\(\)\n.*\n`), ""}, // it calls the function of a timer or a WaitGroup
}

// mask removes from a text what may differ between two runs.
func (b built) mask(text string) string {
	text = strings.ReplaceAll(text, b.GOROOT, "$GOROOT")
	for _, m := range masks {
		text = m.from.ReplaceAllString(text, m.to)
	}
	return text
}

// A comparison says in what two results must agree.
type comparison struct {
	statusOnly bool
	count      string // a regexp that both must match equally often
}

func (c comparison) check(plain, traced result) error {
	if plain.status != traced.status {
		return fmt.Errorf("plain: %s\ntraced: %s\n%s", plain.status, traced.status, traced)
	}
	if c.count != "" {
		re := regexp.MustCompile(c.count)
		p, t := len(re.FindAllString(plain.String(), -1)), len(re.FindAllString(traced.String(), -1))
		if p != t {
			return fmt.Errorf("%q matches %d times in the plain run, %d times in the traced one:\n%s", c.count, p, t, traced)
		}
		return nil
	}
	if !c.statusOnly && plain != traced {
		return fmt.Errorf("the outputs differ.\nplain:\n%s\ntraced:\n%s", plain, traced)
	}
	return nil
}
