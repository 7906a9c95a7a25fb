// Package gossip spreads facts among nodes over UDP.
package gossip

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"time"
)

// A Node knows facts and tells them to its peers.
type Node struct {
	Name string
	conn *net.UDPConn
	wg   sync.WaitGroup

	mu    sync.Mutex
	facts map[string]string
	peers map[string]*net.UDPAddr
	heard map[uint64]bool
}

type message struct {
	ID    uint64            `json:"id"`
	From  string            `json:"from"`
	Facts map[string]string `json:"facts"`
}

// Listen returns a node on a free port.
func Listen(name string) (*Node, error) {
	conn, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, fmt.Errorf("node %s: %w", name, err)
	}
	n := &Node{Name: name, conn: conn, facts: map[string]string{}, peers: map[string]*net.UDPAddr{}, heard: map[uint64]bool{}}
	n.wg.Add(1)
	go n.receive()
	return n, nil
}

// Meet makes two nodes peers.
func Meet(a, b *Node) {
	a.addPeer(b)
	b.addPeer(a)
}

func (n *Node) addPeer(p *Node) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.peers[p.Name] = p.conn.LocalAddr().(*net.UDPAddr)
}

// Tell adds a fact and tells all peers.
func (n *Node) Tell(key, value string) {
	n.mu.Lock()
	n.facts[key] = value
	n.mu.Unlock()
	n.spread(rand.Uint64())
}

func (n *Node) spread(id uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.heard[id] = true
	data, err := json.Marshal(message{id, n.Name, n.facts})
	if err != nil {
		return
	}
	for _, addr := range n.peers {
		n.conn.WriteToUDP(data, addr)
	}
}

func (n *Node) receive() {
	defer n.wg.Done()
	buf := make([]byte, 64<<10)
	for {
		size, _, err := n.conn.ReadFromUDP(buf)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(buf[:size], &m) == nil && n.learn(m) {
			time.Sleep(rand.N(2 * time.Millisecond)) // do not answer all at once
			n.spread(m.ID)
		}
	}
}

func (n *Node) learn(m message) (news bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.heard[m.ID] {
		return false
	}
	for k, v := range m.Facts {
		n.facts[k] = v
	}
	return true
}

// Facts returns what the node knows, as sorted lines.
func (n *Node) Facts() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	var list []string
	for k, v := range n.facts {
		list = append(list, k+"="+v)
	}
	slices.Sort(list)
	return list
}

// Close stops the node.
func (n *Node) Close() {
	n.conn.Close()
	n.wg.Wait()
}
