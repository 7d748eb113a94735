"""A client of the service for asyncio: the namespaces and methods of ``Diorama``, awaited."""

from __future__ import annotations

import asyncio
import time
from typing import Any, Awaitable, Callable, Mapping, Optional, TypeVar

from ..api.aio.agents import AsyncAgents
from ..api.aio.api_keys import AsyncApiKeys
from ..api.aio.cassettes import AsyncCassettes
from ..api.aio.datasets import AsyncDatasets
from ..api.aio.environments import AsyncEnvironments
from ..api.aio.evaluations import AsyncEvaluations
from ..api.aio.events import AsyncEvents
from ..api.aio.health import AsyncHealth
from ..api.aio.me import AsyncMe
from ..api.aio.model_calls import AsyncModelCalls
from ..api.aio.model_providers import AsyncModelProviders
from ..api.aio.organizations import AsyncOrganizations
from ..api.aio.scorers import AsyncScorers
from ..api.aio.secrets import AsyncSecrets
from ..api.aio.signals import AsyncSignals
from ..api.aio.suites import AsyncSuites
from ..api.aio.tasks import AsyncTasks
from ..api.aio.trace_exports import AsyncTraceExports
from ..api.aio.traces import AsyncTraces
from ..api.aio.twins import AsyncTwins
from ..api.aio.worlds import AsyncWorlds
from ..api.evaluations import EvaluationRun
from ..api.worlds import TwinInstanceRecord, WorldResponse
from ..client import (
    Finished,
    Progress,
    connection_of,
    has_ended,
    is_settled,
    is_started,
    ready_world,
    running_twin,
    with_warnings,
)
from ..errors import DioramaError
from ..transport import UNSET, Options

Value = TypeVar("Value")


async def until(
    what: str, read: Callable[[], Awaitable[Value]], done: Callable[[Value], bool], timeout: float, poll: float
) -> Value:
    deadline = time.monotonic() + timeout
    while True:
        value = await read()
        if done(value):
            return value
        if time.monotonic() + poll > deadline:
            raise DioramaError(f"{what} took longer than {timeout:g} seconds.", code="timeout")
        await asyncio.sleep(poll)


class AsyncWaitingWorlds(AsyncWorlds):
    async def wait_until_ready(self, world_id: str, *, timeout: float = 180, poll: float = 0.25) -> WorldResponse:
        """Waits until the twins run and the task suite, where there is one, is there."""
        return ready_world(await until(f"World {world_id}", lambda: self.get(world_id), is_settled, timeout, poll))

    async def launch_and_wait(
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
        launched = await self.launch(blueprint=given, dataset_version_id=dataset_version_id, **more)
        ready = await self.wait_until_ready(launched["world"]["id"], timeout=timeout, poll=poll)
        return with_warnings(ready, launched)


class AsyncWaitingTwins(AsyncTwins):
    async def wait_until_running(
        self, twin_id: str, *, timeout: float = 180, poll: float = 0.25
    ) -> TwinInstanceRecord:
        return running_twin(await until(f"Twin {twin_id}", lambda: self.get(twin_id), is_started, timeout, poll))


class AsyncWaitingEvaluations(AsyncEvaluations):
    async def wait(
        self,
        job_id: str,
        *,
        on_progress: Optional[Callable[[EvaluationRun], None]] = None,
        timeout: float = 3_600,
        poll: float = 0.5,
    ) -> Finished:
        """Follows an evaluation to its end; ``on_progress`` is called with the evaluation whenever another trial is over."""
        progress = Progress(on_progress)

        async def look() -> EvaluationRun:
            return progress.see(await self.get(job_id))

        job = await until(f"Run {job_id}", look, has_ended, timeout, poll)
        return Finished(job, await self.results(job_id))

    async def run_and_wait(
        self,
        *,
        on_progress: Optional[Callable[[EvaluationRun], None]] = None,
        timeout: float = 3_600,
        poll: float = 0.5,
        options: Optional[Options] = None,
        **request: Any,
    ) -> Finished:
        """Starts an evaluation and follows it to its end; takes what ``start`` takes."""
        job = await self.start(options=options, **request)
        return await self.wait(job["id"], on_progress=on_progress, timeout=timeout, poll=poll)


class AsyncDiorama:
    """``AsyncDiorama(base_url, api_key)``, with the defaults of ``Diorama``.

    Each request opens its own connection: there is nothing to close, and cancelling a call closes its connection.
    """

    def __init__(
        self,
        base_url: Optional[str] = None,
        api_key: Optional[str] = None,
        *,
        timeout: float = 120,
        retries: int = 3,
    ) -> None:
        connection = connection_of(base_url, api_key, timeout, retries)
        self.base_url = connection.base_url
        self.health = AsyncHealth(connection)
        self.me = AsyncMe(connection)
        self.api_keys = AsyncApiKeys(connection)
        self.organizations = AsyncOrganizations(connection)
        self.worlds = AsyncWaitingWorlds(connection)
        self.environments = AsyncEnvironments(connection)
        self.datasets = AsyncDatasets(connection)
        self.twins = AsyncWaitingTwins(connection)
        self.events = AsyncEvents(connection)
        self.traces = AsyncTraces(connection)
        self.signals = AsyncSignals(connection)
        self.agents = AsyncAgents(connection)
        self.suites = AsyncSuites(connection)
        self.tasks = AsyncTasks(connection)
        self.scorers = AsyncScorers(connection)
        self.secrets = AsyncSecrets(connection)
        self.model_providers = AsyncModelProviders(connection)
        self.cassettes = AsyncCassettes(connection)
        self.model_calls = AsyncModelCalls(connection)
        self.trace_exports = AsyncTraceExports(connection)
        self.evaluations = AsyncWaitingEvaluations(connection)
