"""A client of the service: one namespace for each noun, one method for each operation."""

from __future__ import annotations

import os
import time
from typing import Any, Callable, Mapping, NamedTuple, Optional, TypeVar

from .api.agents import Agents
from .api.api_keys import ApiKeys
from .api.cassettes import Cassettes
from .api.datasets import Datasets
from .api.environments import Environments
from .api.evaluations import EvaluationRun, Evaluations, Results
from .api.events import Events
from .api.health import Health
from .api.me import Me
from .api.model_calls import ModelCalls
from .api.model_providers import ModelProviders
from .api.organizations import Organizations
from .api.scorers import Scorers
from .api.secrets import Secrets
from .api.signals import Signals
from .api.suites import Suites
from .api.tasks import Tasks
from .api.trace_exports import TraceExports
from .api.traces import Traces
from .api.twins import Twins
from .api.worlds import TwinInstanceRecord, WorldResponse, Worlds
from .episodes import Suite
from .errors import DioramaError
from .transport import UNSET, Connection, Options

ENDED = ("succeeded", "failed", "cancelled")
Value = TypeVar("Value")


class Finished(NamedTuple):
    job: EvaluationRun
    results: Results


def until(
    what: str, read: Callable[[], Value], done: Callable[[Value], bool], timeout: float, poll: float
) -> Value:
    deadline = time.monotonic() + timeout
    while True:
        value = read()
        if done(value):
            return value
        if time.monotonic() + poll > deadline:
            raise DioramaError(f"{what} took longer than {timeout:g} seconds.", code="timeout")
        time.sleep(poll)


def is_settled(world: WorldResponse) -> bool:
    evaluation = world["evaluation"]
    return world["status"] != "forging" and (evaluation is None or evaluation["status"] != "materializing")


def ready_world(world: WorldResponse) -> WorldResponse:
    """The world, where it is ready; raises what went wrong otherwise."""
    world_id, evaluation = world["world"]["id"], world["evaluation"]
    if world["status"] == "failed":
        raise DioramaError(f"World {world_id} failed: {world['launch_error']}", code="wait_failed")
    if evaluation is not None and evaluation["status"] == "failed":
        raise DioramaError(f"The task suite of world {world_id} failed: {evaluation['error']}", code="wait_failed")
    return world


def with_warnings(ready: WorldResponse, launched: WorldResponse) -> WorldResponse:
    ready["warnings"] = launched.get("warnings", [])
    return ready


def is_started(twin: TwinInstanceRecord) -> bool:
    return twin["status"] not in ("provisioning", "degraded")


def running_twin(twin: TwinInstanceRecord) -> TwinInstanceRecord:
    if twin["status"] != "running":
        raise DioramaError(f"Twin {twin['id']} is {twin['status']}: {twin['error']}", code="wait_failed")
    return twin


class Progress:
    """Calls back with an evaluation whenever another of its trials is over."""

    def __init__(self, call_back: Optional[Callable[[EvaluationRun], None]]) -> None:
        self._call_back = call_back
        self._seen = -1

    def see(self, job: EvaluationRun) -> EvaluationRun:
        if self._call_back is not None and job["completed_trials"] != self._seen:
            self._seen = job["completed_trials"]
            self._call_back(job)
        return job


def has_ended(job: EvaluationRun) -> bool:
    return job["status"] in ENDED


def connection_of(base_url: Optional[str], api_key: Optional[str], timeout: float, retries: int) -> Connection:
    address = base_url or os.environ.get("DIORAMA_BASE_URL") or "http://127.0.0.1:4400"
    return Connection(
        base_url=address.rstrip("/"),
        api_key=api_key or os.environ.get("DIORAMA_API_KEY"),
        timeout=timeout,
        retries=retries,
    )


class WaitingWorlds(Worlds):
    def wait_until_ready(self, world_id: str, *, timeout: float = 180, poll: float = 0.25) -> WorldResponse:
        """Waits until the twins run and the task suite, where there is one, is there."""
        return ready_world(until(f"World {world_id}", lambda: self.get(world_id), is_settled, timeout, poll))

    def launch_and_wait(
        self,
        *,
        blueprint: Mapping[str, Any] = UNSET,
        dataset_version_id: Optional[str] = UNSET,
        timeout: float = 180,
        poll: float = 0.25,
        **more: Any,
    ) -> WorldResponse:
        """Launches a world and waits until it is ready; takes what ``launch`` takes."""
        given = blueprint if blueprint is UNSET else dict(blueprint)
        launched = self.launch(blueprint=given, dataset_version_id=dataset_version_id, **more)
        return with_warnings(self.wait_until_ready(launched["world"]["id"], timeout=timeout, poll=poll), launched)


class WaitingTwins(Twins):
    def wait_until_running(self, twin_id: str, *, timeout: float = 180, poll: float = 0.25) -> TwinInstanceRecord:
        return running_twin(until(f"Twin {twin_id}", lambda: self.get(twin_id), is_started, timeout, poll))


class WaitingEvaluations(Evaluations):
    def wait(
        self,
        job_id: str,
        *,
        on_progress: Optional[Callable[[EvaluationRun], None]] = None,
        timeout: float = 3_600,
        poll: float = 0.5,
    ) -> Finished:
        """Follows an evaluation to its end; ``on_progress`` is called with the evaluation whenever another trial is over."""
        progress = Progress(on_progress)
        job = until(f"Run {job_id}", lambda: progress.see(self.get(job_id)), has_ended, timeout, poll)
        return Finished(job, self.results(job_id))

    def run_and_wait(
        self,
        *,
        on_progress: Optional[Callable[[EvaluationRun], None]] = None,
        timeout: float = 3_600,
        poll: float = 0.5,
        options: Optional[Options] = None,
        **request: Any,
    ) -> Finished:
        """Starts an evaluation and follows it to its end; takes what ``start`` takes."""
        job = self.start(options=options, **request)
        return self.wait(job["id"], on_progress=on_progress, timeout=timeout, poll=poll)


class Diorama:
    """``Diorama(base_url, api_key)``; both come from DIORAMA_BASE_URL and DIORAMA_API_KEY when left out."""

    def __init__(
        self,
        base_url: Optional[str] = None,
        api_key: Optional[str] = None,
        *,
        timeout: float = 120,
        retries: int = 3,
    ) -> None:
        connection = connection_of(base_url, api_key, timeout, retries)
        self._connection = connection
        self.base_url = connection.base_url
        self.health = Health(connection)
        self.me = Me(connection)
        self.api_keys = ApiKeys(connection)
        self.organizations = Organizations(connection)
        self.worlds = WaitingWorlds(connection)
        self.environments = Environments(connection)
        self.datasets = Datasets(connection)
        self.twins = WaitingTwins(connection)
        self.events = Events(connection)
        self.traces = Traces(connection)
        self.signals = Signals(connection)
        self.agents = Agents(connection)
        self.suites = Suites(connection)
        self.tasks = Tasks(connection)
        self.scorers = Scorers(connection)
        self.secrets = Secrets(connection)
        self.model_providers = ModelProviders(connection)
        self.cassettes = Cassettes(connection)
        self.model_calls = ModelCalls(connection)
        self.trace_exports = TraceExports(connection)
        self.evaluations = WaitingEvaluations(connection)

    def suite(self, suite_id: str) -> Suite:
        """A suite whose tasks are driven step by step: ``for episode in client.suite(id).episodes(): …``"""
        return Suite(self._connection, suite_id)
