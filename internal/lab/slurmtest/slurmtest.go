// Package slurmtest starts a Slurm cluster of one machine for tests. It uses the installed Slurm,
// and nobody else uses the cluster.
package slurmtest

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// ErrNone is returned if Slurm is not installed.
var ErrNone = errors.New("no Slurm here (apt-get install slurm-wlm munge)")

// A Cluster is a controller and a node, with a key by which they trust each other.
type Cluster struct {
	dir     string // of its state and its logs
	daemons []*daemon
}

// A daemon is one process of a cluster.
type daemon struct {
	name  string
	log   string
	cmd   *exec.Cmd
	ended chan struct{} // closed when cmd has ended
}

// A Shared is a cluster for the tests of a process. The first test that needs it starts it. The
// zero value is ready for use.
type Shared struct {
	once    sync.Once
	cluster *Cluster
	err     error
}

// Cluster returns the cluster, and starts it if necessary.
func (s *Shared) Cluster() (*Cluster, error) {
	s.once.Do(func() { s.cluster, s.err = start() })
	return s.cluster, s.err
}

// Close ends the cluster if it was started.
func (s *Shared) Close() {
	if s.cluster != nil {
		s.cluster.Close()
	}
}

// programs are also looked for where a user may have no path.
var programs = []string{"munged", "slurmctld", "slurmd", "sbatch", "sinfo", "scontrol"}

// find returns where the programs are, by name.
func find() (map[string]string, error) {
	found := make(map[string]string)
	for _, name := range programs {
		path, err := exec.LookPath(name)
		if err != nil {
			path, err = exec.LookPath("/usr/sbin/" + name)
		}
		if err != nil {
			return nil, ErrNone
		}
		found[name] = path
	}
	return found, nil
}

