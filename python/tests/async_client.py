"""The client for asyncio, against a running service and one that refuses, cuts and restarts."""

import asyncio
import io
import json
import threading
import unittest
import uuid

from diorama import AsyncDiorama, DioramaError, Options

from .test_faults import Faulty, ME, SUITE, cut, event, proxy_error, refusal, stream


def against(faulty, **more):
    return AsyncDiorama(f"http://127.0.0.1:{faulty.port}", "dk_test", **{"retries": 4, **more})


class AsyncServiceTest(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.client = AsyncDiorama()

    async def test_worlds_are_launched_side_by_side_and_looked_at(self):
        blueprint = await self.client.worlds.sample_blueprint()
        worlds = await asyncio.gather(
            *(self.client.worlds.launch_and_wait(blueprint=blueprint, ttl_hours=1) for _ in range(2))
        )
        self.assertEqual({world["status"] for world in worlds}, {"ready"})
        self.assertEqual(len({world["world"]["id"] for world in worlds}), 2)
        twin = worlds[0]["twins"][0]
        self.assertEqual((await self.client.twins.wait_until_running(twin["id"]))["status"], "running")
        for world in worlds:
            await self.client.worlds.stop(world["world"]["id"])

    async def test_lists_go_over_all_pages(self):
        topic = uuid.uuid4().hex
        sent = [{"source": "test", "topic": topic, "event_type": f"e{n}"} for n in range(7)]
        self.assertEqual(len((await self.client.events.create_many(sent))["items"]), 7)
        page = await self.client.events.list(topic=topic, limit=3)
        self.assertEqual(len(page.items), 3)
        self.assertEqual({one["event_type"] async for one in page}, {f"e{n}" for n in range(7)})

    async def test_a_stream_yields_what_arrives_and_is_closed(self):
        topic = uuid.uuid4().hex
        first = await self.client.events.create(source="test", topic=topic, event_type="first")
        async with self.client.events.stream(topic=topic, after=first["id"]) as arriving:
            waiting = asyncio.ensure_future(arriving.__anext__())
            await self.client.events.create(source="test", topic=topic, event_type="second")
            self.assertEqual((await waiting)["event_type"], "second")
        with self.assertRaises(StopAsyncIteration):
            await arriving.__anext__()

    async def test_a_run_is_followed_to_its_end(self):
        name = f"agent-{uuid.uuid4().hex[:8]}"
        await self.client.agents.register(name=name, version="1", run={"command": "true", "network": "none"})
        suite = await self.client.suites.create(name="Plain")
        await self.client.tasks.create(
            suite["id"], title="One", instruction="Do nothing", expected_outcome="Nothing", scorers=[]
        )
        seen = []
        finished = await self.client.evaluations.run_and_wait(
            task_suite_id=suite["id"],
            agents=[f"{name}@1"],
            poll=0.1,
            on_progress=lambda job: seen.append(job["completed_trials"]),
        )
        self.assertEqual(seen[-1], 1)
        self.assertEqual(finished.job["status"], "succeeded")
        kinds = [step["type"] async for step in self.client.evaluations.stream(finished.job["id"])]
        self.assertEqual(kinds[-1], "run_finished")

    async def test_a_file_is_sent_as_it_is_read(self):
        company = {
            "organization": {"name": "Ember", "slug": "ember", "emailDomain": "ember.example"},
            "clock": "2026-03-02T09:00:00Z",
        }
        lines = [{"company": company}, {"service": "chat", "collection": "message", "row": {"ts": 1}}]
        with self.assertRaises(DioramaError) as caught:
            await self.client.datasets.create(io.BytesIO("\n".join(map(json.dumps, lines)).encode()), name="rows")
        # The service has read the whole file, and says what is wrong with its one row.
        self.assertEqual(caught.exception.code, "invalid_dataset")


class AsyncFaultsTest(unittest.IsolatedAsyncioTestCase):
    async def test_requests_are_sent_again_after_429_a_cut_connection_and_a_gateway_error(self):
        with Faulty(refusal(429, "limit_exceeded", retry_after="0"), cut, proxy_error, ME) as faulty:
            me = await against(faulty).me.get()
            self.assertEqual(me["organization"]["id"], "org_1")
            self.assertEqual(len(faulty.requests), 4)

    async def test_what_creates_keeps_its_idempotency_key(self):
        with Faulty(cut, SUITE) as faulty:
            await against(faulty).suites.create(name="Once")
            keys = {faulty.header(n, "idempotency-key") for n in range(2)}
            self.assertEqual(len(keys), 1)
            self.assertIsNotNone(keys.pop())

    async def test_a_refusal_is_raised_with_its_code(self):
        with Faulty(refusal(404, "not_found")) as faulty:
            with self.assertRaises(DioramaError) as caught:
                await against(faulty).suites.get("ste_1")
            self.assertEqual((caught.exception.status, caught.exception.code), (404, "not_found"))
            self.assertEqual(caught.exception.request_id, "req_1")

    async def test_silence_is_a_timeout_and_nobody_there_a_network_error(self):
        release = threading.Event()
        with Faulty(lambda handler: release.wait(10)) as faulty:
            with self.assertRaises(DioramaError) as caught:
                await against(faulty).me.get(options=Options(timeout=0.1, retries=0))
            self.assertEqual(caught.exception.code, "timeout")
            release.set()
        with self.assertRaises(DioramaError) as caught:
            await against(faulty, retries=0).me.get()
        self.assertEqual(caught.exception.code, "network_error")

    async def test_a_cancelled_call_closes_its_connection(self):
        arrived, gone = threading.Event(), threading.Event()

        def hang(handler):
            arrived.set()
            if handler.connection.recv(1) == b"":
                gone.set()

        with Faulty(hang) as faulty:
            call = asyncio.ensure_future(against(faulty).me.get())
            await asyncio.get_running_loop().run_in_executor(None, arrived.wait, 10)
            call.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await call
            self.assertTrue(await asyncio.get_running_loop().run_in_executor(None, gone.wait, 10))

    async def test_a_broken_stream_resumes_and_passes_each_event_on_once(self):
        with Faulty(stream(event(1) + event(2)), stream(event(2) + event(3))) as faulty:
            found = []
            async with against(faulty).events.stream() as arriving:
                async for one in arriving:
                    found.append(one["id"])
                    if len(found) == 3:
                        break
            self.assertEqual(found, ["evt_1", "evt_2", "evt_3"])
            self.assertEqual(faulty.header(1, "last-event-id"), "2")

    async def test_a_file_is_sent_again_from_where_it_began(self):
        bodies = []

        def take(handler):
            pieces = []
            while True:
                size = int(handler.rfile.readline(), 16)
                pieces.append(handler.rfile.read(size + 2)[:-2])
                if size == 0:
                    break
            bodies.append(b"".join(pieces))
            (cut if len(bodies) == 1 else ME)(handler)

        with Faulty(take) as faulty:
            file = io.BytesIO(b"skipped rest")
            file.seek(8)
            await against(faulty).datasets.create(file, name="rows", options=Options(idempotency_key="k"))
        self.assertEqual(bodies, [b"rest", b"rest"])


if __name__ == "__main__":
    unittest.main()
