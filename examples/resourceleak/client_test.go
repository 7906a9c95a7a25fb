package resourceleak

import (
	"bufio"
	"fmt"
	"log"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"example.com/examples/internal/latency"
)

// client is shared by the tests: opening connections is slow.
var client *Client

func TestMain(m *testing.M) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go serve(l)
	client = &Client{Pool: NewPool(l.Addr().String(), 3)}
	os.Exit(m.Run())
}

// serve is a replica that lags up to 100 ms behind, and that answers while it
// is no more than 75 ms behind.
func serve(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			for in := bufio.NewScanner(conn); in.Scan(); {
				key := strings.TrimPrefix(in.Text(), "GET ")
				if latency.Between(0, 100*time.Millisecond) > 75*time.Millisecond {
					fmt.Fprintln(conn, "STALE")
					continue
				}
				fmt.Fprintf(conn, "OK value of %s\n", key)
			}
		}()
	}
}

func TestWarm(t *testing.T) {
	var keys []string
	for i := range 10 {
		keys = append(keys, fmt.Sprintf("user/%d", i+1))
	}
	cache, err := client.Warm(keys)
	if err != nil {
		t.Fatalf("Warm: %v", err)
	}
	for key, value := range cache {
		if want := "value of " + key; value != want {
			t.Errorf("cache[%s] = %q, want %q", key, value, want)
		}
	}
}
