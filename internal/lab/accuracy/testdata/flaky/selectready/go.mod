module example.com/selectready

go 1.24
