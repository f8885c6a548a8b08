module example.com/torture

go 1.26
