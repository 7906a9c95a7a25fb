//go:build unix

package syscall

import "runtime"

// fdebugBind returns the address to bind instead of sa, or the error of the system for a port
// that another process has.
func fdebugBind(fd int, sa Sockaddr) (Sockaddr, error) {
	var port int
	switch sa := sa.(type) {
	case *SockaddrInet4:
		port = sa.Port
	case *SockaddrInet6:
		port = sa.Port
	}
	switch runtime.FdebugBind(port) {
	case runtime.FdebugPortTaken:
		if fdebugShares(fd) {
			return sa, nil
		}
		return sa, EADDRINUSE
	case runtime.FdebugPortFree:
		return fdebugAnyPort(sa), nil
	}
	return sa, nil
}

//fdebug:lost ports that tests leave in use are not known
//fdebug:patch syscall/syscall_unix.go func Bind( ...
//	{+defer func() { fdebugBound(sa, err) }(); +}return bind(fd, ptr, n)

// fdebugBound notes that a socket touches a port that the program chose.
func fdebugBound(sa Sockaddr, err error) {
	port, use, state := fdebugPort(sa), runtime.FdebugChanges, uint64(0)
	if err == EADDRINUSE {
		use, state = runtime.FdebugLooks, 1
	}
	if port > 0 {
		runtime.FdebugTouch(use, runtime.FdebugPort, uint64(port), state)
	}
}

// fdebugShares reports whether a socket may share its port with others that allow it too. Then
// the port may well be the process's own, and no other process can be in the way.
func fdebugShares(fd int) bool {
	option := 0xf // SO_REUSEPORT, which is not defined for every architecture of Linux here
	if runtime.GOOS == "darwin" {
		option = 0x200
	}
	on, err := GetsockoptInt(fd, SOL_SOCKET, option)
	return err == nil && on != 0
}

func fdebugAnyPort(sa Sockaddr) Sockaddr {
	switch sa := sa.(type) {
	case *SockaddrInet4:
		any := *sa
		any.Port = 0
		return &any
	case *SockaddrInet6:
		any := *sa
		any.Port = 0
		return &any
	}
	return sa
}

// fdebugOffline reports whether an address can't be reached without a network: all but those of
// the machine itself.
func fdebugOffline(sa Sockaddr) bool {
	switch sa := sa.(type) {
	case *SockaddrInet4:
		return runtime.FdebugLimited() && sa != nil && !fdebugOwn4(sa.Addr) && runtime.FdebugOffline()
	case *SockaddrInet6:
		return runtime.FdebugLimited() && sa != nil && !fdebugOwn6(sa) && runtime.FdebugOffline()
	}
	return false
}

// fdebugOwn4 and fdebugOwn6 report whether an address belongs to this machine: to the loopback
// network, the unspecified address, or one of its own.
func fdebugOwn4(a [4]byte) bool {
	return a[0] == 127 || a == [4]byte{} || fdebugBinds(AF_INET, &SockaddrInet4{Addr: a})
}

func fdebugOwn6(sa *SockaddrInet6) bool {
	a, mapped := sa.Addr, [12]byte{10: 0xff, 11: 0xff}
	if [12]byte(a[:12]) == mapped {
		return fdebugOwn4([4]byte(a[12:]))
	}
	return a == [16]byte{} || a == [16]byte{15: 1} || fdebugBinds(AF_INET6, &SockaddrInet6{Addr: a, ZoneId: sa.ZoneId})
}

// fdebugBinds reports whether a socket can be bound to an address. The system refuses addresses
// of other machines as not available. In doubt the address is the machine's own.
func fdebugBinds(family int, sa Sockaddr) bool {
	ForkLock.RLock()
	fd, err := Socket(family, SOCK_DGRAM, 0)
	if err == nil {
		CloseOnExec(fd)
	}
	ForkLock.RUnlock()
	if err != nil {
		return true
	}
	defer Close(fd)
	return Bind(fd, sa) != EADDRNOTAVAIL
}

// fdebugMostGaps is after how many descriptor numbers in a row without a socket the search ends.
const fdebugMostGaps = 256

// fdebugLeaves reports whether another process listens at an address, as far as can be told: no
// socket of this process has it.
func fdebugLeaves(sa Sockaddr) bool {
	for fd, gaps := 0, 0; gaps < fdebugMostGaps; fd++ {
		own, err := Getsockname(fd)
		if err != nil {
			gaps++
			continue
		}
		gaps = 0
		if fdebugSame(sa, own) {
			return false
		}
	}
	return true
}

// fdebugSame reports whether sa leads to own, an address of this machine. An IPv6 socket may have
// the port for IPv4 too.
func fdebugSame(sa, own Sockaddr) bool {
	switch sa := sa.(type) {
	case *SockaddrInet4:
		return sa != nil && fdebugPort(own) == sa.Port && fdebugOwn4(sa.Addr)
	case *SockaddrInet6:
		return sa != nil && fdebugPort(own) == sa.Port && fdebugOwn6(sa)
	case *SockaddrUnix:
		own, ok := own.(*SockaddrUnix)
		return ok && sa != nil && own.Name == sa.Name
	}
	return true // other kinds of addresses lead to no process
}

func fdebugPort(sa Sockaddr) int {
	switch sa := sa.(type) {
	case *SockaddrInet4:
		return sa.Port
	case *SockaddrInet6:
		return sa.Port
	}
	return -1
}
