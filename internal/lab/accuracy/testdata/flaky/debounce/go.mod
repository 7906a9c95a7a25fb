module example.com/debounce

go 1.24
