package freedom

// All returns all freedoms, for tests outside.
func All() []*Freedom { return all }
