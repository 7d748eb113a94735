# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ..calls import Namespace, Page
from ..streams import Stream
from ..transport import UNSET, Options
from .worlds import WorldResponse
from .evaluations_types import (
    RunStoppedEvidence,
    RunStopped,
    RunAgentSummaryInterval,
    RunAgentSummary,
    EvaluationRunModels,
    RunScoringScorersItem,
    RunScoring,
    EvaluationRun,
    RunProgress,
    VariantDetailDoneItem,
    AttackReport,
    VariantDetailPermissionsWithheldItem,
    VariantDetailPermissionsBeyondItem,
    VariantDetailPermissions,
    VariantDetailClaims,
    VariantDetail,
    VoidedAttempt,
    Score,
    UnaskedChangesItemsItem,
    UnaskedChanges,
    NotEmulated,
    TrialUsage,
    Trial,
    TrialStepRequired,
    TrialStep,
    TrialDetailArtifactsItem,
    TrialDetailTwinsItem,
    TrialDetail,
    Gate,
    ResultsInterval,
    ResultsTrials,
    AgentResultInterval,
    AgentResult,
    ComparisonInterval,
    ComparisonTasksNeeded,
    ComparisonCostPerPassUsd,
    ComparisonDifferingItem,
    Comparison,
    VariantSecurityInterval,
    VariantSecurityAttacksItem,
    VariantSecurity,
    VariantPermissionsBeyondItem,
    VariantPermissions,
    VariantClaims,
    VariantResult,
    RegressionRegressedItem,
    RegressionFixedItem,
    RegressionAgentsItemInterval,
    RegressionAgentsItem,
    Regression,
    Results,
    AgentRunResultInterval,
    AgentRunResult,
    RunMatrixTasksItem,
    MatrixTrial,
    RunMatrix,
)

