module example.com/clockbucket

go 1.24
