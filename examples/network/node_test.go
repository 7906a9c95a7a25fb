package network

import (
	"slices"
	"testing"
)

func TestRing(t *testing.T) {
	names := []string{"node-1", "node-2", "node-3", "node-4"}

	var ring []*Node
	for _, name := range names {
		n, err := Start(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { n.Close() })
		ring = append(ring, n)
	}
	for i, n := range ring {
		n.Join(ring[(i+1)%len(ring)])
	}

	got, err := ring[0].Send(len(names) - 1)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, names) {
		t.Errorf("the message went to %q, want %q", got, names)
	}
}

func TestLonelyNode(t *testing.T) {
	n, err := Start("pole")
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	got, err := n.Send(3)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"pole"}; !slices.Equal(got, want) {
		t.Errorf("the message went to %q, want %q", got, want)
	}
}
