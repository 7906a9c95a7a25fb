module example.com/mapreport

go 1.24
