module example.com/warmcache

go 1.24
