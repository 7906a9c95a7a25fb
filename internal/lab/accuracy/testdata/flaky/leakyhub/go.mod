module example.com/leakyhub

go 1.24
