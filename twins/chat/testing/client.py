"""Talks to a chat twin with nothing but the standard library, and prints what it saw as JSON."""
import json
import sys
import urllib.parse
import urllib.request

base, token, channel, person = sys.argv[1:5]


def call(method, get=False, bearer=token, **args):
    data = urllib.parse.urlencode(args)
    url = base + method + ("?" + data if get else "")
    request = urllib.request.Request(url, data=None if get else data.encode())
    request.add_header("Authorization", "Bearer " + bearer)
    with urllib.request.urlopen(request, timeout=10) as reply:
        answer = json.load(reply)
    assert answer["ok"], answer
    return answer


parent = call("chat.postMessage", channel=channel, text="zebra crossing", blocks=json.dumps([{"type": "divider"}]))
for text in ("one", "two"):
    call("chat.postMessage", channel=channel, text=text, thread_ts=parent["ts"])
replies = call("conversations.replies", get=True, channel=channel, ts=parent["ts"])["messages"][1:]
found = call("search.messages", get=True, bearer=person, query="zebra")["messages"]["total"]

seen, cursor = [], ""
for _ in range(50):
    page = call("conversations.history", get=True, channel=channel, limit=2, cursor=cursor)
    seen += [message["ts"] for message in page["messages"]]
    cursor = page.get("response_metadata", {}).get("next_cursor", "")
    if not cursor:
        break

body = b"raw=bytes&x=1 %"
ticket = call("files.getUploadURLExternal", filename="raw.bin", length=len(body))
urllib.request.urlopen(urllib.request.Request(ticket["upload_url"], data=body), timeout=10).read()
files = json.dumps([{"id": ticket["file_id"], "title": "Raw"}])
file = call("files.completeUploadExternal", files=files, channel_id=channel)["files"][0]
download = urllib.request.Request(file["url_private"], headers={"Authorization": "Bearer " + token})
content = urllib.request.urlopen(download, timeout=10).read().decode()

print(
    json.dumps(
        {
            "replies": len(replies),
            "found": found,
            "pages": seen == sorted(set(seen), reverse=True),
            "size": file["size"],
            "content": content,
        }
    )
)
