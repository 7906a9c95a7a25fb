module example.com/journal

go 1.24
