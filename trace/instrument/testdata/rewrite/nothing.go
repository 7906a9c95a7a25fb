package p

const c = 1

type t struct{}
