# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union


class TaskSuite(TypedDict):
    id: str
    name: str
    description: str
    world_id: Optional[str]
    task_count: int
    unasked_changes: Literal["fail", "warn", "ignore"]
    latest_version_id: Optional[str]
    created_at: str
    updated_at: str
    archived_at: Optional[str]


class SuiteVersion(TypedDict):
    id: str
    suite_id: str
    number: int
    label: Optional[str]
    task_count: int
    digest: str
    created_at: str


class TaskTurns(TypedDict):
    limit: int
    idle: str


class TaskContainerVerifier(TypedDict):
    image: str
    workdir: Optional[str]
    env: Dict[str, Any]
    timeout_seconds: float
    tests_sha256: Optional[str]


class TaskContainer(TypedDict):
    image: str
    workdir: Optional[str]
    env: Dict[str, Any]
    timeout_seconds: Optional[float]
    allowed_hosts: List[str]
    artifacts: List[str]
    verifier: TaskContainerVerifier


class TaskEvent(TypedDict):
    id: str
    kind: Literal["event", "span"]
    time: str
    name: str
    source: Optional[str]
    content: Dict[str, Any]


class FrozenTaskScorersItemDefinitionChoiceScoresItem(TypedDict):
    label: str
    score: float


class FrozenTaskScorersItemDefinition(TypedDict):
    name: str
    slug: Optional[str]
    description: Optional[str]
    kind: Literal["llm-judge", "code"]
    prompt: Optional[str]
    choice_scores: List[FrozenTaskScorersItemDefinitionChoiceScoresItem]
    use_cot: bool
    allow_skip: bool
    model: Optional[str]
    code: Optional[str]
    language: Optional[Literal["python", "typescript"]]
    pass_threshold: Optional[float]


class FrozenTaskScorersItem(TypedDict):
    scorer_id: str
    scorer_version: int
    weight: Literal["low", "med", "high"]
    pass_threshold: Optional[float]
    definition: FrozenTaskScorersItemDefinition


class FrozenTaskRequired(TypedDict):
    id: str
    key: Optional[str]
    title: str
    instruction: str
    expected_outcome: str
    environment_version_id: Optional[str]
    cutoff_event_id: Optional[str]
    events: List[TaskEvent]
    scorers: List[FrozenTaskScorersItem]


class FrozenTask(FrozenTaskRequired, total=False):
    unasked_changes: Literal["fail", "warn", "ignore"]
    turns: TaskTurns
    crowding: int
    metadata: Dict[str, Any]
    container: TaskContainer


class SuiteVersionDetail(TypedDict):
    id: str
    suite_id: str
    number: int
    label: Optional[str]
    task_count: int
    digest: str
    created_at: str
    name: str
    description: str
    tasks: List[FrozenTask]
    proof: Optional[Dict[str, Any]]


class VersionComparisonAddedItem(TypedDict):
    task_id: str
    title: str


class VersionComparisonRemovedItem(TypedDict):
    task_id: str
    title: str


class VersionComparisonChangedItem(TypedDict):
    task_id: str
    title: str
    fields: Dict[str, Any]


class VersionComparison(TypedDict):
    a: SuiteVersion
    b: SuiteVersion
    added: List[VersionComparisonAddedItem]
    removed: List[VersionComparisonRemovedItem]
    changed: List[VersionComparisonChangedItem]


class ScorerProof(TypedDict):
    scorer_id: str
    name: str
    scores: List[Optional[float]]
    threshold: Optional[float]
    passed: Optional[bool]
    repeats: bool
    reason: Optional[str]
    error: Optional[str]


class TaskProof(TypedDict):
    task_id: str
    title: str
    ok: bool
    do_nothing_fails: bool
    vandal_fails: bool
    vandal_on: Literal["passing trial", "untouched world"]
    repeatable: bool
    problems: List[str]
    scorers: List[ScorerProof]


class SuiteProof(TypedDict):
    suite_id: str
    version_id: str
    version_number: int
    ok: bool
    checked_at: str
    isolation: Optional[str]
    tasks: List[TaskProof]


class SuiteImportTasksItem(TypedDict):
    task_id: str
    name: str
    title: str


class SuiteImportRefusedItem(TypedDict):
    name: str
    reason: str


class SuiteImport(TypedDict):
    suite: TaskSuite
    tasks: List[SuiteImportTasksItem]
    refused: List[SuiteImportRefusedItem]


class UnscoredTrials(TypedDict):
    scorer: int
    model_provider: int
    platform: int


class TaskResult(TypedDict):
    task_id: str
    title: str
    passed: bool
    failed_scorers: List[str]
    trials: int
    passed_trials: int
    errored_trials: int
    unscored: UnscoredTrials
    unasked_trials: int
    crashed_trials: int
    crash: Optional[str]
    flaky: bool


class EvalRun(TypedDict):
    job_id: str
    pass_rate: Optional[float]
    task_results: List[TaskResult]
    name: str
    agents: List[str]
    finished_at: Optional[str]

