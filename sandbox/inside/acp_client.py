"""Drives an agent of the Agent Client Protocol inside the sandbox: one session, one prompt, then its answer.

The agent is a child that speaks newline-delimited JSON-RPC on its standard input and output. What it reports of its
work goes to file descriptor 3, one JSON object a line; its answer becomes output.txt.
"""

import json
import os
import subprocess
import sys

MAX_LINE = 8 * 1024 * 1024
MAX_ANSWER = 1024 * 1024
MAX_UPDATES = 5000


class Ended(Exception):
    pass


class Agent:
    def __init__(self, command):
        self.process = subprocess.Popen(
            command if isinstance(command, list) else ["/bin/sh", "-c", command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            close_fds=True,
        )
        self.last = 0
        self.answer = []
        self.length = 0
        self.updates = 0
        self.channel = os.fdopen(3, "w", encoding="utf-8")

    def send(self, message):
        message["jsonrpc"] = "2.0"
        try:
            self.process.stdin.write((json.dumps(message) + "\n").encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Ended("The agent closed its input.")

    def call(self, method, params):
        self.last += 1
        self.send({"id": self.last, "method": method, "params": params})
        while True:
            message = self.read()
            if "method" in message:
                self.handle(message)
            elif message.get("id") == self.last:
                if message.get("error"):
                    raise Ended("%s: %s" % (method, message["error"].get("message")))
                return message.get("result") or {}

    def read(self):
        while True:
            line = self.process.stdout.readline(MAX_LINE)
            if not line:
                raise Ended("The agent ended before it had answered.")
            try:
                message = json.loads(line)
            except ValueError:
                sys.stderr.write("The agent wrote a line that is not JSON: %s\n" % line[:200].decode("utf-8", "replace"))
                continue
            if isinstance(message, dict):
                return message

    def handle(self, message):
        method, params = message["method"], message.get("params") or {}
        if method == "session/update":
            self.update(params.get("update") or {})
        if "id" not in message:
            return
        if method == "session/request_permission":
            self.send({"id": message["id"], "result": {"outcome": self.permitted(params)}})
        else:
            self.send({"id": message["id"], "error": {"code": -32601, "message": "Method not found: %s" % method}})

    def permitted(self, params):
        """Nobody watches a trial, so that what the agent asks for is allowed once; the sandbox holds it."""
        options = [option for option in params.get("options") or [] if isinstance(option, dict)]
        for kind in ("allow_once", "allow_always"):
            for option in options:
                if option.get("kind") == kind:
                    return {"outcome": "selected", "optionId": option.get("optionId")}
        return {"outcome": "cancelled"}

    def update(self, update):
        kind = update.get("sessionUpdate")
        if kind == "agent_message_chunk":
            text = (update.get("content") or {}).get("text")
            if isinstance(text, str) and self.length < MAX_ANSWER:
                self.answer.append(text)
                self.length += len(text)
        elif kind in ("tool_call", "tool_call_update", "usage_update") and self.updates < MAX_UPDATES:
            self.updates += 1
            kept = {
                name: update[name]
                for name in ("sessionUpdate", "toolCallId", "title", "kind", "status", "used", "size", "cost", "usage")
                if name in update
            }
            self.channel.write(json.dumps(kept)[:4000] + "\n")
            self.channel.flush()


def main():
    with open(os.environ["ACP_JOB"], encoding="utf-8") as file:
        job = json.load(file)
    with open(os.environ["INSTRUCTION_PATH"], encoding="utf-8") as file:
        instruction = file.read()
    agent = Agent(job["command"])
    try:
        made = agent.call(
            "initialize",
            {
                "protocolVersion": 1,
                "clientCapabilities": {"fs": {"readTextFile": False, "writeTextFile": False}, "terminal": False},
                "clientInfo": {"name": "diorama", "version": "1"},
            },
        )
        if made.get("protocolVersion") != 1:
            raise Ended("The agent speaks version %s of the protocol, and not 1." % made.get("protocolVersion"))
        offered = ((made.get("agentCapabilities") or {}).get("mcpCapabilities") or {}).get("http")
        if not offered and job["mcpServers"]:
            raise Ended("The agent does not take MCP servers over HTTP (mcpCapabilities.http), so it cannot reach the world.")
        session = agent.call("session/new", {"cwd": os.getcwd(), "mcpServers": job["mcpServers"]})
        done = agent.call(
            "session/prompt",
            {"sessionId": session.get("sessionId"), "prompt": [{"type": "text", "text": instruction}]},
        )
        with open(os.path.join(os.environ["WORK_DIR"], "output.txt"), "w", encoding="utf-8") as file:
            file.write("".join(agent.answer))
        if done.get("stopReason") != "end_turn":
            raise Ended("The agent stopped with %s." % done.get("stopReason"))
    except Ended as end:
        sys.stderr.write("%s\n" % end)
        sys.exit(1)
    finally:
        agent.process.kill()
        agent.process.wait()
