"""Calls a CRM the way simple_salesforce does: its paths with a slash at the end, its headers, its order of calls."""

import json
import sys
import urllib.error
import urllib.parse
import urllib.request
from xml.etree import ElementTree

BASE, USERNAME, PASSWORD = sys.argv[1:4]
VERSION = "59.0"


def soap_login():
    body = (
        '<?xml version="1.0" encoding="utf-8" ?>'
        '<env:Envelope xmlns:xsd="http://www.w3.org/2001/XMLSchema"'
        ' xmlns:env="http://schemas.xmlsoap.org/soap/envelope/" xmlns:urn="urn:partner.soap.sforce.com">'
        "<env:Header><urn:CallOptions><urn:client>client</urn:client></urn:CallOptions></env:Header>"
        '<env:Body><n1:login xmlns:n1="urn:partner.soap.sforce.com">'
        "<n1:username>%s</n1:username><n1:password>%s</n1:password></n1:login></env:Body></env:Envelope>"
        % (USERNAME, PASSWORD)
    )
    request = urllib.request.Request(
        "%s/services/Soap/u/%s" % (BASE, VERSION),
        data=body.encode(),
        headers={"content-type": "text/xml", "charset": "UTF-8", "SOAPAction": "login"},
    )
    with urllib.request.urlopen(request, timeout=20) as reply:
        tree = ElementTree.fromstring(reply.read())
    found = {element.tag.split("}")[-1]: element.text for element in tree.iter()}
    return found["sessionId"], found["serverUrl"]


SESSION, SERVER = soap_login()
INSTANCE = SERVER.split("/services/")[0]


def call(method, path, body=None):
    request = urllib.request.Request(
        "%s/services/data/v%s/%s" % (INSTANCE, VERSION, path),
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={
            "Content-Type": "application/json",
            "Authorization": "Bearer " + SESSION,
            "X-PrettyPrint": "1",
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=20) as reply:
            text = reply.read().decode()
            return reply.status, json.loads(text) if text else None, dict(reply.headers)
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read().decode()), dict(error.headers)


def query(text):
    return call("GET", "query/?" + urllib.parse.urlencode({"q": text}))[1]


report = {}
status, made, _ = call("POST", "sobjects/Contact/", {"LastName": "Smith", "Email": "smith@example.com"})
report["create"] = [status, made["success"], made["errors"]]
contact = made["id"]
report["update"] = call("PATCH", "sobjects/Contact/" + contact, {"LastName": "Jones"})[0]
status, read, headers = call("GET", "sobjects/Contact/" + contact)
report["read"] = [status, read["Name"], read["attributes"]["type"]]
report["usage"] = headers.get("Sforce-Limit-Info", "").split("=")[0]
report["upsert"] = call("PATCH", "sobjects/Contact/Email/smith@example.com", {"Title": "CEO"})[0]
report["query"] = [row["Name"] for row in query("SELECT Name FROM Account WHERE Industry = 'Energy'")["records"]]
report["count"] = query("SELECT COUNT() FROM Contact")["totalSize"]
report["search"] = len(call("GET", "search/?" + urllib.parse.urlencode({"q": "FIND {Jones}"}))[1]["searchRecords"])
report["limits"] = "DailyApiRequests" in call("GET", "limits/")[1]
report["describe"] = len(call("GET", "sobjects/")[1]["sobjects"]) > 30
report["delete"] = call("DELETE", "sobjects/Contact/" + contact)[0]
status, error, _ = call("GET", "sobjects/Contact/" + contact)
report["gone"] = [status, error[0]["errorCode"]]
status, error, _ = call("GET", "query/?q=SELECT+Nope+FROM+Account")
report["refused"] = [status, error[0]["errorCode"]]
print(json.dumps(report))
