module example.com/Zoo

go 1.25
