# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ..calls import Namespace, Page
from ..streams import Stream
from ..transport import UNSET, Options
from .suites import TaskContainer, TaskEvent, TaskTurns

__all__ = [
    "Tasks",
    "BoundScorer",
    "Task",
]


class BoundScorer(TypedDict):
    scorer_id: str
    weight: Literal["low", "med", "high"]
    pass_threshold: Optional[float]
    scorer_version: int
    name: str


class Task(TypedDict):
    id: str
    suite_id: str
    key: Optional[str]
    title: str
    instruction: str
    expected_outcome: str
    environment_version_id: Optional[str]
    cutoff_event_id: Optional[str]
    trace_id: Optional[str]
    turns: Optional[TaskTurns]
    crowding: int
    metadata: Dict[str, Any]
    container: Optional[TaskContainer]
    events: List[TaskEvent]
    scorers: List[BoundScorer]
    created_at: str
    updated_at: str


class Tasks(Namespace):
    def list(
        self,
        suite_id: str,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        options: Optional[Options] = None,
    ) -> Page[Task]:
        """List the tasks of the working copy, in their order.

        GET /v1/task-suites/{suiteId}/tasks
        """
        answer: Page[Task] = self._call("listTasks", {"suiteId": suite_id}, {"limit": limit, "cursor": cursor}, None, options)
        return answer

    def create(
        self,
        suite_id: str,
        *,
        title: str,
        instruction: str,
        expected_outcome: str = UNSET,
        environment_version_id: Optional[str] = UNSET,
        cutoff_event_id: Optional[str] = UNSET,
        turns: Optional[Mapping[str, Any]] = UNSET,
        crowding: int = UNSET,
        metadata: Mapping[str, Any] = UNSET,
        scorers: Sequence[Mapping[str, Any]] = UNSET,
        options: Optional[Options] = None,
    ) -> Task:
        """Add a task.

        POST /v1/task-suites/{suiteId}/tasks
        """
        answer: Task = self._call("createTask", {"suiteId": suite_id}, {}, {"title": title, "instruction": instruction, "expected_outcome": expected_outcome, "environment_version_id": environment_version_id, "cutoff_event_id": cutoff_event_id, "turns": turns, "crowding": crowding, "metadata": metadata, "scorers": scorers}, options)
        return answer

    def get(self, suite_id: str, task_id: str, *, options: Optional[Options] = None) -> Task:
        """Read one task.

        GET /v1/task-suites/{suiteId}/tasks/{taskId}
        """
        answer: Task = self._call("readTask", {"suiteId": suite_id, "taskId": task_id}, {}, None, options)
        return answer

    def update(
        self,
        suite_id: str,
        task_id: str,
        *,
        title: str = UNSET,
        instruction: str = UNSET,
        expected_outcome: str = UNSET,
        environment_version_id: Optional[str] = UNSET,
        cutoff_event_id: Optional[str] = UNSET,
        turns: Optional[Mapping[str, Any]] = UNSET,
        crowding: int = UNSET,
        metadata: Mapping[str, Any] = UNSET,
        options: Optional[Options] = None,
    ) -> Task:
        """Change a task; fields left out stay as they are.

        PATCH /v1/task-suites/{suiteId}/tasks/{taskId}
        """
        answer: Task = self._call("updateTask", {"suiteId": suite_id, "taskId": task_id}, {}, {"title": title, "instruction": instruction, "expected_outcome": expected_outcome, "environment_version_id": environment_version_id, "cutoff_event_id": cutoff_event_id, "turns": turns, "crowding": crowding, "metadata": metadata}, options)
        return answer

    def delete(self, suite_id: str, task_id: str, *, options: Optional[Options] = None) -> None:
        """Delete a task from the working copy. Frozen versions keep it.

        DELETE /v1/task-suites/{suiteId}/tasks/{taskId}
        """
        self._call("deleteTask", {"suiteId": suite_id, "taskId": task_id}, {}, None, options)

    def set_scorers(
        self,
        suite_id: str,
        task_id: str,
        items: Sequence[Mapping[str, Any]],
        *,
        options: Optional[Options] = None,
    ) -> Task:
        """Replace the whole list of scorers of a task, each in its present version.

        PUT /v1/task-suites/{suiteId}/tasks/{taskId}/scorers
        """
        answer: Task = self._call("setTaskScorers", {"suiteId": suite_id, "taskId": task_id}, {}, list(items), options)
        return answer

    def create_from_trace(
        self,
        suite_id: str,
        *,
        trace_id: str,
        notes: Optional[str] = UNSET,
        options: Optional[Options] = None,
    ) -> Task:
        """Make a task from a recorded trace. What came from the last answer on is held back as the reference.

        POST /v1/task-suites/{suiteId}/traces
        """
        answer: Task = self._call("createTaskFromTrace", {"suiteId": suite_id}, {}, {"trace_id": trace_id, "notes": notes}, options)
        return answer
