# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, Iterator, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ..calls import Namespace, Page
from ..transport import UNSET, Options

__all__ = ["Worlds"]


class WorldTwinLink(TypedDict):
    service: str
    twin_instance_id: str
    entity_count: int
    seed_sha256: str


class WorldRecord(TypedDict):
    id: str
    name: str
    summary: str
    tenant_id: str
    created_by: str
    created_at: str
    updated_at: str
    blueprint: Dict[str, Any]
    twins: List[WorldTwinLink]


class WorldVersion(TypedDict):
    number: int
    root_world_id: str
    parent_world_id: Optional[str]


class TwinInstanceRecord(TypedDict):
    id: str
    service: str
    status: Literal["provisioning", "running", "degraded", "stopped", "expired", "failed"]
    image: str
    tenant_id: str
    created_by: str
    created_at: str
    updated_at: str
    expires_at: Optional[str]
    token: str
    base_url: Optional[str]
    mcp_url: Optional[str]
    error: Optional[str]
    environment_version_id: Optional[str]
    dataset_version_id: Optional[str]
    scenario_id: Optional[str]
    host_app_name: Optional[str]
    host_machine_id: Optional[str]
    region: Optional[str]


class WorldEvaluationTasksItemScorersItem(TypedDict):
    key: str
    scorer_id: str


class WorldEvaluationTasksItem(TypedDict):
    key: str
    membership_id: str
    task_id: str
    title: str
    scorers: List[WorldEvaluationTasksItemScorersItem]


class WorldEvaluation(TypedDict):
    status: Literal["materializing", "ready", "failed"]
    version: int
    environment_id: Optional[str]
    environment_version_id: Optional[str]
    task_suite_id: Optional[str]
    task_suite_version_id: Optional[str]
    error: Optional[str]
    tasks: List[WorldEvaluationTasksItem]


class WorldResponseRequired(TypedDict):
    world: WorldRecord
    version: WorldVersion
    twins: List[TwinInstanceRecord]
    status: Literal["forging", "ready", "degraded", "failed", "retired"]
    launch_error: Optional[str]
    evaluation: Optional[WorldEvaluation]


class WorldResponse(WorldResponseRequired, total=False):
    warnings: List[str]


class WorldSummary(TypedDict):
    id: str
    name: str
    summary: str
    created_by: str
    created_at: str
    version: WorldVersion
    status: Literal["forging", "ready", "degraded", "failed", "retired"]
    services: List[str]


class ActivityActor(TypedDict):
    id: str
    name: str
    subject: str


class ActivityRequest(TypedDict):
    method: str
    path: str


class ActivityResponse(TypedDict):
    status: int


class Activity(TypedDict):
    request_id: str
    twin_id: str
    service: str
    at: str
    world_time: str
    duration_ms: float
    operation: str
    actor: Optional[ActivityActor]
    mutation_count: int
    not_emulated: List[str]
    refused: Optional[str]
    request: ActivityRequest
    response: ActivityResponse


class DiffSummary(TypedDict):
    created: int
    updated: int
    deleted: int


class DiffEntry(TypedDict):
    service: str
    collection: str
    operation: Literal["create", "update", "delete"]
    key: Optional[str]
    id: str
    before: Optional[Dict[str, Any]]
    after: Optional[Dict[str, Any]]
    changed: Dict[str, Any]


class Diff(TypedDict):
    summary: DiffSummary
    items: List[DiffEntry]
    more: Optional[str]


class ValidationErrorsItem(TypedDict):
    pointer: str
    message: str


class ValidationSummaryServicesItem(TypedDict):
    service: str
    entity_count: int
    seed_sha256: str


class ValidationSummary(TypedDict):
    services: List[ValidationSummaryServicesItem]
    people: int
    tasks: int


class Validation(TypedDict):
    valid: bool
    errors: List[ValidationErrorsItem]
    warnings: List[str]
    summary: Optional[ValidationSummary]


class SampleCompany(TypedDict):
    slug: str
    name: str
    summary: str
    services: List[str]
    people: int
    tasks: int


