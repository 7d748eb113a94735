"""The client against a running service, named by DIORAMA_BASE_URL and DIORAMA_API_KEY."""

import json
import threading
import unittest
import urllib.parse
import urllib.request
import uuid

from diorama import Diorama, DioramaError, Options, pass_gate

AGENT = """
import os
open(os.path.join(os.environ["WORK_DIR"], "output.txt"), "w").write("yes")
"""
SCORER = "def handler(input, output, expected, metadata):\n    return {'score': 1 if output.strip() == expected else 0}\n"


class ServiceTest(unittest.TestCase):
    def setUp(self):
        self.client = Diorama()

    def test_a_world_is_launched_changed_and_looked_at(self):
        blueprint = self.client.worlds.sample_blueprint()
        seen = self.client.worlds.validate(blueprint=blueprint)
        self.assertTrue(seen["valid"], seen)
        world = self.client.worlds.launch_and_wait(blueprint=blueprint, ttl_hours=1)
        self.assertEqual(world["status"], "ready")
        self.assertEqual(world["version"]["number"], 1)
        self.assertEqual(world["world"]["blueprint"]["organization"]["emailDomain"], "fernwright.example")
        self.assertTrue(world["evaluation"]["task_suite_id"].startswith("ste_"))
        chat = next(twin for twin in world["twins"] if twin["service"] == "chat")
        posted = urllib.request.Request(
            chat["base_url"] + "/api/chat.postMessage",
            data=urllib.parse.urlencode({"channel": "general", "text": "Hello"}).encode(),
            headers={"authorization": f"Bearer {chat['token']}"},
        )
        with urllib.request.urlopen(posted) as reply:
            self.assertTrue(json.load(reply)["ok"])
        world_id = world["world"]["id"]
        diff = self.client.worlds.diff(world_id)
        self.assertEqual(diff["summary"]["created"], 1)
        # A record of a twin keeps the names that its service gave it.
        self.assertIn("ts", diff["items"][0]["after"])
        activity = list(self.client.worlds.list_activity(world_id, mutations_only=True))
        self.assertEqual([one["operation"] for one in activity], ["chat.postMessage"])
        self.assertEqual(self.client.twins.wait_until_running(chat["id"])["status"], "running")
        self.client.worlds.stop(world_id)
        self.assertEqual(self.client.worlds.get(world_id)["status"], "retired")

    def test_lists_go_over_all_pages_and_a_page_says_what_is_next(self):
        topic = uuid.uuid4().hex
        sent = [{"source": "test", "topic": topic, "event_type": f"e{n}", "payload": {"aB": n}} for n in range(7)]
        made = self.client.events.create_many(sent)
        self.assertEqual(len(made["items"]), 7)
        page = self.client.events.list(topic=topic, limit=3)
        self.assertEqual(len(page.items), 3)
        self.assertIsNotNone(page.next_cursor)
        self.assertEqual({one["event_type"] for one in page}, {f"e{n}" for n in range(7)})
        self.assertEqual({one["payload"]["aB"] for one in page}, set(range(7)))

    def test_a_stream_yields_what_arrives(self):
        topic = uuid.uuid4().hex
        first = self.client.events.create(source="test", topic=topic, event_type="first")
        stream = self.client.events.stream(topic=topic, after=first["id"])
        later = threading.Timer(
            0.2, lambda: self.client.events.create(source="test", topic=topic, event_type="second")
        )
        later.start()
        self.assertEqual(next(stream)["event_type"], "second")
        stream.close()
        later.join()

    def test_the_requests_to_a_twin_are_streamed(self):
        twin = self.client.twins.create(service="chat")
        for method in ("users.list", "auth.test"):
            urllib.request.urlopen(f"{twin['base_url']}/api/{method}").close()
        stream = self.client.twins.stream_activity(twin["id"], operation="auth.test", since="last_1h")
        self.assertEqual(next(stream)["operation"], "auth.test")
        stream.close()

    def test_an_agent_is_evaluated_and_held_to_the_gate(self):
        name = f"agent-{uuid.uuid4().hex[:8]}"
        self.client.agents.register(
            name=name, version="1", files={"agent.py": AGENT}, run={"command": "python3 agent.py", "network": "none"}
        )
        suite = self.client.suites.create(name="Plain")
        scorer = self.client.scorers.create(
            name="Same", kind="code", language="python", code=SCORER, pass_threshold=1
        )
        self.assertEqual(scorer["pass_threshold"], 1)
        for expected in ("yes", "no"):
            self.client.tasks.create(
                suite["id"],
                title=expected,
                instruction="Say yes",
                expected_outcome=expected,
                scorers=[{"scorer_id": scorer["id"]}],
            )
        told = []
        finished = self.client.evaluations.run_and_wait(
            task_suite_id=suite["id"],
            agents=[f"{name}@1"],
            poll=0.1,
            on_progress=lambda job: told.append(job["completed_trials"]),
        )
        self.assertEqual(finished.job["status"], "succeeded")
        self.assertEqual(told[-1], 2)
        verdict = pass_gate(finished.results)
        self.assertEqual(verdict.verdict, "fail")
        self.assertIn("no: 0 of 1 trials passed; failed Same", verdict.reasons[0])
        kinds = [step["type"] for step in self.client.evaluations.stream(finished.job["id"])]
        self.assertEqual(kinds[-1], "run_finished")
        self.assertIn("<testsuite", self.client.evaluations.junit(finished.job["id"]))
        trial = self.client.evaluations.list_trials(finished.job["id"]).items[0]
        artifact = self.client.evaluations.get_artifact(finished.job["id"], trial["id"], "output.txt")
        self.assertEqual(artifact, b"yes")

    def test_a_refusal_says_which_field_and_keeps_the_request_id(self):
        with self.assertRaises(DioramaError) as caught:
            self.client.worlds.launch(blueprint={"name": "X"})
        self.assertEqual((caught.exception.status, caught.exception.code), (422, "invalid_shape"))
        self.assertTrue(any(fault["pointer"] == "/blueprint/clock" for fault in caught.exception.details))
        self.assertTrue(caught.exception.request_id)
        with self.assertRaises(DioramaError) as caught:
            Diorama(self.client.base_url, "dk_" + "x" * 40).me.get()
        self.assertEqual(caught.exception.status, 401)

    def test_one_idempotency_key_makes_one_thing(self):
        key = Options(idempotency_key=uuid.uuid4().hex)
        first = self.client.suites.create(name="Once", options=key)
        self.assertEqual(self.client.suites.create(name="Once", options=key)["id"], first["id"])


if __name__ == "__main__":
    unittest.main()
