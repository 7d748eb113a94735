# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import Any, Dict, Iterator, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ..calls import Namespace, Page
from ..transport import UNSET, Options
from .suites import TaskResult, UnscoredTrials

__all__ = ["Evaluations"]


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
    task_suite_version_id: str
    agents: List[str]
    concurrency: int
    trials_per_task: int
    completed_trials: int
    total_trials: int
    counts: Dict[str, Any]
    isolation: Optional[str]
    baseline_job_id: Optional[str]
    stopped: Optional[RunStopped]
    scorings: List[RunScoring]
    error: Optional[str]
    created_at: str
    started_at: Optional[str]
    finished_at: Optional[str]


class VoidedAttempt(TypedDict):
    attempt: int
    cause: Literal["agent", "scorer", "model_provider", "platform"]
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
    cause: Optional[Literal["agent", "scorer", "model_provider", "platform"]]
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


class TrialUsage(TypedDict):
    input_tokens: int
    output_tokens: int
    cost_usd: Optional[float]
    model_calls: int


class Trial(TypedDict):
    id: str
    job_id: str
    agent: str
    task_id: str
    task_title: str
    repetition: int
    status: Literal["queued", "running", "scoring", "succeeded", "failed", "errored", "cancelled"]
    attempt: int
    passed: Optional[bool]
    error: Optional[str]
    cause: Optional[Literal["agent", "scorer", "model_provider", "platform"]]
    voided_attempts: List[VoidedAttempt]
    scores: List[Score]
    unasked_changes: Optional[UnaskedChanges]
    usage: Optional[TrialUsage]
    started_at: Optional[str]
    finished_at: Optional[str]
    duration_ms: Optional[float]


class TrialDetailUsage(TypedDict):
    input_tokens: int
    output_tokens: int
    cost_usd: Optional[float]
    model_calls: int


class TrialStepRequired(TypedDict):
    kind: Literal["setup", "agent", "tool_call", "scoring"]
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
    status: Literal["queued", "running", "scoring", "succeeded", "failed", "errored", "cancelled"]
    attempt: int
    passed: Optional[bool]
    error: Optional[str]
    cause: Optional[Literal["agent", "scorer", "model_provider", "platform"]]
    voided_attempts: List[VoidedAttempt]
    scores: List[Score]
    unasked_changes: Optional[UnaskedChanges]
    usage: Optional[TrialDetailUsage]
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


class AgentResultUsage(TypedDict):
    input_tokens: int
    output_tokens: int
    cost_usd: Optional[float]
    model_calls: int


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
    usage: Optional[AgentResultUsage]
    gate: Gate
    tasks: List[TaskResult]


class ComparisonInterval(TypedDict):
    low: float
    high: float


class ComparisonTasksNeeded(TypedDict):
    for_observed: Optional[int]
    for_ten_points: Optional[int]


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
    summary: str
    differing: List[ComparisonDifferingItem]


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
    comparisons: List[Comparison]
    regression: Optional[Regression]


