# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union


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
    tags: List[str]
    archived: bool


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
    tags: List[str]
    archived: bool


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
    cause: Optional[str]
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


class WorldClient(TypedDict):
    service: str
    hosts: List[str]
    base_url: Optional[str]
    mcp_url: Optional[str]
    token: str
    variables: Dict[str, Any]


class ListWorldClientsReply(TypedDict):
    items: List[WorldClient]


class WorldClock(TypedDict):
    mode: Literal["story", "wall"]
    now: str
    factor: float
    request_cost_seconds: float
    next_due: Optional[str]
    pending: int
    fired: int
    error: Optional[str]


class WorldEvent(TypedDict):
    key: str
    status: Literal["waiting", "scheduled", "done"]
    next_at: Optional[str]
    fired: int
    definition: Dict[str, Any]


class ListWorldEventsReply(TypedDict):
    items: List[WorldEvent]


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

