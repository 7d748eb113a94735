"""Run by pytest, where it is installed: each test has its own world."""

import urllib.parse
import urllib.request

import pytest

pytest_plugins = ["diorama.pytest_plugin"]
SEEN = set()


@pytest.mark.parametrize("turn", [1, 2])
def test_a_fresh_world_for_each_test(diorama_client, diorama_world, turn):
    world_id = diorama_world["world"]["id"]
    assert world_id not in SEEN
    SEEN.add(world_id)
    assert diorama_client.worlds.diff(world_id)["items"] == []
    chat = next(twin for twin in diorama_world["twins"] if twin["service"] == "chat")
    request = urllib.request.Request(
        f"{chat['base_url']}/api/chat.postMessage",
        data=urllib.parse.urlencode({"channel": "general", "text": f"Turn {turn}"}).encode(),
        headers={"authorization": f"Bearer {chat['token']}"},
    )
    urllib.request.urlopen(request).close()
    assert diorama_client.worlds.diff(world_id)["summary"]["created"] == 1
