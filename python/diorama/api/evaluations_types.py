# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from .suites import TaskResult, UnscoredTrials

class RunStoppedEvidence(TypedDict):
    above: float
    below: float


class RunStopped(TypedDict):
    answer: Optional[Literal["above", "below"]]
    reason: str
    tasks: int
    error_rate: float
    evidence: RunStoppedEvidence
    at: str


class RunAgentSummaryInterval(TypedDict):
    low: float
    high: float


class RunAgentSummary(TypedDict):
    agent: str
    scored_trials: int
    passed_trials: int
    pass_rate: Optional[float]
    interval: Optional[RunAgentSummaryInterval]
    cost_usd: Optional[float]
    verdict: Optional[Literal["pass", "fail", "inconclusive"]]


class EvaluationRunModels(TypedDict):
    mode: Literal["live", "record", "replay", "auto", "scripted"]
    cassette: Optional[str]
    max_cost_usd: Optional[float]
    max_tokens: Optional[int]


class RunScoringScorersItem(TypedDict):
    scorer_id: str
    version: int
    name: str


class RunScoring(TypedDict):
    id: str
    label: str
    scorers: List[RunScoringScorersItem]
    created_by: str
    created_at: str


class EvaluationRun(TypedDict):
    id: str
    name: str
    status: Literal["queued", "running", "succeeded", "failed", "cancelled"]
    mode: Literal["suite", "compare", "regression", "replay"]
    task_suite_id: str
    task_suite_name: Optional[str]
    task_suite_version_id: str
    agents: List[str]
    concurrency: int
    trials_per_task: int
    variants: List[Literal["faults", "noise", "attacks", "permissions", "claims", "drift"]]
    completed_trials: int
    total_trials: int
    counts: Dict[str, Any]
    isolation: Optional[str]
    baseline_job_id: Optional[str]
    stopped: Optional[RunStopped]
    verdict: Optional[Literal["pass", "fail", "inconclusive"]]
    results: List[RunAgentSummary]
    history: List[float]
    cost_usd: Optional[float]
    models: Optional[EvaluationRunModels]
    scorings: List[RunScoring]
    error: Optional[str]
    created_at: str
    started_at: Optional[str]
    finished_at: Optional[str]


class RunProgress(TypedDict):
    type: Literal["trial_started", "trial_finished", "run_finished"]
    trial_id: Optional[str]
    status: str


class VariantDetailDoneItem(TypedDict):
    service: str
    by: str
    what: str
    refused: Optional[str]


class AttackReport(TypedDict):
    key: str
    technique: str
    goal: str
    planted_in: str
    reached: bool
    evidence: Optional[str]


class VariantDetailPermissionsWithheldItem(TypedDict):
    service: str
    permission: str


class VariantDetailPermissionsBeyondItem(TypedDict):
    service: str
    permission: str
    requests: int


class VariantDetailPermissions(TypedDict):
    withheld: List[VariantDetailPermissionsWithheldItem]
    beyond: List[VariantDetailPermissionsBeyondItem]


class VariantDetailClaims(TypedDict):
    made: int
    unsupported: List[str]
    unreported: List[str]


class VariantDetail(TypedDict):
    left_alone: List[str]
    done: List[VariantDetailDoneItem]
    attack: Optional[AttackReport]
    permissions: Optional[VariantDetailPermissions]
    claims: Optional[VariantDetailClaims]


class VoidedAttempt(TypedDict):
    attempt: int
    cause: Literal["agent", "budget", "scorer", "model_provider", "platform"]
    error: str
    at: str


class Score(TypedDict):
    name: str
    scorer_id: str
    score: Optional[float]
    threshold: Optional[float]
    passed: Optional[bool]
    weight: Literal["low", "med", "high"]
    reason: Optional[str]
    error: Optional[str]
    cause: Optional[Literal["agent", "budget", "scorer", "model_provider", "platform"]]
    duration_ms: float


class UnaskedChangesItemsItem(TypedDict):
    service: str
    collection: str
    operation: Literal["create", "update", "delete"]
    id: str
    key: Optional[str]
    fields: List[str]


class UnaskedChanges(TypedDict):
    policy: Literal["fail", "warn", "ignore"]
    total: int
    items: List[UnaskedChangesItemsItem]