class Worlds(Namespace):
    def launch(
        self,
        *,
        blueprint: Mapping[str, Any] = UNSET,
        dataset_version_id: Optional[str] = UNSET,
        idempotency_key: Optional[str] = UNSET,
        source_world_id: Optional[str] = UNSET,
        ttl_hours: Optional[int] = UNSET,
        options: Optional[Options] = None,
    ) -> WorldResponse:
        """Compile a blueprint or take a dataset version, save a world version, and start one twin for each service.

        POST /v1/builder/worlds
        """
        return self._call("launchWorld", {}, {}, {"blueprint": blueprint, "datasetVersionId": dataset_version_id, "idempotencyKey": idempotency_key, "sourceWorldId": source_world_id, "ttlHours": ttl_hours}, options)

    def list(
        self,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        root_world_id: str = UNSET,
        options: Optional[Options] = None,
    ) -> Page[WorldSummary]:
        """List worlds, newest first.

        GET /v1/builder/worlds
        """
        return self._call("listWorlds", {}, {"limit": limit, "cursor": cursor, "root_world_id": root_world_id}, None, options)

    def get(self, world_id: str, *, options: Optional[Options] = None) -> WorldResponse:
        """Read a world with the live statuses of its twins.

        GET /v1/builder/worlds/{worldId}
        """
        return self._call("readWorld", {"worldId": world_id}, {}, None, options)

    def list_versions(
        self,
        world_id: str,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        options: Optional[Options] = None,
    ) -> Page[WorldSummary]:
        """The lineage of a world, newest first.

        GET /v1/builder/worlds/{worldId}/versions
        """
        return self._call("listWorldVersions", {"worldId": world_id}, {"limit": limit, "cursor": cursor}, None, options)

    def list_activity(
        self,
        world_id: str,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        operation: str = UNSET,
        status: Union[int, str] = UNSET,
        actor: str = UNSET,
        q: str = UNSET,
        mutations_only: Literal["0", "1", "true", "false"] = UNSET,
        refused: Literal["0", "1", "true", "false"] = UNSET,
        since: str = UNSET,
        service: str = UNSET,
        options: Optional[Options] = None,
    ) -> Page[Activity]:
        """Requests to all twins of a world, newest first.

        GET /v1/builder/worlds/{worldId}/activity
        """
        return self._call("listWorldActivity", {"worldId": world_id}, {"limit": limit, "cursor": cursor, "operation": operation, "status": status, "actor": actor, "q": q, "mutations_only": mutations_only, "refused": refused, "since": since, "service": service}, None, options)

    def stream_activity(
        self,
        world_id: str,
        *,
        operation: str = UNSET,
        status: Union[int, str] = UNSET,
        actor: str = UNSET,
        q: str = UNSET,
        mutations_only: Literal["0", "1", "true", "false"] = UNSET,
        refused: Literal["0", "1", "true", "false"] = UNSET,
        since: str = UNSET,
        after: str = UNSET,
        service: str = UNSET,
        options: Optional[Options] = None,
    ) -> Iterator[Activity]:
        """New requests to all twins of a world as they are recorded, as server-sent events; resumes after the last one seen.

        GET /v1/builder/worlds/{worldId}/activity/stream
        """
        return self._call("streamWorldActivity", {"worldId": world_id}, {"operation": operation, "status": status, "actor": actor, "q": q, "mutations_only": mutations_only, "refused": refused, "since": since, "after": after, "service": service}, None, options)

    def diff(self, world_id: str, *, limit: int = UNSET, after: str = UNSET, options: Optional[Options] = None) -> Diff:
        """What changed against the seeds, over all twins.

        GET /v1/builder/worlds/{worldId}/diff
        """
        return self._call("diffWorld", {"worldId": world_id}, {"limit": limit, "after": after}, None, options)

    def branch(
        self,
        world_id: str,
        *,
        at: str,
        name: str = UNSET,
        ttl_hours: Optional[int] = UNSET,
        options: Optional[Options] = None,
    ) -> WorldResponse:
        """Start a world as another one was after one of its requests, to go on differently from there. It is a lineage of its own, without tasks.

        POST /v1/builder/worlds/{worldId}/branch
        """
        return self._call("branchWorld", {"worldId": world_id}, {}, {"at": at, "name": name, "ttlHours": ttl_hours}, options)

    def reset(self, world_id: str, *, options: Optional[Options] = None) -> WorldResponse:
        """Return all twins of a world to their seeds.

        POST /v1/builder/worlds/{worldId}/reset
        """
        return self._call("resetWorld", {"worldId": world_id}, {}, None, options)

    def stop(self, world_id: str, *, options: Optional[Options] = None) -> WorldResponse:
        """Stop all twins of a world.

        POST /v1/builder/worlds/{worldId}/stop
        """
        return self._call("stopWorld", {"worldId": world_id}, {}, None, options)

    def delete(self, world_id: str, *, options: Optional[Options] = None) -> None:
        """Delete a world that has ended, with its twins, their ledgers and its environment version, unless a task or an evaluation uses it. It cannot be undone.

        DELETE /v1/builder/worlds/{worldId}
        """
        return self._call("deleteWorld", {"worldId": world_id}, {}, None, options)

    def validate(self, *, blueprint: Any, options: Optional[Options] = None) -> Validation:
        """Compile without launching: every error and every warning.

        POST /v1/builder/worlds/validate
        """
        return self._call("validateBlueprint", {}, {}, {"blueprint": blueprint}, options)

    def blueprint_schema(self, *, options: Optional[Options] = None) -> Dict[str, Any]:
        """JSON Schema (2020-12) of a blueprint.

        GET /v1/builder/blueprint.schema.json
        """
        return self._call("readBlueprintSchema", {}, {}, None, options)

    def sample_blueprint(self, *, options: Optional[Options] = None) -> Dict[str, Any]:
        """The sample company: a whole blueprint to start from.

        GET /v1/builder/blueprint.sample.json
        """
        return self._call("readSampleBlueprint", {}, {}, None, options)

    def samples(self, *, options: Optional[Options] = None) -> Page[SampleCompany]:
        """The companies of the library, ready to be launched; the sample company comes first.

        GET /v1/builder/samples
        """
        return self._call("listSamples", {}, {}, None, options)

    def sample(self, slug: str, *, options: Optional[Options] = None) -> Dict[str, Any]:
        """The blueprint of a company of the library.

        GET /v1/builder/samples/{slug}
        """
        return self._call("readSample", {"slug": slug}, {}, None, options)
