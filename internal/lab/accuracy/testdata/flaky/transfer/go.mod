module example.com/transfer

go 1.24
