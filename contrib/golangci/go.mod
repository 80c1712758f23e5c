module github.com/interlock-go/interlock/contrib/golangci

go 1.26.0

require (
	github.com/golangci/plugin-module-register v0.1.2
	github.com/interlock-go/interlock v0.0.0
	golang.org/x/tools v0.52.0
)

replace github.com/interlock-go/interlock => ../..
