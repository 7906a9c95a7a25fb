// Package pgtest starts a PostgreSQL server for tests, with databases that nobody else
// uses. It uses the installed PostgreSQL.
package pgtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// role and password are what the server asks for. No output of a test may contain the password.
const (
	role     = "team"
	password = "p@ss/w:rd#?%"
)

// ErrNone is returned if no server is installed.
var ErrNone = errors.New("no PostgreSQL here (apt-get install postgresql)")

// A Server is a running or temporarily stopped server.
type Server struct {
	bin   string // directory of its programs
	dir   string // of its data and its socket
	owner *syscall.SysProcAttr
	cmd   *exec.Cmd
	ended chan struct{} // closed when cmd has ended
	count atomic.Int64  // how many schemas were made
}

// A Shared is a server for the tests of a process. The first test that needs it starts it. The
// zero value is ready for use.
type Shared struct {
	once   sync.Once
	server *Server
	err    error
}

// Server returns the server, and starts it if necessary.
func (s *Shared) Server() (*Server, error) {
	s.once.Do(func() { s.server, s.err = Start() })
	return s.server, s.err
}

// Close ends the server if it was started.
func (s *Shared) Close() {
	if s.server != nil {
		s.server.Close()
	}
}

// Start makes a server with its own directory, which listens on a socket there. It ends with this
// process, however that ends.
func Start() (*Server, error) {
	bin, err := findPrograms()
	if err != nil {
		return nil, err
	}
	s := &Server{bin: bin}
	parent := ""
	if len(os.TempDir()) > 60 {
		parent = "/tmp" // the name of a socket has at most a hundred bytes
	}
	if s.dir, err = os.MkdirTemp(parent, "pgtest-"); err != nil {
		return nil, err
	}
	if s.owner, err = ownedBy(s.dir); err == nil {
		err = s.init()
	}
	if err == nil {
		err = s.Resume()
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// findPrograms also looks where packages install several versions in parallel.
func findPrograms() (string, error) {
	if name, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(name), nil
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // the pattern is ours
	best, newest := "", 0
	for _, name := range found {
		dir := filepath.Dir(name)
		if v, _ := strconv.Atoi(filepath.Base(filepath.Dir(dir))); v > newest {
			best, newest = dir, v
		}
	}
	if best == "" {
		return "", ErrNone
	}
	return best, nil
}

// init makes the data directory.
func (s *Server) init() error {
	file := filepath.Join(s.dir, "password")
	if err := os.WriteFile(file, []byte(password+"\n"), 0o644); err != nil {
		return err
	}
	cmd := exec.Command(filepath.Join(s.bin, "initdb"), "-D", s.data(), "-U", role,
		"--auth=scram-sha-256", "--pwfile="+file,
		"--locale=C", "--encoding=UTF8", "--no-sync")
	cmd.Dir, cmd.SysProcAttr = s.dir, s.owner
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	return nil
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// Resume starts the stopped server again.
func (s *Server) Resume() error {
	log, err := os.Create(filepath.Join(s.dir, "log"))
	if err != nil {
		return err
	}
	defer log.Close()
	s.cmd = exec.Command(filepath.Join(s.bin, "postgres"), "-D", s.data(), "-k", s.dir, "-c",
		"listen_addresses=", "-c", "fsync=off",
		"-c", "shared_buffers=32MB")
	s.cmd.Dir, s.cmd.SysProcAttr, s.cmd.Stdout, s.cmd.Stderr = s.dir, s.owner, log, log
	started := make(chan error)
	s.ended = make(chan struct{})
	go func(cmd *exec.Cmd, ended chan struct{}) {
		runtime.LockOSThread() // the server ends with the thread that started it
		defer close(ended)
		err := cmd.Start()
		started <- err
		if err == nil {
			cmd.Wait()
		}
	}(s.cmd, s.ended)
	if err := <-started; err != nil {
		return err
	}
	return s.wait()
}

// wait waits until the server answers.
func (s *Server) wait() error {
	for deadline := time.Now().Add(time.Minute); ; {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		conn, err := pgx.Connect(ctx, s.url("postgres"))
		if err == nil {
			conn.Close(ctx)
		}
		cancel()
		if err == nil {
			return nil
		}
		select {
		case <-s.ended:
			said, _ := os.ReadFile(filepath.Join(s.dir, "log"))
			return fmt.Errorf("the server ended: %s", bytes.TrimSpace(said))
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the server does not answer: %w", err)
		}
	}
}

// Stop ends the server at once, in the middle of its work, with all connections.
func (s *Server) Stop() { s.stop(syscall.SIGQUIT) }

func (s *Server) stop(how syscall.Signal) {
	if s.cmd == nil || s.cmd.Process == nil {
		return
	}
	s.cmd.Process.Signal(how)
	select {
	case <-s.ended:
	case <-time.After(20 * time.Second):
		s.cmd.Process.Kill()
		<-s.ended
	}
}

// Close ends the server and removes its files.
func (s *Server) Close() {
	s.stop(syscall.SIGINT)
	os.RemoveAll(s.dir)
}

// Database returns the URL of an empty database: a separate schema, which is quicker to make than
// a database.
func (s *Server) Database() (string, error) {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, s.url("postgres"))
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx)
	name := fmt.Sprint("history", s.count.Add(1))
	_, err = conn.Exec(ctx, "CREATE SCHEMA "+name)
	return s.url("postgres") + "&search_path=" + name, err
}

func (s *Server) url(database string) string {
	u := url.URL{Scheme: "postgres", User: url.UserPassword(role, password), Path: "/" + database,
		RawQuery: url.Values{"host": {s.dir}}.Encode()}
	return u.String()
}

// CheckNoPassword fails a test if a text contains the password, plain or as in a URL.
func CheckNoPassword(t *testing.T, what, text string) {
	t.Helper()
	for _, secret := range []string{password, strings.TrimPrefix(url.UserPassword("", password).String(), ":")} {
		if strings.Contains(text, secret) {
			t.Errorf("%s has the password: %s", what, text)
		}
	}
}
