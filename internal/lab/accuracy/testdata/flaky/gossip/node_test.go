package gossip

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

func cluster(t *testing.T, n int) []*Node {
	t.Helper()
	var nodes []*Node
	for i := range n {
		node, err := Listen(fmt.Sprintf("node-%d", i))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(node.Close)
		if i > 0 {
			Meet(nodes[i-1], node)
		}
		nodes = append(nodes, node)
	}
	return nodes
}

func TestFactReachesEverybody(t *testing.T) {
	nodes := cluster(t, 4)
	nodes[0].Tell("leader", "node-0")
	nodes[0].Tell("epoch", "7")
	time.Sleep(7 * time.Millisecond)

	want := []string{"epoch=7", "leader=node-0"}
	for _, n := range nodes {
		if got := n.Facts(); !slices.Equal(got, want) {
			t.Errorf("%s knows %q, want %q", n.Name, got, want)
		}
	}
}

func TestOldNewsIsNotTold(t *testing.T) {
	n := cluster(t, 1)[0]
	m := message{ID: 1, From: "x", Facts: map[string]string{"a": "1"}}
	if !n.learn(m) {
		t.Error("the first message is no news")
	}
	n.spread(1)
	if n.learn(m) {
		t.Error("the second message is news")
	}
}
