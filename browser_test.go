// SPDX-License-Identifier: Apache-2.0

package interlock_test

// This file drives a browser for tests of pages: headless Chromium, over the pipe of its debugging protocol. Messages are
// JSON texts with a zero byte after each, on file descriptors 3 and 4.

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"
)

// browserPatience is after how long a browser that does not answer is given up.
const browserPatience = 2 * time.Minute

// A browser shows one page.
type browser struct {
	t       *testing.T
	in      io.Writer
	out     *bufio.Reader
	id      int
	session string
}

// newBrowser starts one, with a window of a size; dark says which colours the reader prefers. The test is skipped where there
// is no browser, but not in continuous integration.
func newBrowser(t *testing.T, width, height int, dark bool) *browser {
	t.Helper()
	name := ""
	for _, n := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(n); err == nil {
			name = path
			break
		}
	}
	if name == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("no chromium")
		}
		t.Skip("no chromium")
	}
	toRead, toWrite, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromRead, fromWrite, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	profile, err := os.MkdirTemp("", "interlock-browser-")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(name, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe", "--user-data-dir="+profile, "about:blank")
	cmd.ExtraFiles = []*os.File{toRead, fromWrite}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	toRead.Close()
	fromWrite.Close()
	b := &browser{t: t, in: toWrite, out: bufio.NewReader(fromRead)}
	fromRead.SetReadDeadline(time.Now().Add(browserPatience)) // not every system can; the test has a limit of its own
	t.Cleanup(func() {
		toWrite.Close()
		cmd.Process.Kill()
		cmd.Wait()
		fromRead.Close()
		// Children of the browser may still write there for a moment; what they leave is no failure of a test.
		for range 20 {
			if os.RemoveAll(profile) == nil {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
	})
	var target struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	b.call("Page.enable", nil, nil)
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
	scheme := map[bool]string{true: "dark", false: "light"}[dark]
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": "reduce"}}}, nil)
	return b
}

// call sends a command and waits for its answer.
func (b *browser) call(method string, params, result any) {
	b.t.Helper()
	b.id++
	message := map[string]any{"id": b.id, "method": method}
	if params != nil {
		message["params"] = params
	}
	if b.session != "" {
		message["sessionId"] = b.session
	}
	text, err := json.Marshal(message)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.in.Write(append(text, 0)); err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	for {
		text, err := b.out.ReadBytes(0)
		if err != nil {
			b.t.Fatalf("%s: %v", method, err)
		}
		var answer struct {
			ID     int
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(text[:len(text)-1], &answer); err != nil {
			b.t.Fatalf("%s: %v", method, err)
		}
		switch {
		case answer.ID != b.id: // an event
			continue
		case answer.Error != nil:
			b.t.Fatalf("%s: %s", method, answer.Error.Message)
		case result != nil:
			if err := json.Unmarshal(answer.Result, result); err != nil {
				b.t.Fatalf("%s: %v", method, err)
			}
		}
		return
	}
}

// open shows a page and waits until its script has run.
func (b *browser) open(url string) {
	b.t.Helper()
	b.call("Page.navigate", map[string]any{"url": url}, nil)
	b.eval(`new Promise((done) => { const look = () => document.body && document.body.classList.contains("live") ? done("") : setTimeout(look, 20); look(); })`)
}

// eval evaluates a script in the page whose value is a text.
func (b *browser) eval(script string) string {
	b.t.Helper()
	var r struct {
		Result           struct{ Value any }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	b.call("Runtime.evaluate", map[string]any{"expression": script, "awaitPromise": true, "returnByValue": true}, &r)
	if x := r.ExceptionDetails; x != nil {
		b.t.Fatalf("%s: %s %s", script, x.Text, x.Exception.Description)
	}
	return fmt.Sprint(r.Result.Value)
}

// click clicks with the mouse in the middle of the element that an expression gives.
func (b *browser) click(element string) {
	b.t.Helper()
	var at struct{ X, Y float64 }
	text := b.eval(`(() => { const e = ` + element + `; if (!e) return ""; e.scrollIntoView({block: "center", inline: "center"});
		const r = e.getBoundingClientRect(); return JSON.stringify({X: r.left + r.width / 2, Y: r.top + r.height / 2}); })()`)
	if text == "" {
		b.t.Fatalf("there is no %s", element)
	}
	if err := json.Unmarshal([]byte(text), &at); err != nil {
		b.t.Fatal(err)
	}
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		b.call("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at.X, "y": at.Y, "button": "left", "clickCount": 1}, nil)
	}
}

// press presses a key.
func (b *browser) press(key string) {
	b.t.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		p := map[string]any{"type": kind, "key": key}
		switch {
		case len(key) == 1 && kind == "keyDown":
			p["text"] = key
		case key == "Enter" && kind == "keyDown":
			p["text"], p["windowsVirtualKeyCode"] = "\r", 13
		case key == "Tab":
			p["windowsVirtualKeyCode"] = 9
		}
		b.call("Input.dispatchKeyEvent", p, nil)
	}
}

// screenshot is the window as a PNG.
func (b *browser) screenshot() []byte {
	b.t.Helper()
	var r struct{ Data string }
	b.call("Page.captureScreenshot", map[string]any{"format": "png"}, &r)
	data, err := base64.StdEncoding.DecodeString(r.Data)
	if err != nil {
		b.t.Fatal(err)
	}
	return data
}
