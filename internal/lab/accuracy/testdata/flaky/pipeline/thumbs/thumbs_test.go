package thumbs

import (
	"errors"
	"testing"

	"example.com/pipeline/pool"
)

func picture(name string, width, height int) Image {
	pixels := make([]byte, width*height)
	for i := range pixels {
		pixels[i] = byte(i * 7)
	}
	return Image{Name: name, Width: width, Pixels: pixels}
}

func TestSheet(t *testing.T) {
	album := []Image{
		picture("beach", 480, 320),
		picture("dunes", 320, 240),
		picture("harbour", 640, 480),
	}
	sheet, err := Sheet(album, 2)
	if err != nil {
		t.Fatal(err)
	}
	if len(sheet) != len(album) {
		t.Fatalf("%d thumbnails, want %d", len(sheet), len(album))
	}
	for i, img := range album {
		if sheet[i].Name != img.Name {
			t.Errorf("thumbnail %d is of %s, want %s", i, sheet[i].Name, img.Name)
		}
	}
}

func TestSheetOfEmptyImage(t *testing.T) {
	_, err := Sheet([]Image{picture("ok", 8, 8), {Name: "empty"}}, 1)
	var at *pool.Error
	if !errors.As(err, &at) || at.Index != 1 {
		t.Errorf("error = %v, want one about input 1", err)
	}
}

func TestSum(t *testing.T) {
	a, _ := shrink(picture("a", 64, 64))
	b, _ := shrink(picture("b", 64, 64))
	if a.Sum != b.Sum || a.Size != 256 {
		t.Errorf("equal pictures have thumbnails %+v and %+v", a, b)
	}
}
