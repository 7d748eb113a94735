"""The Python client in one sitting: launch a company, act on it as its own clients would, and see what changed."""

import json
import sys
import urllib.parse
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
from diorama import Diorama  # noqa: E402

client = Diorama()
world = client.worlds.launch_and_wait(blueprint=client.worlds.sample_blueprint(), ttl_hours=1)
world_id = world["world"]["id"]
try:
    chat = next(twin for twin in world["twins"] if twin["service"] == "chat")
    request = urllib.request.Request(
        f"{chat['base_url']}/api/chat.postMessage",
        data=urllib.parse.urlencode({"channel": "general", "text": "Hello from Python"}).encode(),
        headers={"authorization": f"Bearer {chat['token']}"},
    )
    with urllib.request.urlopen(request) as reply:
        assert json.load(reply)["ok"]
    changes = client.worlds.diff(world_id)["items"]
    assert [(one["service"], one["collection"], one["operation"]) for one in changes] == [("chat", "message", "create")]
    print((changes[0]["after"] or {})["text"])
    client.worlds.reset(world_id)
    client.worlds.wait_until_ready(world_id)
    assert client.worlds.diff(world_id)["items"] == []
    print("After the reset the company is as it was.")
finally:
    client.worlds.stop(world_id)