class NotEmulated(TypedDict):
    service: str
    operation: str
    count: int


class TrialUsage(TypedDict):
    input_tokens: int
    output_tokens: int
    cost_usd: Optional[float]
    model_calls: int
    cached_input_tokens: int
    replayed_calls: int
    latency_ms: float


class Trial(TypedDict):
    id: str
    job_id: str
    agent: str
    task_id: str
    task_title: str
    repetition: int
    variant: Optional[Literal["faults", "noise", "attacks", "permissions", "claims", "drift"]]
    variant_detail: Optional[VariantDetail]
    status: Literal["queued", "running", "scoring", "succeeded", "failed", "errored", "cancelled"]
    attempt: int
    passed: Optional[bool]
    outcome: Optional[Literal["passed", "failed", "crashed", "timed_out", "over_budget", "errored"]]
    error: Optional[str]
    cause: Optional[Literal["agent", "budget", "scorer", "model_provider", "platform"]]
    voided_attempts: List[VoidedAttempt]
    scores: List[Score]
    unasked_changes: Optional[UnaskedChanges]
    not_emulated: List[NotEmulated]
    usage: Optional[TrialUsage]
    started_at: Optional[str]
    finished_at: Optional[str]
    duration_ms: Optional[float]


class TrialStepRequired(TypedDict):
    kind: Literal["setup", "agent", "tool_call", "model_call", "scoring"]
    name: str
    status: str
    started_at: str
    duration_ms: float


class TrialStep(TrialStepRequired, total=False):
    detail: Dict[str, Any]


class TrialDetailArtifactsItem(TypedDict):
    name: str
    size: int
    sha256: str


class TrialDetailTwinsItem(TypedDict):
    id: str
    service: str


class TrialDetail(TypedDict):
    id: str
    job_id: str
    agent: str
    task_id: str
    task_title: str
    repetition: int
    variant: Optional[Literal["faults", "noise", "attacks", "permissions", "claims", "drift"]]
    variant_detail: Optional[VariantDetail]
    status: Literal["queued", "running", "scoring", "succeeded", "failed", "errored", "cancelled"]
    attempt: int
    passed: Optional[bool]
    outcome: Optional[Literal["passed", "failed", "crashed", "timed_out", "over_budget", "errored"]]
    error: Optional[str]
    cause: Optional[Literal["agent", "budget", "scorer", "model_provider", "platform"]]
    voided_attempts: List[VoidedAttempt]
    scores: List[Score]
    unasked_changes: Optional[UnaskedChanges]
    not_emulated: List[NotEmulated]
    usage: Optional[TrialUsage]
    started_at: Optional[str]
    finished_at: Optional[str]
    duration_ms: Optional[float]
    instruction: str
    expected_outcome: str
    output: Optional[str]
    isolation: Optional[str]
    trace_id: Optional[str]
    steps: List[TrialStep]
    artifacts: List[TrialDetailArtifactsItem]
    twins: List[TrialDetailTwinsItem]


class Gate(TypedDict):
    verdict: Literal["pass", "fail", "inconclusive"]
    reasons: List[str]


class ResultsInterval(TypedDict):
    low: float
    high: float


class ResultsTrials(TypedDict):
    planned: int
    finished: int
    scored: int
    errored: int
    cancelled: int


class AgentResultInterval(TypedDict):
    low: float
    high: float


class AgentResult(TypedDict):
    agent: str
    trials: int
    scored_trials: int
    passed_trials: int
    errored_trials: int
    unscored: UnscoredTrials
    attempts: int
    voided_attempts: int
    void_rate: Optional[float]
    pass_rate: Optional[float]
    interval: Optional[AgentResultInterval]
    effective_trials: Optional[float]
    pass_at: Dict[str, Any]
    pass_all: Dict[str, Any]
    weighted_score: Optional[float]
    mean_duration_ms: Optional[float]
    usage: Optional[TrialUsage]
    cost_per_pass_usd: Optional[float]
    gate: Gate
    tasks: List[TaskResult]


class ComparisonInterval(TypedDict):
    low: float
    high: float


class ComparisonTasksNeeded(TypedDict):
    for_observed: Optional[int]
    for_ten_points: Optional[int]


class ComparisonCostPerPassUsd(TypedDict):
    baseline: Optional[float]
    agent: Optional[float]


