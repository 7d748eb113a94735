"""The client against a service that refuses, cuts and restarts."""

import json
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from diorama import Diorama, DioramaError, Options, pass_gate


class Faulty:
    """Answers each request as the next of the script says, and the last one from then on."""

    def __init__(self, *script):
        self.requests = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self):
                length = int(self.headers.get("content-length") or 0)
                self.rfile.read(length)
                outer.requests.append((self.command, self.path, dict(self.headers.items())))
                script[min(len(outer.requests), len(script)) - 1](self)

            do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = answer

            def log_message(self, *_):
                pass

        self.handler = Handler
        self.port = 0
        self.start()

    def start(self):
        self.server = ThreadingHTTPServer(("127.0.0.1", self.port), self.handler)
        self.port = self.server.server_port
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def client(self, **more):
        return Diorama(f"http://127.0.0.1:{self.port}", "dk_test", **{"retries": 4, **more})

    def header(self, n, name):
        return {key.lower(): value for key, value in self.requests[n][2].items()}.get(name)


def reply(status, body, **headers):
    def answer(handler):
        data = json.dumps(body).encode()
        handler.send_response(status)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", str(len(data)))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(data)

    return answer


def refusal(status, code, **headers):
    return reply(status, {"error": f"It is {code}.", "code": code, "request_id": "req_1"}, **headers)


def cut(handler):
    handler.close_connection = True
    handler.connection.close()


def proxy_error(handler):
    handler.send_response(502)
    handler.end_headers()
    handler.wfile.write(b"Bad gateway")


def stream(text):
    def answer(handler):
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.end_headers()
        handler.wfile.write(text.encode())

    return answer


def event(n):
    return f'id: {n}\nevent: event\ndata: {{"id": "evt_{n}", "event_type": "e{n}"}}\n\n'


ME = reply(200, {"organization": {"id": "org_1"}})
SUITE = reply(201, {"id": "ste_1"})


class RequestsTest(unittest.TestCase):
    def test_are_sent_again_after_429_503_a_cut_connection_and_a_gateway_error(self):
        script = (
            refusal(429, "limit_exceeded", retry_after="0"),
            refusal(503, "unavailable", retry_after="0"),
            cut,
            proxy_error,
            ME,
        )
        with Faulty(*script) as service:
            self.assertEqual(service.client().me.get()["organization"]["id"], "org_1")
            self.assertEqual(len(service.requests), 5)

    def test_create_something_once_under_one_key(self):
        with Faulty(cut, refusal(500, "internal"), SUITE) as service:
            client = service.client()
            client.suites.create(name="S")
            keys = {service.header(n, "idempotency-key") for n in range(3)}
            self.assertEqual(len(keys), 1)
            self.assertRegex(keys.pop(), "^[0-9a-f]{32}$")
            client.suites.create(name="S", options=Options(idempotency_key="mine"))
            self.assertEqual(service.header(-1, "idempotency-key"), "mine")

    def test_that_act_without_a_key_are_not_repeated_blindly(self):
        with Faulty(cut, ME) as service:
            with self.assertRaises(DioramaError) as caught:
                service.client().worlds.reset("wld_1")
            self.assertEqual(caught.exception.code, "network_error")
            self.assertEqual(len(service.requests), 1)

    def test_are_not_sent_again_when_refused_or_told_to_wait_for_long(self):
        script = (refusal(404, "not_found"), refusal(503, "sandbox_unavailable", retry_after="60"))
        with Faulty(*script) as service:
            with self.assertRaises(DioramaError) as caught:
                service.client().worlds.get("wld_1")
            self.assertEqual((caught.exception.status, caught.exception.request_id), (404, "req_1"))
            with self.assertRaises(DioramaError) as caught:
                service.client().evaluations.list()
            self.assertEqual(caught.exception.retry_after, 60)
            self.assertEqual(len(service.requests), 2)

    def test_end_with_a_time_out(self):
        done = threading.Event()
        with Faulty(lambda handler: done.wait(5)) as service:
            with self.assertRaises(DioramaError) as caught:
                service.client(timeout=0.1, retries=1).me.get()
            done.set()
            self.assertEqual((caught.exception.code, len(service.requests)), ("timeout", 2))

    def test_say_what_else_than_the_service_has_answered(self):
        def page(handler):
            handler.send_response(200)
            handler.send_header("content-type", "text/html")
            handler.end_headers()
            handler.wfile.write(b"<h1>Sign in</h1>")

        with Faulty(page) as service:
            with self.assertRaises(DioramaError) as caught:
                service.client().me.get()
            self.assertEqual(caught.exception.code, "unreadable_reply")


class StreamsTest(unittest.TestCase):
    def test_resume_after_the_last_message_and_pass_each_event_on_once(self):
        script = (
            stream(f": open\n\nid: 0\n\n{event(1)}{event(2)}"),
            refusal(503, "unavailable", retry_after="0"),
            stream(event(2) + event(3)),
            stream(event(3) + event(4)),
        )
        with Faulty(*script) as service:
            events = service.client().events.stream(source="s", after="evt_0")
            self.assertEqual([next(events)["event_type"] for _ in range(4)], ["e1", "e2", "e3", "e4"])
            events.close()
            self.assertEqual([service.header(n, "last-event-id") for n in range(4)], [None, "2", "2", "3"])
            self.assertIn("after=evt_0", service.requests[0][1])
            self.assertNotIn("after=", service.requests[1][1])

    def test_outlive_a_restart_of_the_service(self):
        with Faulty(stream(event(1)), stream(event(2))) as service:
            events = service.client().events.stream()
            self.assertEqual(next(events)["event_type"], "e1")
            service.stop()
            later = threading.Timer(0.4, service.start)
            later.start()
            self.assertEqual(next(events)["event_type"], "e2")
            events.close()
            later.join()

    def test_of_a_run_are_over_after_run_finished(self):
        def step(n, kind):
            return f'id: {n}\nevent: {kind}\ndata: {{"type": "{kind}", "trial_id": "t{n}", "status": "x"}}\n\n'

        script = (stream(step(1, "trial_started")), stream(step(1, "trial_started") + step(2, "run_finished")))
        with Faulty(*script) as service:
            kinds = [one["type"] for one in service.client().evaluations.stream("job_1")]
            self.assertEqual(kinds, ["trial_started", "run_finished"])

    def test_end_with_a_refusal_and_with_the_point_to_resume_from(self):
        limit = 'event: error\ndata: {"error": "Too much.", "code": "replay_limit_exceeded", "resume_from": "7"}\n\n'
        with Faulty(refusal(401, "unauthorized"), stream(limit)) as service:
            with self.assertRaises(DioramaError) as caught:
                next(service.client().events.stream())
            self.assertEqual(caught.exception.status, 401)
            with self.assertRaises(DioramaError) as caught:
                next(service.client().events.stream())
            self.assertEqual((caught.exception.code, caught.exception.resume_from), ("replay_limit_exceeded", "7"))


class GateTest(unittest.TestCase):
    def test_is_what_the_service_decided_for_all_agents_or_for_one(self):
        gate = {"verdict": "inconclusive", "reasons": ["T: the platform failed."]}
        good = {"verdict": "pass", "reasons": []}
        results = {"gate": gate, "agents": [{"agent": "a@1", "gate": good}]}
        self.assertEqual(pass_gate(results), ("inconclusive", ["T: the platform failed."]))
        for name in ("a@1", "a@current", "a"):
            self.assertTrue(pass_gate(results, name).passed)
        self.assertEqual(pass_gate(results, "nobody@1").verdict, "inconclusive")


if __name__ == "__main__":
    unittest.main()
