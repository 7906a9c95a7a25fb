// Package thumbs makes the contact sheet of an album.
package thumbs

import (
	"errors"
	"fmt"
	"hash/crc32"

	"example.com/pipeline/pool"
)

// ErrEmpty says that an image has no pixels.
var ErrEmpty = errors.New("image is empty")

// An Image is a gray picture, row by row.
type Image struct {
	Name   string
	Width  int
	Pixels []byte
}

// A Thumb is a small version of an image.
type Thumb struct {
	Name string
	Sum  uint32
	Size int
}

// Sheet makes the thumbnails of an album.
func Sheet(album []Image, workers int) ([]Thumb, error) {
	thumbs, err := pool.Map(workers, album, shrink)
	if err != nil {
		return nil, fmt.Errorf("contact sheet: %w", err)
	}
	return thumbs, nil
}

func shrink(img Image) (Thumb, error) {
	if img.Width == 0 || len(img.Pixels) == 0 {
		return Thumb{}, ErrEmpty
	}
	small := make([]byte, 0, len(img.Pixels)/16)
	height := len(img.Pixels) / img.Width
	for y := 0; y+4 <= height; y += 4 {
		for x := 0; x+4 <= img.Width; x += 4 {
			small = append(small, average(img, x, y))
		}
	}
	return Thumb{Name: img.Name, Sum: crc32.ChecksumIEEE(small), Size: len(small)}, nil
}

func average(img Image, x, y int) byte {
	sum := 0
	for dy := range 4 {
		for dx := range 4 {
			sum += int(img.Pixels[(y+dy)*img.Width+x+dx])
		}
	}
	return byte(sum / 16)
}
