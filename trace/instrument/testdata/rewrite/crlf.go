package p

func crlf() {
	crlf()
	if true {
	}
}