__all__ = [
    "Evaluations",
    "RunStoppedEvidence",
    "RunStopped",
    "RunAgentSummaryInterval",
    "RunAgentSummary",
    "EvaluationRunModels",
    "RunScoringScorersItem",
    "RunScoring",
    "EvaluationRun",
    "RunProgress",
    "VariantDetailDoneItem",
    "AttackReport",
    "VariantDetailPermissionsWithheldItem",
    "VariantDetailPermissionsBeyondItem",
    "VariantDetailPermissions",
    "VariantDetailClaims",
    "VariantDetail",
    "VoidedAttempt",
    "Score",
    "UnaskedChangesItemsItem",
    "UnaskedChanges",
    "NotEmulated",
    "TrialUsage",
    "Trial",
    "TrialStepRequired",
    "TrialStep",
    "TrialDetailArtifactsItem",
    "TrialDetailTwinsItem",
    "TrialDetail",
    "Gate",
    "ResultsInterval",
    "ResultsTrials",
    "AgentResultInterval",
    "AgentResult",
    "ComparisonInterval",
    "ComparisonTasksNeeded",
    "ComparisonCostPerPassUsd",
    "ComparisonDifferingItem",
    "Comparison",
    "VariantSecurityInterval",
    "VariantSecurityAttacksItem",
    "VariantSecurity",
    "VariantPermissionsBeyondItem",
    "VariantPermissions",
    "VariantClaims",
    "VariantResult",
    "RegressionRegressedItem",
    "RegressionFixedItem",
    "RegressionAgentsItemInterval",
    "RegressionAgentsItem",
    "Regression",
    "Results",
    "AgentRunResultInterval",
    "AgentRunResult",
    "RunMatrixTasksItem",
    "MatrixTrial",
    "RunMatrix",
]


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
        variants: Sequence[Literal["faults", "noise", "attacks", "permissions", "claims", "drift"]] = UNSET,
        sequential: Optional[Mapping[str, Any]] = UNSET,
        models: Optional[Mapping[str, Any]] = UNSET,
        options: Optional[Options] = None,
    ) -> EvaluationRun:
        """Start an evaluation: agents × tasks, each trial in a fresh copy of the world.

        POST /v1/backtests/jobs
        """
        answer: EvaluationRun = self._call("startJob", {}, {}, {"task_suite_id": task_suite_id, "agents": agents, "idempotency_key": idempotency_key, "name": name, "mode": mode, "concurrency": concurrency, "tasks": tasks, "scorers": scorers, "environment_version_id": environment_version_id, "trials_per_task": trials_per_task, "baseline_job_id": baseline_job_id, "variants": variants, "sequential": sequential, "models": models}, options)
        return answer

    def list(
        self,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        task_suite_id: str = UNSET,
        status: Literal["queued", "running", "succeeded", "failed", "cancelled"] = UNSET,
        verdict: Literal["pass", "fail", "inconclusive"] = UNSET,
        agent: str = UNSET,
        since: str = UNSET,
        options: Optional[Options] = None,
    ) -> Page[EvaluationRun]:
        """List evaluations, newest first.

        GET /v1/backtests/jobs
        """
        answer: Page[EvaluationRun] = self._call("listJobs", {}, {"limit": limit, "cursor": cursor, "task_suite_id": task_suite_id, "status": status, "verdict": verdict, "agent": agent, "since": since}, None, options)
        return answer

    def get(self, job_id: str, *, options: Optional[Options] = None) -> EvaluationRun:
        """Read status and progress.

        GET /v1/backtests/jobs/{jobId}
        """
        answer: EvaluationRun = self._call("readJob", {"jobId": job_id}, {}, None, options)
        return answer

    def stream(self, job_id: str, *, after: str = UNSET, options: Optional[Options] = None) -> Stream[RunProgress]:
        """Progress as server-sent events; ends after run_finished.

        GET /v1/backtests/jobs/{jobId}/stream
        """
        answer: Stream[RunProgress] = self._call("streamJob", {"jobId": job_id}, {"after": after}, None, options)
        return answer

    def cancel(self, job_id: str, *, options: Optional[Options] = None) -> EvaluationRun:
        """Stop queued trials; those that run are finished and kept.

        POST /v1/backtests/jobs/{jobId}/cancel
        """
        answer: EvaluationRun = self._call("cancelJob", {"jobId": job_id}, {}, None, options)
        return answer

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
        """Every trial with its scores, in the order of the evaluation.

        GET /v1/backtests/jobs/{jobId}/trials
        """
        answer: Page[Trial] = self._call("listTrials", {"jobId": job_id}, {"limit": limit, "cursor": cursor, "agent": agent, "task_id": task_id, "status": status}, None, options)
        return answer

    def branch_trial(
        self,
        job_id: str,
        trial_id: str,
        *,
        at: str,
        name: str = UNSET,
        ttl_hours: Optional[int] = UNSET,
        options: Optional[Options] = None,
    ) -> WorldResponse:
        """Start a world as a trial's copy of it was after one of the agent's requests, to try another reply from there.

        POST /v1/backtests/jobs/{jobId}/trials/{trialId}/branch
        """
        answer: WorldResponse = self._call("branchTrial", {"jobId": job_id, "trialId": trial_id}, {}, {"at": at, "name": name, "ttlHours": ttl_hours}, options)
        return answer

    def get_trial(self, job_id: str, trial_id: str, *, options: Optional[Options] = None) -> TrialDetail:
        """One trial with the instruction it received, its steps and artifacts.

        GET /v1/backtests/jobs/{jobId}/trials/{trialId}
        """
        answer: TrialDetail = self._call("readTrial", {"jobId": job_id, "trialId": trial_id}, {}, None, options)
        return answer

    def get_artifact(self, job_id: str, trial_id: str, name: str, *, options: Optional[Options] = None) -> bytes:
        """One artifact's bytes. Slashes of its name are written %2F.

        GET /v1/backtests/jobs/{jobId}/trials/{trialId}/artifacts/{name}
        """
        answer: bytes = self._call("readArtifact", {"jobId": job_id, "trialId": trial_id, "name": name}, {}, None, options)
        return answer

    def results(self, job_id: str, *, scoring_id: str = UNSET, options: Optional[Options] = None) -> Results:
        """Pass rate, task results and statistics, by the scores given when the trials ran or by a later rescoring.

        GET /v1/backtests/jobs/{jobId}/results
        """
        answer: Results = self._call("readResults", {"jobId": job_id}, {"scoring_id": scoring_id}, None, options)
        return answer

    def junit(self, job_id: str, *, scoring_id: str = UNSET, options: Optional[Options] = None) -> str:
        """The results as JUnit XML, for CI.

        GET /v1/backtests/jobs/{jobId}/results.junit.xml
        """
        answer: str = self._call("readJunit", {"jobId": job_id}, {"scoring_id": scoring_id}, None, options)
        return answer

    def trajectory(self, job_id: str, trial_id: str, *, options: Optional[Options] = None) -> bytes:
        """The trial as an ATIF 1.7 trajectory: instruction, model calls, requests to the services as tool calls, answer.

        GET /v1/backtests/jobs/{jobId}/trials/{trialId}/trajectory
        """
        answer: bytes = self._call("readTrajectory", {"jobId": job_id, "trialId": trial_id}, {}, None, options)
        return answer

    def inspect_log(self, job_id: str, *, agent: str = UNSET, options: Optional[Options] = None) -> bytes:
        """One agent's trials as an Inspect log (version 2), which Inspect View opens.

        GET /v1/backtests/jobs/{jobId}/inspect.json
        """
        answer: bytes = self._call("readInspectLog", {"jobId": job_id}, {"agent": agent}, None, options)
        return answer

    def inspect_eval(self, job_id: str, *, agent: str = UNSET, options: Optional[Options] = None) -> bytes:
        """One agent's trials as an Inspect log in the packed .eval form.

        GET /v1/backtests/jobs/{jobId}/inspect.eval
        """
        answer: bytes = self._call("readInspectEval", {"jobId": job_id}, {"agent": agent}, None, options)
        return answer

    def csv(self, job_id: str, *, options: Optional[Options] = None) -> str:
        """One row for each trial and scorer, as CSV.

        GET /v1/backtests/jobs/{jobId}/results.csv
        """
        answer: str = self._call("readResultsCsv", {"jobId": job_id}, {}, None, options)
        return answer

    def jsonl(self, job_id: str, *, options: Optional[Options] = None) -> bytes:
        """One trial with its scores on each line, as JSON Lines.

        GET /v1/backtests/jobs/{jobId}/results.jsonl
        """
        answer: bytes = self._call("readResultsJsonl", {"jobId": job_id}, {}, None, options)
        return answer

    def markdown(self, job_id: str, *, options: Optional[Options] = None) -> str:
        """The results as Markdown, for a pull request or a job summary.

        GET /v1/backtests/jobs/{jobId}/results.md
        """
        answer: str = self._call("readResultsMarkdown", {"jobId": job_id}, {}, None, options)
        return answer

    def rescore(
        self,
        job_id: str,
        *,
        scorers: Optional[Sequence[str]] = UNSET,
        label: Optional[str] = UNSET,
        options: Optional[Options] = None,
    ) -> EvaluationRun:
        """Rescore a finished evaluation, with other scorers if named, without running the agent. The earlier scores are kept.

        POST /v1/backtests/jobs/{jobId}/rescore
        """
        answer: EvaluationRun = self._call("rescoreJob", {"jobId": job_id}, {}, {"scorers": scorers, "label": label}, options)
        return answer

    def agent_results(
        self,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        agent: str = UNSET,
        task_suite_id: str = UNSET,
        latest: Literal["0", "1", "true", "false"] = UNSET,
        options: Optional[Options] = None,
    ) -> Page[AgentRunResult]:
        """The result of each agent in each finished evaluation, newest first: pass rates by suite and version.

        GET /v1/backtests/agent-results
        """
        answer: Page[AgentRunResult] = self._call("listAgentResults", {}, {"limit": limit, "cursor": cursor, "agent": agent, "task_suite_id": task_suite_id, "latest": latest}, None, options)
        return answer

    def matrix(self, job_id: str, *, first_tasks: int = UNSET, options: Optional[Options] = None) -> RunMatrix:
        """Every trial of an evaluation in one reply, by task and agent: how it ended, its score, and why.

        GET /v1/backtests/jobs/{jobId}/matrix
        """
        answer: RunMatrix = self._call("readMatrix", {"jobId": job_id}, {"first_tasks": first_tasks}, None, options)
        return answer