class Evaluations(Namespace):
    def start(
        self,
        *,
        task_suite_id: str,
        agents: Sequence[str],
        idempotency_key: Optional[str] = UNSET,
        name: Optional[str] = UNSET,
        mode: Literal["suite", "compare", "regression", "replay"] = UNSET,
        concurrency: int = UNSET,
        tasks: Optional[Sequence[str]] = UNSET,
        scorers: Sequence[str] = UNSET,
        environment_version_id: Optional[str] = UNSET,
        trials_per_task: int = UNSET,
        baseline_job_id: Optional[str] = UNSET,
        sequential: Optional[Mapping[str, Any]] = UNSET,
        options: Optional[Options] = None,
    ) -> EvaluationRun:
        """Start a run: agents × tasks, each trial in a fresh copy of the world.

        POST /v1/backtests/jobs
        """
        return self._call("startJob", {}, {}, {"task_suite_id": task_suite_id, "agents": agents, "idempotency_key": idempotency_key, "name": name, "mode": mode, "concurrency": concurrency, "tasks": tasks, "scorers": scorers, "environment_version_id": environment_version_id, "trials_per_task": trials_per_task, "baseline_job_id": baseline_job_id, "sequential": sequential}, options)

    def list(
        self,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        task_suite_id: str = UNSET,
        status: Literal["queued", "running", "succeeded", "failed", "cancelled"] = UNSET,
        options: Optional[Options] = None,
    ) -> Page[EvaluationRun]:
        """List runs, newest first.

        GET /v1/backtests/jobs
        """
        return self._call("listJobs", {}, {"limit": limit, "cursor": cursor, "task_suite_id": task_suite_id, "status": status}, None, options)

    def get(self, job_id: str, *, options: Optional[Options] = None) -> EvaluationRun:
        """Read status and progress.

        GET /v1/backtests/jobs/{jobId}
        """
        return self._call("readJob", {"jobId": job_id}, {}, None, options)

    def stream(self, job_id: str, *, after: str = UNSET, options: Optional[Options] = None) -> Iterator[Dict[str, Any]]:
        """Progress as server-sent events; ends after run_finished.

        GET /v1/backtests/jobs/{jobId}/stream
        """
        return self._call("streamJob", {"jobId": job_id}, {"after": after}, None, options)

    def cancel(self, job_id: str, *, options: Optional[Options] = None) -> EvaluationRun:
        """Stop queued trials; those that run are finished and kept.

        POST /v1/backtests/jobs/{jobId}/cancel
        """
        return self._call("cancelJob", {"jobId": job_id}, {}, None, options)

    def list_trials(
        self,
        job_id: str,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        agent: str = UNSET,
        task_id: str = UNSET,
        status: Literal["queued", "running", "scoring", "succeeded", "failed", "errored", "cancelled"] = UNSET,
        options: Optional[Options] = None,
    ) -> Page[Trial]:
        """Every trial with its scores, in the order of the run.

        GET /v1/backtests/jobs/{jobId}/trials
        """
        return self._call("listTrials", {"jobId": job_id}, {"limit": limit, "cursor": cursor, "agent": agent, "task_id": task_id, "status": status}, None, options)

    def get_trial(self, job_id: str, trial_id: str, *, options: Optional[Options] = None) -> TrialDetail:
        """One trial with the instruction it received, its steps and artifacts.

        GET /v1/backtests/jobs/{jobId}/trials/{trialId}
        """
        return self._call("readTrial", {"jobId": job_id, "trialId": trial_id}, {}, None, options)

    def get_artifact(self, job_id: str, trial_id: str, name: str, *, options: Optional[Options] = None) -> bytes:
        """One artifact's bytes. Slashes of its name are written %2F.

        GET /v1/backtests/jobs/{jobId}/trials/{trialId}/artifacts/{name}
        """
        return self._call("readArtifact", {"jobId": job_id, "trialId": trial_id, "name": name}, {}, None, options)

    def results(self, job_id: str, *, scoring_id: str = UNSET, options: Optional[Options] = None) -> Results:
        """Pass rate, task results and statistics, of the grading made when the trials ran or of a later one.

        GET /v1/backtests/jobs/{jobId}/results
        """
        return self._call("readResults", {"jobId": job_id}, {"scoring_id": scoring_id}, None, options)

    def junit(self, job_id: str, *, scoring_id: str = UNSET, options: Optional[Options] = None) -> str:
        """The results as JUnit XML, for CI.

        GET /v1/backtests/jobs/{jobId}/results.junit.xml
        """
        return self._call("readJunit", {"jobId": job_id}, {"scoring_id": scoring_id}, None, options)

    def trajectory(self, job_id: str, trial_id: str, *, options: Optional[Options] = None) -> bytes:
        """The trial as an ATIF 1.7 trajectory: instruction, requests to the services as tool calls, answer.

        GET /v1/backtests/jobs/{jobId}/trials/{trialId}/trajectory
        """
        return self._call("readTrajectory", {"jobId": job_id, "trialId": trial_id}, {}, None, options)

    def inspect_log(self, job_id: str, *, agent: str = UNSET, options: Optional[Options] = None) -> bytes:
        """One agent's trials as an Inspect log (version 2), which Inspect View opens.

        GET /v1/backtests/jobs/{jobId}/inspect.json
        """
        return self._call("readInspectLog", {"jobId": job_id}, {"agent": agent}, None, options)

    def csv(self, job_id: str, *, options: Optional[Options] = None) -> str:
        """One row for each trial and scorer, as CSV.

        GET /v1/backtests/jobs/{jobId}/results.csv
        """
        return self._call("readResultsCsv", {"jobId": job_id}, {}, None, options)

    def jsonl(self, job_id: str, *, options: Optional[Options] = None) -> bytes:
        """One trial with its scores on each line, as JSON Lines.

        GET /v1/backtests/jobs/{jobId}/results.jsonl
        """
        return self._call("readResultsJsonl", {"jobId": job_id}, {}, None, options)

    def markdown(self, job_id: str, *, options: Optional[Options] = None) -> str:
        """The results as Markdown, for a pull request or a job summary.

        GET /v1/backtests/jobs/{jobId}/results.md
        """
        return self._call("readResultsMarkdown", {"jobId": job_id}, {}, None, options)

    def rescore(
        self,
        job_id: str,
        *,
        scorers: Optional[Sequence[str]] = UNSET,
        label: Optional[str] = UNSET,
        options: Optional[Options] = None,
    ) -> EvaluationRun:
        """Grade a finished run again, with other scorers if named, without running the agent. The new grading stands beside the old one.

        POST /v1/backtests/jobs/{jobId}/rescore
        """
        return self._call("rescoreJob", {"jobId": job_id}, {}, {"scorers": scorers, "label": label}, options)
