module example.com/deadline

go 1.24
