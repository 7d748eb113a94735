"""Episodes against a running service, named by DIORAMA_BASE_URL and DIORAMA_API_KEY."""

import json
import re
import unittest

from diorama import Diorama, DioramaError


class EpisodesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.client = Diorama()
        world = cls.client.worlds.launch_and_wait(blueprint=cls.client.worlds.sample_blueprint(), ttl_hours=1)
        cls.suite = cls.client.suite(world["evaluation"]["task_suite_id"])

    def test_a_loop_over_a_suite_steps_and_is_rewarded(self):
        rewards = {}
        for episode in self.suite.episodes(["escalate-calder", "move-calder-delivery"]):
            self.assertIn("Calder", episode.instruction)
            self.assertIn("soqlQuery", [tool.name for tool in episode.tools()])
            if episode.task_key == "escalate-calder":
                self.solve(episode)
            last = episode.step("done", {"answer": "Done."})
            self.assertTrue(last.done and episode.done)
            rewards[episode.task_key] = episode.reward
        self.assertEqual(rewards["escalate-calder"], 1)
        self.assertLess(rewards["move-calder-delivery"], 1)

    def solve(self, episode):
        query = "SELECT Id, CaseNumber FROM Case WHERE Subject LIKE '%turbidity%' AND IsClosed = false"
        found = json.dumps(episode.step("soqlQuery", {"query": query}).result)
        case, number = re.search(r"500\w{12,15}", found)[0], re.search(r"0000\d{4}", found)[0]
        change = {"sobject-name": "Case", "id": case, "body": {"Status": "Escalated"}}
        self.assertFalse(episode.step("updateSobjectRecord", change).is_error)
        names = [tool.name for tool in episode.tools()]
        search = next(name for name in names if name.endswith("search_channels"))
        send = next(name for name in names if name.endswith("send_message"))
        channels = json.dumps(episode.step(search, {"query": "support-escalations"}).result)
        channel = re.search(r"\bC[A-Z0-9]{8,}", channels)[0]
        text = f"Case {number} is escalated. \u2713 \U0001f600 " + "x" * 3_000
        self.assertFalse(episode.step(send, {"channel_id": channel, "message": text}).is_error)

    def test_a_reset_begins_the_same_task_again(self):
        with self.suite.connect() as environment:
            episode = environment.reset(task="escalate-calder")
            first = episode.id
            self.assertEqual(episode.finish().passed, False)
            episode.reset()
            self.assertNotEqual(episode.id, first)
            self.assertEqual((episode.task_key, episode.done, episode.reward), ("escalate-calder", False, None))

    def test_tools_that_refuse_are_results_and_bad_requests_are_errors(self):
        with self.suite.connect() as environment:
            episode = environment.reset(seed=0)
            self.assertTrue(episode.step("no_such_tool").is_error)
            self.assertTrue(episode.step("soqlQuery", {"query": 7}).is_error)
            with self.assertRaises(DioramaError) as refused:
                environment.reset(task="no-such")
            self.assertEqual(refused.exception.code, "validation_error")
            # Larger than a frame of the short form, and more than the service takes in one message.
            self.assertTrue(episode.step("soqlQuery", {"query": "x" * 100_000}).is_error)
            with self.assertRaises(DioramaError):
                episode.step("soqlQuery", {"query": "x" * 2_000_000})

    def test_a_wrong_key_and_an_unknown_suite_are_refused(self):
        for client, suite, status in (
            (Diorama(api_key="dk_wrong"), self.suite.id, 401),
            (self.client, "ste_absent", 404),
        ):
            with self.assertRaises(DioramaError) as refused:
                client.suite(suite).connect()
            self.assertEqual(refused.exception.status, status)
