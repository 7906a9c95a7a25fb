module example.com/sampler

go 1.24
