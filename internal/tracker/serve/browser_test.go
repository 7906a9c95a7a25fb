package serve

import (
	"flag"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/fdebug/fdebug/internal/lab/browsertest"
)

var shots = flag.String("shots", "", "write screenshots of the pages into this directory")

// browsers is started by the first test that needs it. To it, evil.example is this machine.
var browsers = browsertest.Shared{Flags: []chromedp.ExecAllocatorOption{chromedp.Flag("host-resolver-rules", "MAP evil.example 127.0.0.1")}}

func TestMain(m *testing.M) {
	m.Run()
	browsers.Close()
}
