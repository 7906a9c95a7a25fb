module example.com/geocoder

go 1.24
