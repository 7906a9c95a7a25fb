package main

func (a *app) diffCmd(args []string) (int, error) { return exitTrouble, nil }
