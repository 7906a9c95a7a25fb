module example.com/tagcloud

go 1.24
