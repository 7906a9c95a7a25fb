package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	xmodule "golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
)

const installDocs = "../../docs/install.md"

// proxyCommand is the command "proxy DIR" of scripts: it makes a module proxy of a directory, which
// has this tree as the only version of fdebug.
func proxyCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: proxy DIR")
	}
	v := xmodule.Version{Path: "github.com/fdebug/fdebug", Version: "v0.1.0"}
	dir := filepath.Join(ts.MkAbs(args[0]), filepath.FromSlash(v.Path), "@v")
	ts.Check(os.MkdirAll(dir, 0o777))
	var zip bytes.Buffer
	ts.Check(modzip.CreateFromDir(&zip, v, "../.."))
	mod, err := os.ReadFile("../../go.mod")
	ts.Check(err)
	for name, data := range map[string][]byte{
		"list": []byte(v.Version), v.Version + ".zip": zip.Bytes(), v.Version + ".mod": mod,
		v.Version + ".info": []byte(`{"Version":"v0.1.0"}`),
	} {
		ts.Check(os.WriteFile(filepath.Join(dir, name), data, 0o666))
	}
}

// docCommand is the command "doc NAME" of scripts: it runs a block of docs/install.md.
func docCommand(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: doc NAME")
	}
	_, body, err := docBlock(installDocs, args[0])
	ts.Check(err)
	if err := ts.Exec("bash", "-ec", body); neg == (err == nil) {
		ts.Fatalf("%s: %v", args[0], err)
	}
}

// runsContainers reports whether podman can start a process in an empty directory. In many a container it can't.
func runsContainers(t *testing.T) bool {
	cmd := exec.Command("sh", "testdata/docker.sh", "run", "--rm", "-v", "/usr:/usr:ro", "-v", "/lib:/lib:ro", "-v", "/lib64:/lib64:ro",
		t.TempDir(), "/usr/bin/true")
	return cmd.Run() == nil
}

// dockerCommand is the command "docker" of scripts: it runs the last RUN of the Dockerfile, which
// builds the standard library, with the tree copied as it says there. With few runs, since all that
// can go wrong goes wrong in one.
func dockerCommand(ts *testscript.TestScript, neg bool, args []string) {
	text, err := os.ReadFile("../../Dockerfile")
	ts.Check(err)
	_, last, _ := strings.Cut(string(text), "\nCOPY examples /tmp/examples\n")
	_, run, ok := strings.Cut(last, "\nRUN ")
	run, _, ok2 := strings.Cut(run, "\nWORKDIR ")
	if neg || len(args) > 0 || !ok || !ok2 {
		ts.Fatalf("the Dockerfile has no last RUN after the examples")
	}
	ts.Check(os.CopyFS(ts.MkAbs("examples"), os.DirFS("../../examples")))
	few := strings.NewReplacer("/tmp/", ts.MkAbs("")+"/", "-n 20 -experiments 20s", "-n 3 -experiments 0")
	ts.Check(ts.Exec("sh", "-c", few.Replace(run)))
}

var releaseFlag = regexp.MustCompile(`(?m)^    (env|flags|ldflags): \[(.*)\]$`)

// TestLongReproducible builds a release as docs/install.md says, in two directories: the binaries are the
// same. The flags are those of .goreleaser.yaml and of the Dockerfile.
func TestLongReproducible(t *testing.T) {
	if !*long {
		t.Skip("takes long: runs with -long")
	}
	t.Parallel()
	config, err := os.ReadFile("../../.goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	flags := make(map[string]string)
	for _, m := range releaseFlag.FindAllStringSubmatch(string(config), -1) {
		flags[m[1]] = m[2]
	}
	command := fmt.Sprintf("%s go build %s -ldflags=%q -o ", flags["env"], flags["flags"], flags["ldflags"])
	_, block, err := docBlock(installDocs, "reproduce")
	if err != nil {
		t.Fatal(err)
	}
	dockerfile, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{installDocs: block, "Dockerfile": string(dockerfile)} {
		if !strings.Contains(text, command) {
			t.Errorf("%s does not build with %q", name, command)
		}
	}
	first, second := release(t, block), release(t, block)
	if first == "" || first != second {
		t.Errorf("two directories gave two binaries: %q and %q", first, second)
	}
}

// release builds a release in a clone of this repository, and returns its checksum.
func release(t *testing.T, script string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "fdebug")
	if out, err := exec.Command("git", "clone", "-q", "../..", dir).CombinedOutput(); err != nil {
		t.Skipf("%v: %s", err, out)
	}
	cmd := exec.Command("bash", "-ec", script)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
