package syscall

import "runtime"

// fdebugBind returns the address that is bound in place of sa, or what the system says of
// it: that of a port which another process has.
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

// fdebugShares reports whether a socket may have a port that others have which allow it too:
// then it may well be the process's own, and no other one can be in the way.
func fdebugShares(fd int) bool {
	option := 0xf // SO_REUSEPORT, which not every architecture of Linux has here
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

// fdebugOffline reports whether an address can't be reached without a network: only those
// of the machine itself can.
func fdebugOffline(sa Sockaddr) bool {
	switch sa := sa.(type) {
	case *SockaddrInet4:
		return sa != nil && !fdebugOwn4(sa.Addr) && runtime.FdebugOffline()
	case *SockaddrInet6:
		return sa != nil && !fdebugOwn6(sa) && runtime.FdebugOffline()
	}
	return false
}

// fdebugOwn4 and fdebugOwn6 report whether an address is of the loopback network, the one
// that stands for the machine itself, or one that it has.
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

// fdebugBinds reports whether a socket can be bound to an address: of another machine the
// system says that it is not available. What can't be told is taken for the machine's own.
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
