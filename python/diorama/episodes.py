"""Tasks as episodes: reset, step, reward. For training, and for loops that drive an agent themselves."""

from __future__ import annotations

import json
import urllib.parse
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Type
from types import TracebackType

from .api.tasks import Task, Tasks
from .errors import DioramaError
from .transport import Connection
from .websocket import WebSocket


@dataclass(frozen=True)
class Tool:
    name: str
    description: str
    #: JSON Schema of the arguments.
    input_schema: Mapping[str, Any]


@dataclass(frozen=True)
class Step:
    """What a call of a tool gave."""

    #: The text of the tool, or its structured result.
    result: Any
    #: Whether the tool refused or failed; ``result`` says why.
    is_error: bool
    #: Given with the last step alone; None there means that a scorer failed and there is no verdict.
    reward: Optional[float]
    done: bool


@dataclass(frozen=True)
class Score:
    name: str
    score: Optional[float]
    passed: Optional[bool]
    reason: Optional[str]
    error: Optional[str]


@dataclass(frozen=True)
class Grade:
    reward: Optional[float]
    passed: Optional[bool]
    scores: Sequence[Score]
    #: Changes that no scorer accounts for, as the service reports them.
    unasked_changes: Optional[Mapping[str, Any]]
    #: Why there is no verdict, or why the task failed regardless of its scores.
    error: Optional[str]


class Environment:
    """One connection of a suite, which holds one episode at a time."""

    def __init__(self, connection: Connection, suite_id: str, *, session_id: Optional[str] = None) -> None:
        path = f"/openenv/{urllib.parse.quote(suite_id, safe='')}/ws"
        query = "" if session_id is None else "?" + urllib.parse.urlencode({"session_id": session_id})
        self._socket = WebSocket(
            connection.base_url + path + query, connection.headers("application/json"), connection.timeout
        )

    def reset(self, *, task: Optional[str] = None, seed: Optional[int] = None) -> "Episode":
        """Begins an episode on a fresh fork; the one before it ends. Without arguments the tasks come in turn."""
        given = {"task": task, "seed": seed}
        data = self._ask("reset", {name: value for name, value in given.items() if value is not None})
        return Episode(self, data["observation"])

    def tools(self) -> List[Tool]:
        """The tools of the episode; before the first one, those of the suite's first task."""
        data = self._ask("step", {"type": "list_tools"})
        return [Tool(**tool) for tool in data["observation"]["tools"]]

    def step(self, tool: str, arguments: Optional[Mapping[str, Any]] = None) -> Step:
        data = self._call(tool, arguments or {})
        observation = data["observation"]
        if observation.get("error"):
            return Step(observation["error"]["message"], True, None, False)
        result = observation["result"]
        return Step(result["data"], result["is_error"], data["reward"], data["done"])

    def finish(self, answer: str = "") -> Grade:
        """Ends the episode and has it graded."""
        graded = self._call("done", {"answer": answer})["observation"]["metadata"]
        return Grade(
            reward=graded["reward"],
            passed=graded["passed"],
            scores=[Score(**score) for score in graded["scores"]],
            unasked_changes=graded["unasked_changes"],
            error=graded["error"],
        )

    def state(self) -> Dict[str, Any]:
        return self._ask("state", None)

    def close(self) -> None:
        self._socket.close()

    def __enter__(self) -> "Environment":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def _call(self, tool: str, arguments: Mapping[str, Any]) -> Dict[str, Any]:
        return self._ask("step", {"type": "call_tool", "tool_name": tool, "arguments": dict(arguments)})

    def _ask(self, kind: str, data: Optional[Mapping[str, Any]]) -> Dict[str, Any]:
        message = {"type": kind} if data is None else {"type": kind, "data": data}
        self._socket.send(json.dumps(message, allow_nan=False))
        reply: Dict[str, Any] = json.loads(self._socket.receive())
        if reply["type"] == "error":
            raise DioramaError(reply["data"]["message"], code=str(reply["data"]["code"]).lower())
        answer: Dict[str, Any] = reply["data"]
        return answer


class Episode:
    """A task under way. It is over when a step is ``done``, or with ``finish``."""

    def __init__(self, environment: Environment, observation: Mapping[str, Any]) -> None:
        self._environment = environment
        metadata = observation["metadata"]
        self.id: str = metadata["episode"]
        self.instruction: str = observation["instruction"]
        self.task_id: str = metadata["task"]["id"]
        self.task_key: Optional[str] = metadata["task"]["key"]
        self.title: str = metadata["task"]["title"]
        self.done = False
        self.reward: Optional[float] = None
        self.grade: Optional[Grade] = None

    def tools(self) -> List[Tool]:
        return self._environment.tools()

    def step(self, tool: str, arguments: Optional[Mapping[str, Any]] = None) -> Step:
        """Calls a tool. ``done`` is one, with ``answer``: it ends the episode."""
        if tool == "done":
            grade = self.finish(str((arguments or {}).get("answer", "")))
            return Step("", False, grade.reward, True)
        return self._environment.step(tool, arguments)

    def finish(self, answer: str = "") -> Grade:
        """Ends the episode and has it graded; ``reward`` and ``grade`` are set."""
        self.grade = self._environment.finish(answer)
        self.reward, self.done = self.grade.reward, True
        return self.grade

    def reset(self) -> "Episode":
        """The same task again, on a fresh fork."""
        again = self._environment.reset(task=self.task_id)
        self.__dict__.update(again.__dict__)
        return self

    def close(self) -> None:
        """Ends the episode, graded or not, with its connection."""
        self._environment.close()


class Suite:
    """A suite whose tasks are driven from here."""

    def __init__(self, connection: Connection, suite_id: str) -> None:
        self._connection = connection
        self.id = suite_id

    def tasks(self) -> List[Task]:
        return list(Tasks(self._connection).list(self.id))

    def connect(self, *, session_id: Optional[str] = None) -> Environment:
        """A new connection, for as many episodes as you like; close it. With an id, it shares a session."""
        return Environment(self._connection, self.id, session_id=session_id)

    def episodes(self, tasks: Optional[Sequence[str]] = None, *, repeat: int = 1) -> Iterator[Episode]:
        """An episode for each task (ids or keys; all when left out), ``repeat`` times over, one after the other."""
        chosen = [task["id"] for task in self.tasks()] if tasks is None else list(tasks)
        with self.connect() as environment:
            for _ in range(repeat):
                for task in chosen:
                    yield environment.reset(task=task)
