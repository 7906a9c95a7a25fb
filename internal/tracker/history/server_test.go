package history_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/lab/pgtest"
)

// theServer is started by the first test that needs it, and ended by TestMain.
var theServer pgtest.Shared

// database returns the URL of a database that is empty.
func database(t testing.TB) string {
	t.Helper()
	server, err := theServer.Server()
	if errors.Is(err, pgtest.ErrNone) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	return databaseOf(t, server)
}

func databaseOf(t testing.TB, server *pgtest.Server) string {
	t.Helper()
	url, err := server.Database()
	if err != nil {
		t.Fatal(err)
	}
	return url
}

// A server goes away in the middle of writing, and comes back, again and again: writers
// go on, and all is there, each once.
func TestServerAway(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	server, err := pgtest.Start()
	if errors.Is(err, pgtest.ErrNone) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	url := databaseOf(t, server)
	reader := opened(t, url)
	var wg sync.WaitGroup
	for i := range 3 {
		cmd := writing(url, i*writerSessions/2)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		in := bufio.NewReader(out)
		if _, err := in.ReadString('\n'); err != nil { // it has begun
			t.Fatal(err)
		}
		wg.Go(func() {
			io.Copy(io.Discard, in)
			if err := cmd.Wait(); err != nil {
				t.Errorf("writer %d: %v", i, err)
			}
		})
	}
	done := make(chan bool)
	go func() { wg.Wait(); close(done) }()
	stops, most := 0, 8
	if testing.Short() {
		most = 3
	}
	for going := true; going && stops < most; stops++ {
		server.Stop()
		if err := server.Resume(); err != nil {
			t.Fatal(err)
		}
		if _, err := reader.Size(context.Background()); err != nil {
			t.Errorf("read after %d stops: %v", stops+1, err)
		}
		select {
		case <-done:
			going = false
		case <-time.After(100 * time.Millisecond):
		}
	}
	<-done
	checkWritten(t, url, 2*writerSessions/2+writerSessions)
	t.Logf("%d stops", stops)
}
