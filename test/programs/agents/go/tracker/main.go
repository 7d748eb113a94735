// A GraphQL client for Go that derives documents from types and decodes strictly into them.
package main

import (
	"context"
	"net/http"
	"os"
	"strings"

	"diorama.test/programs/recorder"
	"github.com/shurcooL/graphql"
)

type keyed struct{ next http.RoundTripper }

func (k keyed) RoundTrip(request *http.Request) (*http.Response, error) {
	request.Header.Set("Authorization", os.Getenv("LINEAR_API_KEY"))
	return k.next.RoundTrip(request)
}

type IssueCreateInput struct {
	TeamID   string `json:"teamId"`
	Title    string `json:"title"`
	Priority int    `json:"priority"`
}

type IssueUpdateInput struct {
	Title string `json:"title"`
}

type CommentCreateInput struct {
	IssueID string `json:"issueId"`
	Body    string `json:"body"`
}

func main() {
	defer recorder.Finish()
	ctx := context.Background()
	client := graphql.NewClient("https://api.linear.app/graphql", &http.Client{Transport: keyed{http.DefaultTransport}})

	var viewer struct {
		Viewer struct{ ID, Name, Email graphql.String }
	}
	err := client.Query(ctx, &viewer, nil)
	recorder.Call("viewer", err, strings.Contains(string(viewer.Viewer.Email), "northwind"), viewer)
	var teams struct {
		Teams struct {
			Nodes []struct{ ID, Key, Name graphql.String }
		}
	}
	err = client.Query(ctx, &teams, nil)
	recorder.Call("teams", err, len(teams.Teams.Nodes) == 2, teams)
	eng := ""
	for _, one := range teams.Teams.Nodes {
		if one.Key == "ENG" {
			eng = string(one.ID)
		}
	}
	var issue struct {
		Issue struct {
			ID, Title, Identifier graphql.String
			Priority              graphql.Float
			CreatedAt             graphql.String
			Assignee              *struct{ DisplayName graphql.String }
			Labels                struct{ Nodes []struct{ Name graphql.String } }
			Comments              struct{ Nodes []struct{ Body graphql.String } } `graphql:"comments(first: 10)"`
		} `graphql:"issue(id: $id)"`
	}
	err = client.Query(ctx, &issue, map[string]any{"id": graphql.String("ENG-1")})
	recorder.Call("issue", err, len(issue.Issue.Labels.Nodes) == 2 && issue.Issue.Assignee != nil, issue)
	err = client.Query(ctx, &issue, map[string]any{"id": graphql.String("ENG-999")})
	recorder.Refused("issue unknown", err, "Entity not found")
	var page struct {
		Issues struct {
			Nodes    []struct{ Identifier graphql.String }
			PageInfo struct {
				HasNextPage graphql.Boolean
				EndCursor   graphql.String
			}
		} `graphql:"issues(first: 2, after: $after)"`
	}
	seen := 0
	variables := map[string]any{"after": (*graphql.String)(nil)}
	for {
		err = client.Query(ctx, &page, variables)
		seen += len(page.Issues.Nodes)
		recorder.Call("issues by pages", err, len(page.Issues.Nodes) > 0, page)
		if err != nil || !page.Issues.PageInfo.HasNextPage {
			break
		}
		variables["after"] = graphql.NewString(page.Issues.PageInfo.EndCursor)
		page.Issues.Nodes = nil
	}
	recorder.Call("issues in all", nil, seen == 5, seen)
	var create struct {
		IssueCreate struct {
			Success graphql.Boolean
			Issue   struct{ ID, Identifier graphql.String }
		} `graphql:"issueCreate(input: $input)"`
	}
	input := IssueCreateInput{TeamID: eng, Title: "From Go", Priority: 2}
	err = client.Mutate(ctx, &create, map[string]any{"input": input})
	recorder.Call("issueCreate", err, bool(create.IssueCreate.Success), create)
	id := create.IssueCreate.Issue.ID
	input.TeamID = "ENG"
	err = client.Mutate(ctx, &create, map[string]any{"input": input})
	recorder.Refused("issueCreate without a team", err, "Argument Validation Error")
	var update struct {
		IssueUpdate struct {
			Issue struct{ Title graphql.String }
		} `graphql:"issueUpdate(id: $id, input: $input)"`
	}
	err = client.Mutate(ctx, &update, map[string]any{"id": id, "input": IssueUpdateInput{Title: "Still from Go"}})
	recorder.Call("issueUpdate", err, update.IssueUpdate.Issue.Title == "Still from Go", update)
	var comment struct {
		CommentCreate struct{ Success graphql.Boolean } `graphql:"commentCreate(input: $input)"`
	}
	err = client.Mutate(ctx, &comment, map[string]any{"input": CommentCreateInput{IssueID: string(id), Body: "Hello"}})
	recorder.Call("commentCreate", err, bool(comment.CommentCreate.Success), comment)
	var archive struct {
		IssueArchive struct{ Success graphql.Boolean } `graphql:"issueArchive(id: $id)"`
	}
	err = client.Mutate(ctx, &archive, map[string]any{"id": id})
	recorder.Call("issueArchive", err, bool(archive.IssueArchive.Success), archive)
}