// start makes a cluster with its own directory, which listens only to this machine. Its processes
// end with this process, however that ends. If root starts it, so do the jobs that they run.
func start() (*Cluster, error) {
	if runtime.GOOS != "linux" {
		return nil, ErrNone
	}
	found, err := find()
	if err != nil {
		return nil, err
	}
	parent := ""
	if len(os.TempDir()) > 60 {
		parent = "/tmp" // the name of a socket has at most a hundred bytes
	}
	c := &Cluster{}
	if c.dir, err = os.MkdirTemp(parent, "slurmtest-"); err != nil {
		return nil, err
	}
	if err = c.configure(); err == nil {
		err = c.startAll(found)
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (c *Cluster) file(name string) string { return filepath.Join(c.dir, name) }

// Config is the file that SLURM_CONF must name for the programs of Slurm to find the cluster.
func (c *Cluster) Config() string { return c.file("slurm.conf") }

// configure writes the files that the daemons read.
func (c *Cluster) configure() error {
	if err := os.Chmod(c.dir, 0o755); err != nil { // munged must be reachable for all
		return err
	}
	key := make([]byte, 1024)
	rand.Read(key)
	if err := os.WriteFile(c.file("munge.key"), key, 0o400); err != nil {
		return err
	}
	for _, name := range []string{"state", "spool"} {
		if err := os.Mkdir(c.file(name), 0o755); err != nil {
			return err
		}
	}
	me, err := user.Current()
	if err != nil {
		return err
	}
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	host, _, _ = strings.Cut(host, ".") // as Slurm names it
	ports, err := freePorts(2)
	if err != nil {
		return err
	}
	text := strings.NewReplacer("DIR", c.dir, "USER", me.Username, "HOST", host, "PORT1", fmt.Sprint(ports[0]), "PORT2",
		fmt.Sprint(ports[1]),
		"CPUS", fmt.Sprint(runtime.NumCPU())).Replace(config)
	if mounted, _ := os.ReadDir("/sys/fs/cgroup"); len(mounted) == 0 {
		if err := os.WriteFile(c.file("cgroup.conf"), []byte(noGroups), 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(c.Config(), []byte(text), 0o644)
}

// noGroups is for systems without a mount at /sys/fs/cgroup, such as some containers: slurmd
// looks there to choose a plugin, though config uses none, and ends if it finds nothing.
const noGroups = "CgroupPlugin=cgroup/v1\n"

// config has one node, which is this machine, without accounting and without cgroups.
const config = `ClusterName=fdebug
SlurmctldHost=HOST(127.0.0.1)
SlurmUser=USER
SlurmdUser=USER
AuthType=auth/munge
AuthInfo=socket=DIR/munge.socket
CredType=cred/munge
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmctldPort=PORT1
SlurmdPort=PORT2
SlurmctldPidFile=DIR/slurmctld.pid
SlurmdPidFile=DIR/slurmd.pid
StateSaveLocation=DIR/state
SlurmdSpoolDir=DIR/spool
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SchedulerParameters=sched_min_interval=1
ReturnToService=2
NodeName=HOST NodeAddr=127.0.0.1 CPUs=CPUS State=UNKNOWN
PartitionName=tests Nodes=HOST Default=YES MaxTime=60 State=UP
`

// freePorts returns ports of this machine that nobody listens on.
func freePorts(n int) (ports []int, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// startAll starts the daemons, and waits until the node is up.
func (c *Cluster) startAll(found map[string]string) error {
	munge := []string{"--foreground", "--force", "--num-threads=1"}
	for flag, name := range map[string]string{"socket": "munge.socket", "key-file": "munge.key",
		"pid-file": "munge.pid", "seed-file": "munge.seed", "log-file": "munge.log"} {
		munge = append(munge, "--"+flag+"="+c.file(name))
	}
	if err := c.start("munged", nil, found["munged"], munge...); err != nil {
		return err
	}
	if err := c.wait("munged", func() error { _, err := os.Stat(c.file("munge.socket")); return err }); err != nil {
		return err
	}
	if err := c.start("slurmctld", nil, found["slurmctld"], "-D", "-f", c.Config()); err != nil {
		return err
	}
	err := c.start("slurmd", alone(), found["slurmd"], "-D", "-f", c.Config())
	if errors.Is(err, fs.ErrPermission) { // in some containers; then running jobs go on if this process is killed
		err = c.start("slurmd", nil, found["slurmd"], "-D", "-f", c.Config())
	}
	if err != nil {
		return err
	}
	return c.wait("slurmd", func() error {
		out, err := c.command("sinfo", "-h", "-o", "%T").Output()
		if err == nil && strings.TrimSpace(string(out)) != "idle" {
			err = fmt.Errorf("the node is %s", bytes.TrimSpace(out))
		}
		return err
	})
}

// start starts a daemon.
func (c *Cluster) start(name string, attr *syscall.SysProcAttr, path string, args ...string) error {
	d := &daemon{name: name, log: c.file(name + ".out"), cmd: exec.Command(path, args...), ended: make(chan struct{})}
	log, err := os.Create(d.log)
	if err != nil {
		return err
	}
	defer log.Close()
	d.cmd.Dir, d.cmd.Stdout, d.cmd.Stderr, d.cmd.SysProcAttr = c.dir, log, log, endsWithUs(attr)
	d.cmd.Env = append(os.Environ(), "SLURM_CONF="+c.Config())
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // the daemon ends with the thread that started it
		defer close(d.ended)
		err := d.cmd.Start()
		started <- err
		if err == nil {
			d.cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	c.daemons = append(c.daemons, d)
	return nil
}

// wait waits until a daemon is ready.
func (c *Cluster) wait(name string, ready func() error) error {
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		err := ready()
		if err == nil {
			return nil
		}
		for _, d := range c.daemons {
			select {
			case <-d.ended:
				return fmt.Errorf("%s ended: %s", d.name, d.said())
			default:
			}
		}
		if time.Now().After(deadline) {
			var said []string
			for _, d := range c.daemons {
				said = append(said, d.name+" says: "+d.said())
			}
			return fmt.Errorf("%s is not ready: %w\n%s", name, err, strings.Join(said, "\n"))
		}
	}
}

// said returns the end of a daemon's output.
func (d *daemon) said() string {
	text, _ := os.ReadFile(d.log)
	return string(bytes.TrimSpace(text[max(0, len(text)-2000):]))
}

// command returns a command of Slurm for this cluster.
func (c *Cluster) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "SLURM_CONF="+c.Config())
	return cmd
}

// Close ends the daemons, the last one first, and removes their files.
func (c *Cluster) Close() {
	for i := len(c.daemons) - 1; i >= 0; i-- {
		d := c.daemons[i]
		d.cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-d.ended:
		case <-time.After(20 * time.Second):
			d.cmd.Process.Kill()
			<-d.ended
		}
	}
	os.RemoveAll(c.dir)
}
