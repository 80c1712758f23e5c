// SPDX-License-Identifier: Apache-2.0

package interlock_test

// This file tests pages (-format html) in a browser: it clicks, presses keys, and compares what is seen with pictures.
//
//	go test . -run TestPage -update
//
// rewrites the pictures in testdata/pages; look at them.

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/interlock-go/interlock/internal/corpus"
)

// page writes the page of an interface file or a case of the corpus, and returns its address.
func page(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	file, command := name, "render"
	if !strings.HasSuffix(name, ".json") {
		c, err := loadCase(name)
		if err != nil {
			t.Fatal(err)
		}
		file, command = filepath.Join(dir, c.File), "infer"
		if err := os.WriteFile(file, []byte(c.Source), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(dir, "page.html")
	if code, _, stderr := run(command, "-o", out, file); code != 0 {
		t.Fatalf("%s: %s", name, stderr)
	}
	return "file://" + filepath.ToSlash(out)
}

// choice is the button of a call.
func choice(name string) string {
	return `[...document.querySelectorAll("#calls button")].find((b) => b.dataset.key === ` + strconv.Quote(name) + `)`
}

// at fails unless the page is in a state, with what was chosen there.
func (b *browser) at(state int, chosen string) {
	b.t.Helper()
	if got, want := b.eval(`document.body.dataset.state + " " + document.body.dataset.chosen`), strconv.Itoa(state)+" "+chosen; got != want {
		b.t.Fatalf("the page is at %q, want %q; path %s", got, want, b.eval(`document.body.dataset.path`))
	}
}

func (b *browser) contains(element, want string) {
	b.t.Helper()
	if got := b.eval(`document.querySelector("` + element + `").textContent`); !strings.Contains(got, want) {
		b.t.Fatalf("%s is %q, want %q in it", element, got, want)
	}
}

func TestPageScanner(t *testing.T) {
	if corpus.Race {
		t.Skip("a browser is slow enough without the race detector")
	}
	b := newBrowser(t, 1280, 900, false)
	b.open(page(t, "internal/render/testdata/scanner.json"))
	b.at(0, "")
	b.click(choice("Scan"))
	b.at(1, "")
	b.contains("#live", "After Scan. State 1")
	if got := b.eval(`document.activeElement.dataset.key`); got != "Scan" {
		t.Errorf("after a click the focus is at %q", got)
	}
	b.click(choice("Buffer"))
	b.at(1, "Buffer")
	b.contains("#why", "Buffer called after Scan")
	b.contains("#why", "fails here: every run errs")
	b.contains("#path", "Buffer ✕")
	b.compare("scanner-fails")
	b.click(`document.getElementById("back")`)
	b.at(1, "")
	b.click(`document.getElementById("back")`)
	b.at(0, "")
	if b.eval(`document.getElementById("back").disabled`) != "true" {
		t.Error("back is possible before the constructor")
	}

	// The keyboard alone: a digit for a call, b, r, and Tab and Enter.
	b.eval(`document.activeElement.blur()`)
	n := b.eval(`1 + [...document.querySelectorAll("#calls button")].findIndex((b) => b.dataset.key === "Scan")`)
	b.press(n)
	b.at(1, "")
	b.press("b")
	b.at(0, "")
	b.eval(choice("Scan") + `.focus()`)
	b.press("Enter")
	b.at(1, "")
	b.press("r")
	b.at(0, "")
	// A state in the picture, and the address.
	b.click(`document.querySelector('[data-state="1"]')`)
	b.at(1, "")
	if got := b.eval(`location.hash`); got != "#bufio.NewScanner&Scan" {
		t.Errorf("the address is %q", got)
	}
	b.eval(`location.hash = "#bufio.NewScanner&Scan&Buffer"; new Promise((done) => setTimeout(done, 100))`)
	b.at(1, "Buffer")
	b.unnamed()
}

// unnamed fails if something that takes the focus has no name, or an identifier is there twice.
func (b *browser) unnamed() {
	b.t.Helper()
	if got := b.eval(`[...document.querySelectorAll("button, [tabindex='0'], summary")].filter((e) => !(e.getAttribute("aria-label") || e.getAttribute("aria-labelledby") || e.textContent.trim())).length
		+ [...document.querySelectorAll("[id]")].filter((e) => document.querySelectorAll("#" + e.id).length > 1).length`); got != "0" {
		b.t.Errorf("%s elements without a name", got)
	}
	if got := b.eval(`performance.getEntriesByType("resource").length`); got != "0" {
		b.t.Errorf("the page loaded %s other files", got)
	}
}

func TestPagePipedOutputStream(t *testing.T) {
	if corpus.Race {
		t.Skip("a browser is slow enough without the race detector")
	}
	b := newBrowser(t, 1280, 900, true)
	b.open(page(t, "piped-output-stream-2"))
	b.at(0, "")
	b.click(choice("write"))
	b.at(0, "write")
	b.contains("#why .hit", "error") // the line of the source
	b.click(choice("connect=false"))
	b.at(0, "")
	b.click(choice("connect=true"))
	b.at(1, "")
	b.click(choice("write"))
	b.click(choice("flush"))
	b.at(1, "")
	b.click(choice("connect"))
	b.at(1, "connect")
	b.compare("piped-dark")
	b.click(`document.getElementById("reset")`)
	b.at(0, "")
	b.unnamed()
}

func TestPageCEV(t *testing.T) {
	if corpus.Race {
		t.Skip("a browser is slow enough without the race detector")
	}
	b := newBrowser(t, 1440, 1000, false)
	b.open(page(t, "cev"))
	b.at(0, "")
	// Each state is reached by a click on it, and each call of it can be clicked.
	states := b.eval(`document.querySelectorAll("[data-state]").length - 1`) // the body says where it is, too
	if states != "32" {
		t.Fatalf("%s states in the picture", states)
	}
	b.click(choice("doSMSeparation"))
	b.click(choice("lasJettison[alt >= 2]"))
	b.at(3, "")
	b.compare("cev")
	b.click(choice("abort"))
	b.at(3, "abort")
	b.contains("#why", `error "abort"`)
	if wrong := b.eval(`(() => {
		const wrong = [];
		for (const g of document.querySelectorAll(".view [data-state]")) {
			g.dispatchEvent(new MouseEvent("click", {bubbles: true}));
			if (document.body.dataset.state !== g.dataset.state) wrong.push("not in " + g.dataset.state);
			const keys = [...document.querySelectorAll("#calls button")].map((b) => b.dataset.key);
			const cells = document.querySelectorAll('.grid td[data-col="' + g.dataset.state + '"]').length;
			if (keys.length < cells) wrong.push(g.dataset.state + " has " + keys.length + " choices for " + cells + " cells");
		}
		return wrong.join("; ");
	})()`); wrong != "" {
		t.Error(wrong)
	}
	// Registers, of another interface.
	b.open(page(t, "internal/render/testdata/mutex.json"))
	b.unnamed()
}

// Pictures are compared as small ones: fonts differ from machine to machine, the places of things do not.
const (
	pictureWidth  = 160
	pictureUnlike = 7.0 // mean difference of brightness that is tolerated, of 255
)

// compare compares the window with a picture in testdata/pages.
func (b *browser) compare(name string) {
	b.t.Helper()
	shot, err := png.Decode(bytes.NewReader(b.screenshot()))
	if err != nil {
		b.t.Fatal(err)
	}
	got := smaller(shot)
	file := filepath.Join("testdata", "pages", name+".png")
	if *update {
		var w bytes.Buffer
		if err := png.Encode(&w, got); err != nil {
			b.t.Fatal(err)
		}
		if err := os.WriteFile(file, w.Bytes(), 0o666); err != nil {
			b.t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(file)
	if err != nil {
		b.t.Fatal(err)
	}
	want, err := png.Decode(bytes.NewReader(text))
	if err != nil {
		b.t.Fatal(err)
	}
	if got.Bounds() != want.Bounds() {
		b.t.Fatalf("%s: %v, want %v", name, got.Bounds(), want.Bounds())
	}
	sum := 0.0
	for y := range got.Bounds().Dy() {
		for x := range got.Bounds().Dx() {
			d := float64(color.GrayModel.Convert(got.At(x, y)).(color.Gray).Y) - float64(color.GrayModel.Convert(want.At(x, y)).(color.Gray).Y)
			sum += max(d, -d)
		}
	}
	if mean := sum / float64(got.Bounds().Dx()*got.Bounds().Dy()); mean > pictureUnlike {
		b.t.Errorf("%s: the picture differs by %.1f of 255 in the mean, at most %.1f; -update writes the new one", name, mean, pictureUnlike)
	}
}

// smaller is a picture made small by taking means.
func smaller(in image.Image) image.Image {
	k := in.Bounds().Dx() / pictureWidth
	out := image.NewRGBA(image.Rect(0, 0, pictureWidth, in.Bounds().Dy()/k))
	for y := range out.Bounds().Dy() {
		for x := range pictureWidth {
			var r, g, b uint32
			for dy := range k {
				for dx := range k {
					cr, cg, cb, _ := in.At(x*k+dx, y*k+dy).RGBA()
					r, g, b = r+cr>>8, g+cg>>8, b+cb>>8
				}
			}
			n := uint32(k * k)
			out.Set(x, y, color.RGBA{uint8(r / n), uint8(g / n), uint8(b / n), 255})
		}
	}
	return out
}
