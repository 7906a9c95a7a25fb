module github.com/fdebug/fdebug

go 1.25
