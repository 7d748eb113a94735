# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ...aio.calls import AsyncNamespace, AsyncPage
from ...aio.streams import AsyncStream
from ...transport import UNSET, Options
from ..suites import EvalRun, SuiteImport, SuiteProof, SuiteVersion, SuiteVersionDetail, TaskSuite, VersionComparison

__all__ = ["AsyncSuites"]


class AsyncSuites(AsyncNamespace):
    async def list(
        self,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        include_archived: Literal["0", "1", "true", "false"] = UNSET,
        options: Optional[Options] = None,
    ) -> AsyncPage[TaskSuite]:
        """List suites, newest first.

        GET /v1/task-suites
        """
        answer: AsyncPage[TaskSuite] = await self._call("listSuites", {}, {"limit": limit, "cursor": cursor, "include_archived": include_archived}, None, options)
        return answer

    async def create(
        self,
        *,
        name: str,
        description: str = UNSET,
        unasked_changes: Literal["fail", "warn", "ignore"] = UNSET,
        options: Optional[Options] = None,
    ) -> TaskSuite:
        """Create a suite.

        POST /v1/task-suites
        """
        answer: TaskSuite = await self._call("createSuite", {}, {}, {"name": name, "description": description, "unasked_changes": unasked_changes}, options)
        return answer

    async def get(self, suite_id: str, *, options: Optional[Options] = None) -> TaskSuite:
        """Read one suite.

        GET /v1/task-suites/{suiteId}
        """
        answer: TaskSuite = await self._call("readSuite", {"suiteId": suite_id}, {}, None, options)
        return answer

    async def update(
        self,
        suite_id: str,
        *,
        name: str = UNSET,
        description: str = UNSET,
        unasked_changes: Literal["fail", "warn", "ignore"] = UNSET,
        options: Optional[Options] = None,
    ) -> TaskSuite:
        """Change the name or description of a suite; fields left out stay as they are.

        PATCH /v1/task-suites/{suiteId}
        """
        answer: TaskSuite = await self._call("updateSuite", {"suiteId": suite_id}, {}, {"name": name, "description": description, "unasked_changes": unasked_changes}, options)
        return answer

    async def archive(self, suite_id: str, *, options: Optional[Options] = None) -> TaskSuite:
        """Archive a suite. Its versions and results stay readable.

        DELETE /v1/task-suites/{suiteId}
        """
        answer: TaskSuite = await self._call("archiveSuite", {"suiteId": suite_id}, {}, None, options)
        return answer

    async def publish(self, suite_id: str, *, label: Optional[str] = UNSET, options: Optional[Options] = None) -> SuiteVersion:
        """Publish a frozen version of the working copy.

        POST /v1/task-suites/{suiteId}/versions
        """
        answer: SuiteVersion = await self._call("publishSuite", {"suiteId": suite_id}, {}, {"label": label}, options)
        return answer

    async def list_versions(
        self,
        suite_id: str,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        options: Optional[Options] = None,
    ) -> AsyncPage[SuiteVersion]:
        """List frozen versions, newest first.

        GET /v1/task-suites/{suiteId}/versions
        """
        answer: AsyncPage[SuiteVersion] = await self._call("listSuiteVersions", {"suiteId": suite_id}, {"limit": limit, "cursor": cursor}, None, options)
        return answer

    async def get_version(self, suite_id: str, version_id: str, *, options: Optional[Options] = None) -> SuiteVersionDetail:
        """A frozen version, whole.

        GET /v1/task-suites/{suiteId}/versions/{versionId}
        """
        answer: SuiteVersionDetail = await self._call("readSuiteVersion", {"suiteId": suite_id, "versionId": version_id}, {}, None, options)
        return answer

    async def compare_versions(self, suite_id: str, a: str, b: str, *, options: Optional[Options] = None) -> VersionComparison:
        """What changed between two versions.

        GET /v1/task-suites/{suiteId}/versions/{a}/compare/{b}
        """
        answer: VersionComparison = await self._call("compareSuiteVersions", {"suiteId": suite_id, "a": a, "b": b}, {}, None, options)
        return answer

    async def check(self, suite_id: str, *, options: Optional[Options] = None) -> SuiteProof:
        """Freeze the suite and prove it: an agent that does nothing fails each task, and each scorer repeats itself.

        POST /v1/task-suites/{suiteId}/check
        """
        answer: SuiteProof = await self._call("checkSuite", {"suiteId": suite_id}, {}, None, options)
        return answer

    async def check_tasks(self, suite_id: str, *, task_ids: Sequence[str], options: Optional[Options] = None) -> SuiteProof:
        """Prove some tasks of the suite, so that one of any size is proved part by part; the version keeps all parts.

        POST /v1/task-suites/{suiteId}/check-tasks
        """
        answer: SuiteProof = await self._call("checkSuiteTasks", {"suiteId": suite_id}, {}, {"task_ids": task_ids}, options)
        return answer

    async def export_harbor(
        self,
        suite_id: str,
        *,
        organization: str = UNSET,
        oracle: str = UNSET,
        skip: Literal["0", "1", "true", "false"] = UNSET,
        options: Optional[Options] = None,
    ) -> bytes:
        """The suite as a Harbor dataset: a folder for each task, with the service as a sidecar and a separate verifier.

        GET /v1/task-suites/{suiteId}/harbor.tar.gz
        """
        answer: bytes = await self._call("exportSuiteHarbor", {"suiteId": suite_id}, {"organization": organization, "oracle": oracle, "skip": skip}, None, options)
        return answer

    async def import_from(
        self,
        data: Union[bytes, IO[bytes]],
        *,
        format: Literal["harbor", "promptfoo", "inspect"],
        name: str = UNSET,
        scorer: Literal["includes", "match", "match_exact", "model_graded_qa"] = UNSET,
        options: Optional[Options] = None,
    ) -> SuiteImport:
        """Make a suite of the tasks of another tool: Harbor folders, promptfoo tests, Inspect samples.

        POST /v1/task-suites/import
        """
        answer: SuiteImport = await self._call("importSuite", {}, {"format": format, "name": name, "scorer": scorer}, data, options)
        return answer

    async def list_runs(
        self,
        suite_id: str,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        job_id: str = UNSET,
        options: Optional[Options] = None,
    ) -> AsyncPage[EvalRun]:
        """Pass or fail by task, of the newest finished evaluation or of the one named, and the evaluations before it.

        GET /v1/task-suites/{suiteId}/eval-runs
        """
        answer: AsyncPage[EvalRun] = await self._call("listEvalRuns", {"suiteId": suite_id}, {"limit": limit, "cursor": cursor, "job_id": job_id}, None, options)
        return answer
