//go:build !race

package fdebugrt

func raceDisable() {}
func raceEnable()  {}
