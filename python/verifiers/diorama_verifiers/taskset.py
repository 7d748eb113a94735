"""Tasks of a suite: a fork when a rollout begins, a verdict when it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import verifiers.v1 as vf
from diorama import Diorama, Environment, Grade

from .tools import DioramaState, DioramaTools


class DioramaData(vf.TaskData):
    base_url: str
    suite_id: str
    task_id: str


class DioramaTaskConfig(vf.TaskConfig):
    tools: vf.ToolsetConfig = vf.ToolsetConfig()
    """Where the server of the tools runs."""


class DioramaConfig(vf.TasksetConfig):
    suite_id: str = ""
    """The suite."""
    tasks: list[str] | None = None
    """Ids or keys of its tasks; all of them when left out."""
    base_url: str | None = None
    """The service; DIORAMA_BASE_URL when left out."""
    task: DioramaTaskConfig = DioramaTaskConfig()


#: The sessions of the rollouts under way, by the id of their trace. The socket of a session cannot be copied with a task.
SESSIONS: dict[str, Environment] = {}


class DioramaTask(vf.Task[DioramaData, DioramaState, DioramaTaskConfig]):
    @property
    def key(self) -> str:
        return f"{self.data.suite_id}/{self.data.task_id}"

    @classmethod
    def toolsets(cls, config: DioramaTaskConfig) -> list[vf.Toolset]:
        return [DioramaTools(config.tools)]

    async def setup(self, trace: vf.Trace, runtime: vf.Runtime) -> None:
        environment = await asyncio.to_thread(self._open)
        SESSIONS[trace.id] = environment
        state = await asyncio.to_thread(environment.state)
        trace.state.base_url = self.data.base_url
        trace.state.suite_id = self.data.suite_id
        trace.state.session_id = state["session_id"]

    def _open(self) -> Environment:
        environment = Diorama(self.data.base_url).suite(self.data.suite_id).connect()
        try:
            environment.reset(task=self.data.task_id)
        except BaseException:
            environment.close()
            raise
        return environment

    async def finalize(self, trace: vf.Trace, runtime: vf.Runtime) -> None:
        """Has the world graded while it is still there; the scoring below only reads the verdict."""
        environment = SESSIONS.pop(trace.id, None)
        if environment is None:
            raise RuntimeError("The episode of this rollout was never opened.")
        try:
            grade: Grade = await asyncio.to_thread(environment.finish, trace.last_reply)
        finally:
            await asyncio.to_thread(environment.close)
        trace.state.reward, trace.state.passed = grade.reward, grade.passed
        trace.state.error = grade.error
        trace.info["diorama"] = {
            "passed": grade.passed,
            "error": grade.error,
            "scores": [vars(score) for score in grade.scores],
            "unasked_changes": grade.unasked_changes,
        }

    @vf.reward
    async def diorama(self, trace: vf.Trace) -> float:
        if trace.state.reward is None:
            raise RuntimeError(f"There is no verdict: {trace.state.error or 'the episode was not graded'}")
        return trace.state.reward

    @vf.metric
    async def passed(self, trace: vf.Trace) -> float:
        return 1.0 if trace.state.passed else 0.0


class DioramaTaskset(vf.Taskset[DioramaTask, DioramaConfig]):
    def load(self) -> Iterator[DioramaTask]:
        config = self.config
        if not config.suite_id:
            raise ValueError("suite_id is needed: the suite whose tasks are loaded")
        client = Diorama(config.base_url)
        tasks = client.suite(config.suite_id).tasks()
        wanted = config.tasks
        known = {name for task in tasks for name in (task["id"], task.get("key"))}
        for name in wanted or []:
            if name not in known:
                raise ValueError(f"tasks: the suite has no task {name}")
        for task in tasks:
            if wanted is not None and task["id"] not in wanted and task.get("key") not in wanted:
                continue
            if task.get("turns") is not None or task.get("container") is not None:
                continue
            yield DioramaTask(
                DioramaData(
                    id=task["id"],
                    name=task.get("key") or task["title"],
                    description=task["title"],
                    prompt=task["instruction"],
                    base_url=client.base_url,
                    suite_id=config.suite_id,
                    task_id=task["id"],
                ),
                config.task,
            )
