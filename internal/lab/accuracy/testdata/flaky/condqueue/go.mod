module example.com/condqueue

go 1.24
