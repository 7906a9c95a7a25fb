package selectready

import (
	"errors"
	"sync"
	"testing"
	"time"
)

type outbox struct {
	refuse string

	mu   sync.Mutex
	sent []Mail
}

func (o *outbox) Send(m Mail) error {
	time.Sleep(200 * time.Microsecond)
	o.mu.Lock()
	defer o.mu.Unlock()
	if m.To == o.refuse {
		return errors.New("no such mailbox")
	}
	o.sent = append(o.sent, m)
	return nil
}

func TestStopSendsWhatIsQueued(t *testing.T) {
	box := &outbox{}
	m := Start(box, 8)
	for _, to := range []string{"ada@example.com", "bob@example.com"} {
		if err := m.Enqueue(Mail{To: to, Subject: "welcome"}); err != nil {
			t.Fatal(err)
		}
	}
	m.Stop()
	if got := len(box.sent); got != 2 {
		t.Errorf("%d mails were sent, want 2", got)
	}
}

func TestNoMailAfterStop(t *testing.T) {
	m := Start(&outbox{}, 1)
	m.Stop()
	if err := m.Enqueue(Mail{To: "ada@example.com"}); !errors.Is(err, ErrStopped) {
		t.Errorf("Enqueue: %v, want %v", err, ErrStopped)
	}
}

func TestFailedMailIsCounted(t *testing.T) {
	m := Start(&outbox{refuse: "nobody@example.com"}, 0)
	m.Enqueue(Mail{To: "nobody@example.com"})
	m.Enqueue(Mail{To: "ada@example.com"})
	if got := m.Stop(); got != 1 {
		t.Errorf("Stop() = %d, want 1", got)
	}
}
