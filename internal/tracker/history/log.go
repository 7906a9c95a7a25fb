package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
)

// The file is text: a line with the version of its format and a name made at random, and
// then a line for each write, which is a checksum and [Data] in JSON:
//
//	fdebug history 1 4LJTVMNLBMYPZAXY5UJBGWCTKQ
//	5d41402a {"Tests":{"2":{"Package":"example.com/m","Name":"TestX"}}, ...
//
// A checksum is that of all up to there, so that a line that is missing is noticed. A process
// that is killed leaves a part of a line at most, as the last, and a system that crashes one
// with zeros in it. Nobody reads that, and the next writer replaces it. Any other line that is
// wrong is damage. A file that is written anew has another name, so that whoever has read the
// old one notices.

// format is the version of the format. An older one is read, a newer one refused.
const format = 1

// maxHeader is more than the first line has.
const maxHeader = 100

func header(id string) string { return fmt.Sprintf("fdebug history %d %s\n", format, id) }

var errDamaged = errors.New("it is damaged")

// IsDamaged reports whether an error is about a file that is damaged, or no history at all:
// it is of no further use.
func IsDamaged(err error) bool { return errors.Is(err, errDamaged) || errors.Is(err, errSet) }

// readHeader returns the name in the first line of a file.
func readHeader(f io.ReaderAt) (id string, err error) {
	buf := make([]byte, maxHeader)
	n, err := f.ReadAt(buf, 0)
	if err != nil && err != io.EOF {
		return "", err
	}
	line, _, ended := strings.Cut(string(buf[:n]), "\n")
	var version int
	if _, err := fmt.Sscanf(line, "fdebug history %d %s", &version, &id); version > format {
		return "", &VersionError{version, format}
	} else if err != nil || !ended || header(id) != line+"\n" {
		return "", errDamaged
	}
	return id, nil
}

func sumOf(before uint32, text []byte) uint32 { return crc32.Update(before, crc32.IEEETable, text) }

// line returns rows as they are written after a line, and their checksum.
func (d *Data) line(before uint32) (line []byte, sum uint32, err error) {
	text, err := json.Marshal(d)
	if err != nil {
		return nil, 0, err
	}
	sum = sumOf(before, text)
	return fmt.Appendf(nil, "%08x %s\n", sum, text), sum, nil
}

// readLine is the inverse of line.
func (d *Data) readLine(line []byte, before uint32) (sum uint32, err error) {
	wrote, text, _ := bytes.Cut(line, []byte(" "))
	sum = sumOf(before, text)
	if string(wrote) != fmt.Sprintf("%08x", sum) || json.Unmarshal(text, d) != nil {
		return 0, errDamaged
	}
	return sum, nil
}

// read takes in the lines that come next.
func (c *Copy) read(text []byte) error {
	for len(text) > 0 {
		line, rest, ended := bytes.Cut(text, []byte("\n"))
		var rows Data
		sum, err := rows.readLine(line, c.sum)
		if !ended || err != nil && len(rest) == 0 && bytes.IndexByte(line, 0) >= 0 {
			return nil
		} else if err != nil {
			return err
		}
		c.Apply(&rows)
		c.sum, c.End = sum, c.End+int64(len(line))+1
		text = rest
	}
	return nil
}
