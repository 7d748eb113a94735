module diorama.test/programs

go 1.22

require (
	github.com/shurcooL/graphql v0.0.0-20240915155400-7ee5256398cf
	github.com/slack-go/slack v0.17.3
)

require github.com/gorilla/websocket v1.5.3 // indirect
