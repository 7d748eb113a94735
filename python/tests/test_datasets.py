"""Worlds made of rows, by the client and a running service."""

import io
import json
import unittest
import urllib.parse
import urllib.request
import uuid

from diorama import AsyncDiorama, Diorama, DioramaError, Options

COMPANY = {
    "organization": {"name": "Ember Works", "slug": "ember-works", "emailDomain": "ember.example"},
    "clock": "2026-03-02T09:00:00Z",
}
NOTHING = {"value": "", "creator": "", "last_set": 0}
CHANNEL = {
    "id": "C_OLD",
    "name": "general",
    "kind": "public_channel",
    "created": 1_700_000_000,
    "creator": "U_MIRA",
    "is_archived": False,
    "is_general": True,
    "previous_names": [],
    "updated": 1_700_000_000_000,
    "topic": NOTHING,
    "purpose": NOTHING,
}
NDJSON = Options(content_type="application/x-ndjson")


def message(ts, **more):
    return {
        "id": f"C_OLD:{ts}",
        "channel": "C_OLD",
        "ts": ts,
        "type": "message",
        "user": "U_MIRA",
        "text": "Hello",
        **more,
    }


def rows(*messages):
    lines = [{"company": COMPANY}, {"service": "chat", "collection": "channel", "row": CHANNEL}]
    lines += [{"service": "chat", "collection": "message", "row": one} for one in messages]
    return "\n".join(json.dumps(line) for line in lines).encode()


def ask(twin, method, **fields):
    request = urllib.request.Request(
        f"{twin['base_url']}/api/{method}",
        data=urllib.parse.urlencode(fields).encode(),
        headers={"authorization": f"Bearer {twin['token']}"},
    )
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)


class DatasetTest(unittest.TestCase):
    def setUp(self):
        self.client = Diorama()
        self.name = f"rows {uuid.uuid4().hex}"

    def test_rows_become_versions_and_a_world_and_are_deleted(self):
        datasets = self.client.datasets
        version = datasets.create(rows(message("1700000000.000100")), name=self.name, options=NDJSON)
        self.assertEqual((version["number"], version["organization"]["slug"]), (1, "ember-works"))
        # A file is sent as it is read.
        sent = io.BytesIO(rows(message("1700000000.000100"), message("1700000001.000100", text="Again")))
        second = datasets.create(sent, name=self.name, description="Two messages", options=NDJSON)
        self.assertEqual((second["number"], second["dataset_id"]), (2, version["dataset_id"]))
        listed = next(one for one in datasets.list() if one["name"] == self.name)
        self.assertEqual(listed["latest_version"]["id"], second["id"])
        self.assertEqual([one["number"] for one in datasets.list_versions(listed["id"])], [2, 1])
        self.assertEqual(datasets.get_version(second["id"])["services"][0]["service"], "chat")
        texts = [row["text"] for row in datasets.list_rows(second["id"], service="chat", collection="message", limit=1)]
        self.assertEqual(texts, ["Hello", "Again"])
        self.assertIn("chat-export", [one["format"] for one in datasets.formats()])
        world = self.client.worlds.launch_and_wait(dataset_version_id=second["id"], ttl_hours=1)
        self.assertEqual(world["status"], "ready")
        self.assertEqual(world["twins"][0]["dataset_version_id"], second["id"])
        ask(world["twins"][0], "conversations.join", channel="C_OLD")
        history = ask(world["twins"][0], "conversations.history", channel="C_OLD")
        self.assertEqual([one["text"] for one in history["messages"][-2:]], ["Again", "Hello"])
        with self.assertRaises(DioramaError) as caught:
            datasets.delete(version["dataset_id"])
        self.assertEqual(caught.exception.code, "conflict")
        datasets.delete_version(version["id"])
        with self.assertRaises(DioramaError) as caught:
            datasets.get_version(version["id"])
        self.assertEqual(caught.exception.status, 404)

    def test_a_world_is_exported_kept_and_forked(self):
        datasets = self.client.datasets
        version = datasets.create(rows(message("1700000000.000100")), name=self.name, options=NDJSON)
        world = self.client.worlds.launch_and_wait(dataset_version_id=version["id"], ttl_hours=1)
        world_id, twin = world["world"]["id"], world["twins"][0]
        digests = [one["seed_sha256"] for one in version["services"]]
        for exported in (
            datasets.export_version(version["id"]),
            datasets.export_world(world_id),
            datasets.export_twin(twin["id"]),
        ):
            again = datasets.create(exported, name=self.name, options=NDJSON)
            self.assertEqual([one["seed_sha256"] for one in again["services"]], digests)
        ask(twin, "conversations.join", channel="C_OLD")
        self.assertTrue(ask(twin, "chat.postMessage", channel="C_OLD", text="Kept")["ok"])
        kept = datasets.take_snapshot(world_id, name=f"{self.name} kept")
        self.assertEqual(kept["source"], {"kind": "snapshot", "format": "rows", "world_id": world_id})
        self.assertEqual([one["id"] for one in datasets.list_snapshots(world_id)], [kept["id"]])
        fork = self.client.worlds.launch_and_wait(dataset_version_id=kept["id"], ttl_hours=1)
        history = ask(fork["twins"][0], "conversations.history", channel="C_OLD", limit="1")
        self.assertEqual(history["messages"][0]["text"], "Kept")

    def test_a_row_that_does_not_fit_is_named_and_nothing_is_kept(self):
        with self.assertRaises(DioramaError) as caught:
            self.client.datasets.create(
                rows(message("1700000000.000100", text=7)), name=self.name, options=NDJSON
            )
        self.assertEqual(caught.exception.code, "invalid_dataset")
        self.assertEqual(caught.exception.details[0]["pointer"], "/dataset.ndjson/3/text")
        self.assertNotIn(self.name, [one["name"] for one in self.client.datasets.list()])

    def test_people_are_replaced_and_counted(self):
        text = "Call +47 22 33 44 55 or write to mira@ember.example"
        version = self.client.datasets.create(
            rows(message("1700000000.000100", text=text)), name=self.name, pseudonymize="true", options=NDJSON
        )
        self.assertEqual(version["pseudonyms"]["telephone_numbers"], 1)
        self.assertNotIn(b"mira@ember.example", self.client.datasets.export_version(version["id"]))


class AsyncDatasetTest(unittest.IsolatedAsyncioTestCase):
    async def test_rows_become_a_world_and_are_deleted(self):
        client = AsyncDiorama()
        name = f"rows {uuid.uuid4().hex}"
        version = await client.datasets.create(rows(message("1700000000.000100")), name=name, options=NDJSON)
        world = await client.worlds.launch_and_wait(dataset_version_id=version["id"], ttl_hours=1)
        self.assertEqual(world["twins"][0]["dataset_version_id"], version["id"])
        spare = await client.datasets.create(rows(message("1700000000.000100")), name=f"{name} 2", options=NDJSON)
        await client.datasets.delete(spare["dataset_id"])
        names = [one["name"] async for one in await client.datasets.list()]
        self.assertIn(name, names)
        self.assertNotIn(f"{name} 2", names)


if __name__ == "__main__":
    unittest.main()
