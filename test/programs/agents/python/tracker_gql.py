"""A GraphQL client for Python that reads the schema by introspection and checks documents against it."""

import os

from gql import Client, gql
from gql.transport.requests import RequestsHTTPTransport
from recorder import call, refused

headers = {"Authorization": os.environ["LINEAR_API_KEY"]}
transport = RequestsHTTPTransport(url="https://api.linear.app/graphql", headers=headers)
client = Client(transport=transport, fetch_schema_from_transport=True)


def ask(document, **variables):
    query = gql(document)
    query.variable_values = variables
    return client.execute(query)


call("introspection and viewer", lambda: ask("{ viewer { id email } }"), lambda a: "northwind" in a["viewer"]["email"])
teams = call("teams", lambda: ask("{ teams { nodes { id key } } }"), lambda a: len(a["teams"]["nodes"]) == 2)
eng = next(one["id"] for one in teams["teams"]["nodes"] if one["key"] == "ENG")
call("issue", lambda: ask('{ issue(id: "ENG-1") { title labels { nodes { name } } } }'), lambda a: len(a["issue"]["labels"]["nodes"]) == 2)
listing = "query ($filter: IssueFilter) { issues(filter: $filter) { nodes { identifier priority } } }"
for filter, expected in [
    ({"priority": {"eq": 1}}, 1),
    ({"assignee": {"null": True}}, 2),
    ({"team": {"key": {"eq": "OPS"}}}, 2),
    ({"labels": {"some": {"name": {"eq": "Bug"}}}}, 1),
    ({"title": {"containsIgnoreCase": "PUMP"}}, 1),
    ({"or": [{"priority": {"eq": 1}}, {"priority": {"eq": 2}}]}, 2),
    ({"state": {"type": {"in": ["completed", "canceled"]}}}, 2),
]:
    call(f"issues {filter}", lambda: ask(listing, filter=filter), lambda a: len(a["issues"]["nodes"]) == expected)
create = "mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { success issue { id identifier } } }"
made = call("issueCreate", lambda: ask(create, input={"teamId": eng, "title": "From Python"}), lambda a: a["issueCreate"]["success"])
issue = made["issueCreate"]["issue"]["id"]
update = "mutation ($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { issue { priorityLabel } } }"
call("issueUpdate", lambda: ask(update, id=issue, input={"priority": 1}), lambda a: a["issueUpdate"]["issue"]["priorityLabel"] == "Urgent")
comment = "mutation ($input: CommentCreateInput!) { commentCreate(input: $input) { success } }"
call("commentCreate", lambda: ask(comment, input={"issueId": issue, "body": "Hi"}), lambda a: a["commentCreate"]["success"])
refused("issueCreate without a team", lambda: ask(create, input={"teamId": "ENG", "title": "x"}), "Argument Validation Error")
refused("issue unknown", lambda: ask('{ issue(id: "ENG-999") { id } }'), "Entity not found")
call("issueArchive", lambda: ask('mutation { issueArchive(id: "%s") { success } }' % issue), lambda a: a["issueArchive"]["success"])
