"""A typed client for Python that holds every answer against models with required fields."""

import os

from linear_api import LinearClient
from linear_api.domain import LinearIssueInput, LinearIssueUpdateInput
from recorder import call, refused

client = LinearClient(api_key=os.environ["LINEAR_API_KEY"])
teams = call("teams.get_all", client.teams.get_all, lambda found: len(found) == 2)
eng = next(one for one in teams.values() if one.key == "ENG")
call("teams.get", lambda: client.teams.get(eng.id), lambda team: team.name == "Engineering")
call("teams.get_id_by_name", lambda: client.teams.get_id_by_name("Operations"), lambda found: found != eng.id)
call("teams.get_states", lambda: client.teams.get_states(eng.id), lambda found: any(one.name == "Todo" for one in found))
call("users.get_me", client.users.get_me, lambda user: "northwind" in user.email)
call("users.get_all", client.users.get_all, lambda found: len(found) >= 3)
call("users.get_id_by_email", lambda: client.users.get_id_by_email("dev@northwind.example"), bool)
call("projects.get_all", client.projects.get_all, lambda found: len(found) == 2)
call("issues.get_by_team", lambda: client.issues.get_by_team("Engineering"), lambda found: len(found) == 3)
call("issues.get_all", client.issues.get_all, lambda found: len(found) == 5)
call("issues.get", lambda: client.issues.get("ENG-1"), lambda issue: issue.title == "Pump leaks at 3 bar")
made = call("issues.create", lambda: client.issues.create(LinearIssueInput(title="Typed", teamName="Engineering")), lambda issue: issue.title == "Typed")
call("issues.update", lambda: client.issues.update(made.id, LinearIssueUpdateInput(title="Typed again")), lambda issue: issue.title == "Typed again")
call("issues.get_comments", lambda: client.issues.get_comments("ENG-1"), lambda found: len(found) == 2)
refused("issues.get unknown", lambda: client.issues.get("ENG-999"), "not found")
call("issues.delete", lambda: client.issues.delete(made.id), bool)