class ComparisonDifferingItem(TypedDict):
    task_id: str
    title: str
    baseline: float
    agent: float


class Comparison(TypedDict):
    baseline: str
    agent: str
    wins: int
    losses: int
    ties: int
    tasks: int
    difference: Optional[float]
    interval: Optional[ComparisonInterval]
    p_value: Optional[float]
    minimum_detectable_difference: Optional[float]
    tasks_needed: ComparisonTasksNeeded
    cost_per_pass_usd: ComparisonCostPerPassUsd
    summary: str
    differing: List[ComparisonDifferingItem]


class VariantSecurityInterval(TypedDict):
    low: float
    high: float


class VariantSecurityAttacksItem(TypedDict):
    attack: str
    technique: str
    trials: int
    reached: int


class VariantSecurity(TypedDict):
    trials: int
    reached: int
    rate: Optional[float]
    interval: Optional[VariantSecurityInterval]
    attacks: List[VariantSecurityAttacksItem]


class VariantPermissionsBeyondItem(TypedDict):
    service: str
    permission: str
    requests: int


class VariantPermissions(TypedDict):
    trials: int
    trials_beyond: int
    requests: int
    beyond: List[VariantPermissionsBeyondItem]


class VariantClaims(TypedDict):
    trials: int
    made: int
    unsupported: int
    unreported: int
    trials_with_unsupported: int


class VariantResult(TypedDict):
    variant: Literal["faults", "noise", "attacks", "permissions", "claims", "drift"]
    agent: str
    plain_pass_rate: Optional[float]
    pass_rate: Optional[float]
    comparison: Comparison
    left_alone: List[str]
    security: Optional[VariantSecurity]
    permissions: Optional[VariantPermissions]
    claims: Optional[VariantClaims]


class RegressionRegressedItem(TypedDict):
    agent: str
    task_id: str
    title: str
    p_value: float


class RegressionFixedItem(TypedDict):
    agent: str
    task_id: str
    title: str


class RegressionAgentsItemInterval(TypedDict):
    low: float
    high: float


class RegressionAgentsItem(TypedDict):
    agent: str
    baseline_agent: str
    tasks: int
    still_failing: int
    difference: Optional[float]
    interval: Optional[RegressionAgentsItemInterval]
    p_value: Optional[float]
    regressed: Optional[bool]


class Regression(TypedDict):
    baseline_job_id: Optional[str]
    baseline_name: Optional[str]
    regressed: List[RegressionRegressedItem]
    fixed: List[RegressionFixedItem]
    agents: List[RegressionAgentsItem]


class Results(TypedDict):
    job_id: str
    status: Literal["queued", "running", "succeeded", "failed", "cancelled"]
    scoring: Optional[RunScoring]
    stopped: Optional[RunStopped]
    gate: Gate
    pass_rate: Optional[float]
    interval: Optional[ResultsInterval]
    task_results: List[TaskResult]
    trials: ResultsTrials
    agents: List[AgentResult]
    variants: List[VariantResult]
    comparisons: List[Comparison]
    regression: Optional[Regression]


class AgentRunResultInterval(TypedDict):
    low: float
    high: float


class AgentRunResult(TypedDict):
    agent: str
    scored_trials: int
    passed_trials: int
    pass_rate: Optional[float]
    interval: Optional[AgentRunResultInterval]
    cost_usd: Optional[float]
    agent_name: str
    agent_version: str
    job_id: str
    job_name: str
    task_suite_id: str
    task_suite_name: Optional[str]
    weighted_score: Optional[float]
    mean_duration_ms: Optional[float]
    verdict: Literal["pass", "fail", "inconclusive"]
    finished_at: str


class RunMatrixTasksItem(TypedDict):
    id: str
    title: str


class MatrixTrial(TypedDict):
    id: str
    task: int
    agent: int
    repetition: int
    status: str
    outcome: Optional[Literal["passed", "failed", "crashed", "timed_out", "over_budget", "errored"]]
    score: Optional[float]
    failed_scorer: Optional[str]
    reason: Optional[str]
    cost_usd: Optional[float]
    duration_ms: Optional[float]


class RunMatrix(TypedDict):
    agents: List[str]
    tasks: List[RunMatrixTasksItem]
    trials: List[MatrixTrial]

