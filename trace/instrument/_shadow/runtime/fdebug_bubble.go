package runtime

// Bubbles of testing/synctest. A goroutine that leaves its bubble can wait without letting the
// bubble's fake time move on.

func fdebugLeaveBubble(gp *g) *synctestBubble {
	b := gp.bubble
	gp.bubble = nil
	return b
}

func fdebugEnterBubble(gp *g, b *synctestBubble) { gp.bubble = b }

func fdebugInBubble() bool {
	gp := getg()
	return gp.bubble != nil
}
