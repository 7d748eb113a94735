"""A scripted agent in Python on urllib alone, written as for production: it names only the real services."""

import calendar
import json
import os
import re
import time
import urllib.parse
import urllib.request

ENV = os.environ


def call(url, data=None, headers=None, method=None):
    request = urllib.request.Request(url, data=data, headers=headers or {}, method=method)
    with urllib.request.urlopen(request, timeout=30) as reply:
        text = reply.read().decode()
        return (json.loads(text) if text else None), reply.headers


def slack(method, **parameters):
    body, _ = call(
        f"https://slack.com/api/{method}",
        urllib.parse.urlencode(parameters).encode(),
        {"authorization": f"Bearer {ENV['SLACK_BOT_TOKEN']}"},
    )
    if not body["ok"]:
        raise RuntimeError(f"{method}: {body['error']}")
    return body


def channel_id(name):
    return next(one["id"] for one in slack("conversations.list", limit=200)["channels"] if one["name"] == name)


def find_message(channel, pattern):
    messages = slack("conversations.history", channel=channel, limit=100)["messages"]
    return next(one for one in messages if "subtype" not in one and re.search(pattern, one["text"]))


def linear(query, **variables):
    body, _ = call(
        "https://api.linear.app/graphql",
        json.dumps({"query": query, "variables": variables}).encode(),
        {"authorization": ENV["LINEAR_API_KEY"], "content-type": "application/json"},
    )
    if "errors" in body:
        raise RuntimeError(body["errors"][0]["message"])
    return body["data"]


SAP = f"{ENV['SAP_BASE_URL']}/sap/opu/odata/sap/API_SALES_ORDER_SRV"
SAP_HEADERS = {"authorization": f"Bearer {ENV['SAP_TOKEN']}", "accept": "application/json"}


def sap(path, **query):
    text = urllib.parse.urlencode({f"${name}": value for name, value in query.items()}, quote_via=urllib.parse.quote)
    return call(f"{SAP}{path}?{text}", headers={**SAP_HEADERS, "x-csrf-token": "Fetch"})


def laptops_earlier():
    channel = channel_id("procurement")
    question = find_message(channel, "LMS-0810")
    thread = slack("conversations.replies", channel=channel, ts=question["ts"])["messages"]
    day = next(found.group() for found in (re.search(r"\d{4}-\d{2}-\d{2}", one["text"]) for one in thread) if found)
    body, headers = sap("/A_SalesOrder", filter="PurchaseOrderByCustomer eq 'LMS-0810'")
    order = body["d"]["results"][0]
    stamp = calendar.timegm(time.strptime(day, "%Y-%m-%d")) * 1000
    call(
        f"{SAP}/A_SalesOrder('{order['SalesOrder']}')",
        json.dumps({"RequestedDeliveryDate": f"/Date({stamp})/"}).encode(),
        {
            **SAP_HEADERS,
            "content-type": "application/json",
            "if-match": order["__metadata"]["etag"],
            "x-csrf-token": headers["x-csrf-token"],
            "cookie": "; ".join(one.split(";")[0] for one in headers.get_all("set-cookie") or []),
        },
        "PATCH",
    )
    slack("chat.postMessage", channel=channel, thread_ts=question["ts"], text=f"Thank you Pam, the order now says {day}.")
    return f"Order {order['SalesOrder']} is due on {day}."


def portal():
    message = find_message(channel_id("helpdesk"), r"Portal: now \d+ families")
    families = re.search(r"now (\d+) families", message["text"]).group(1)
    found = linear(
        """query { issues(filter: { title: { contains: "Summer reset" } }) {
             nodes { id identifier team { states { nodes { id name } } } } } }"""
    )["issues"]["nodes"][0]
    state = next(one["id"] for one in found["team"]["states"]["nodes"] if one["name"] == "In Progress")
    linear(
        "mutation ($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success } }",
        id=found["id"],
        input={"stateId": state, "priority": 2},
    )
    linear(
        "mutation ($input: CommentCreateInput!) { commentCreate(input: $input) { success } }",
        input={"issueId": found["id"], "body": f"{families} families are locked out."},
    )
    return f"{found['identifier']} is moving."


def topic():
    slack("conversations.setTopic", channel=channel_id("general"), topic="First day of term is Monday 31 August")
    return "The topic is set."


def laptop_count():
    orders, _ = sap("/A_SalesOrder", expand="to_Item")
    return str(
        sum(
            int(float(item["RequestedQuantity"]))
            for order in orders["d"]["results"]
            if order["OverallTotalDeliveryStatus"] != "C"
            for item in order["to_Item"]["results"]
            if item["Material"] == "LAPTOP-14"
        )
    )


JOBS = (
    (r"LMS-0810", laptops_earlier),
    (r"locked out of the portal", portal),
    (r"topic of #general", topic),
    (r"How many laptops", laptop_count),
)

with open(ENV["INSTRUCTION_PATH"], encoding="utf-8") as file:
    instruction = file.read()
job = next((work for pattern, work in JOBS if re.search(pattern, instruction)), None)
with open(os.path.join(ENV["WORK_DIR"], "output.txt"), "w", encoding="utf-8") as file:
    file.write(job() if job else "I do not know how to do this.")
