// Package network forms a ring of nodes on one machine. Each node listens on a
// port of its own and passes messages on to its neighbour.
package network

import (
	"bufio"
	"fmt"
	"hash/fnv"
	"net"
	"os"
	"strings"
	"sync"
	"time"
)

// The firewall leaves ports 20000 to 31999 open. Each process has its share of
// them, and each node takes one out of that share.
const (
	firstPort = 20000
	processes = 750
	portsEach = 16
)

// A Node is a member of a ring.
type Node struct {
	Name string

	listener net.Listener
	serving  sync.WaitGroup

	mu   sync.Mutex
	next string
}

// Start returns a node that listens.
func Start(name string) (*Node, error) {
	addr := fmt.Sprintf("127.0.0.1:%d", choosePort(name))
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	n := &Node{Name: name, listener: l}
	n.serving.Go(n.serve)
	return n, nil
}

// choosePort returns a port out of the share of this process.
func choosePort(name string) int {
	h := fnv.New32a()
	fmt.Fprint(h, name, time.Now().UnixNano())
	share := firstPort + os.Getpid()%processes*portsEach
	return share + int(h.Sum32()%portsEach)
}

// Addr returns the address of the node.
func (n *Node) Addr() string { return n.listener.Addr().String() }

// Join makes next the neighbour of n.
func (n *Node) Join(next *Node) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.next = next.Addr()
}

// Send passes a message around the ring and returns the names of the nodes that
// saw it, up to the given number of hops.
func (n *Node) Send(hops int) ([]string, error) {
	n.mu.Lock()
	next := n.next
	n.mu.Unlock()
	if hops == 0 || next == "" {
		return []string{n.Name}, nil
	}
	c, err := net.Dial("tcp", next)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if _, err := fmt.Fprintln(c, hops-1); err != nil {
		return nil, err
	}
	reply, err := bufio.NewReader(c).ReadString('\n')
	if err != nil {
		return nil, err
	}
	return append([]string{n.Name}, strings.Fields(reply)...), nil
}

// Close stops the node.
func (n *Node) Close() error {
	err := n.listener.Close()
	n.serving.Wait()
	return err
}

func (n *Node) serve() {
	for {
		c, err := n.listener.Accept()
		if err != nil {
			return
		}
		n.serving.Go(func() {
			defer c.Close()
			var hops int
			if _, err := fmt.Fscanln(c, &hops); err != nil {
				return
			}
			names, err := n.Send(hops)
			if err != nil {
				return
			}
			fmt.Fprintln(c, strings.Join(names, " "))
		})
	}
}
