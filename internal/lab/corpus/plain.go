package main

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
)

// plainRates runs each flaky test alone, without probes and with nothing varied, and
// keeps how often it failed.
func (c *corpus) plainRates() error {
	built := make(map[string]string)
	for _, tc := range c.cases {
		if c.plain == 0 || tc.kind == "none" {
			continue
		}
		bin := built[tc.pkg]
		if bin == "" {
			bin = filepath.Join(c.work, tc.pkg+".test")
			cmd := exec.Command("go", "test", "-c", "-o", bin, "./"+tc.pkg)
			cmd.Dir = c.module()
			if out, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("building %s: %w\n%s", tc.pkg, err, out)
			}
			built[tc.pkg] = bin
		}
		failed, err := c.plainRuns(tc, bin)
		if err != nil {
			return err
		}
		tc.rate = fmt.Sprintf("%d of %d", failed, c.plain)
	}
	return nil
}

// plainRuns runs a test many times in one process, and returns how often it failed.
func (c *corpus) plainRuns(tc *testCase, bin string) (int, error) {
	cmd := exec.Command(bin, "-test.v", "-test.run", "^"+tc.test+"$", "-test.count", strconv.Itoa(c.plain),
		"-test.timeout", "30m")
	cmd.Dir = filepath.Join(c.module(), tc.pkg)
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return 0, err
	}
	ended := regexp.MustCompile(`(?m)^--- (PASS|FAIL): `+tc.test+` `).FindAllSubmatch(out, -1)
	if len(ended) != c.plain {
		return 0, fmt.Errorf("%s: %d of %d plain runs came to their end", tc.test, len(ended), c.plain)
	}
	failed := 0
	for _, m := range ended {
		if string(m[1]) == "FAIL" {
			failed++
		}
	}
	return failed, nil
}
