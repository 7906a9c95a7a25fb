// Package selectready sends mail in the background.
package selectready

import (
	"errors"
	"fmt"
	"sync"
)

// A Mail is a message to somebody.
type Mail struct {
	To, Subject string
}

// A Transport sends mail.
type Transport interface {
	Send(Mail) error
}

// ErrStopped says that a mailer takes no more mail.
var ErrStopped = errors.New("mailer is stopped")

// A Mailer queues mail and sends it one after the other.
type Mailer struct {
	transport Transport
	queue     chan Mail
	quit      chan struct{}
	stopped   chan struct{}

	once   sync.Once
	failed []Mail
}

// Start returns a mailer with a queue of the given size.
func Start(t Transport, size int) *Mailer {
	m := &Mailer{
		transport: t,
		queue:     make(chan Mail, size),
		quit:      make(chan struct{}),
		stopped:   make(chan struct{}),
	}
	go m.loop()
	return m
}

// Enqueue accepts a mail.
func (m *Mailer) Enqueue(mail Mail) error {
	select {
	case <-m.quit:
		return ErrStopped
	default:
	}
	m.queue <- mail
	return nil
}

// Stop sends what is queued and stops the mailer. It returns how many mails
// could not be sent.
func (m *Mailer) Stop() int {
	m.once.Do(func() { close(m.quit) })
	<-m.stopped
	return len(m.failed)
}

func (m *Mailer) loop() {
	defer close(m.stopped)
	for {
		select {
		case mail := <-m.queue:
			m.send(mail)
		case <-m.quit:
			return
		}
	}
}

func (m *Mailer) send(mail Mail) {
	if err := m.transport.Send(mail); err != nil {
		fmt.Println("mail to", mail.To, "failed:", err)
		m.failed = append(m.failed, mail)
	}
}
