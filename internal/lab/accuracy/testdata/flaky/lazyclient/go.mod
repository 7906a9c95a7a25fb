module example.com/lazyclient

go 1.24
