# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ..calls import Namespace, Page
from ..streams import Stream
from ..transport import UNSET, Options

__all__ = [
    "Traces",
    "TrackTraceReplyItemsItem",
    "TrackTraceReply",
    "TraceSummaryTotals",
    "TraceSummaryTrial",
    "TraceSummary",
    "TraceTotals",
    "TraceTrial",
    "GenAi",
    "Span",
    "Trace",
]


class TrackTraceReplyItemsItem(TypedDict):
    id: str
    span_id: str


class TrackTraceReply(TypedDict):
    trace_id: str
    items: List[TrackTraceReplyItemsItem]


class TraceSummaryTotals(TypedDict):
    spans: int
    errors: int
    model_calls: int
    tool_calls: int
    input_tokens: float
    output_tokens: float
    cost_usd: Optional[float]


class TraceSummaryTrial(TypedDict):
    trial_id: str
    job_id: Optional[str]
    task_id: Optional[str]
    task_title: Optional[str]


class TraceSummary(TypedDict):
    trace_id: str
    name: str
    status: Literal["ok", "error", "unset"]
    started_at: str
    ended_at: Optional[str]
    duration_ms: Optional[float]
    source: Optional[str]
    agent_name: Optional[str]
    agent_version: Optional[str]
    totals: TraceSummaryTotals
    models: List[str]
    trial: Optional[TraceSummaryTrial]
    updated_at: str


class TraceTotals(TypedDict):
    spans: int
    errors: int
    model_calls: int
    tool_calls: int
    input_tokens: float
    output_tokens: float
    cost_usd: Optional[float]


class TraceTrial(TypedDict):
    trial_id: str
    job_id: Optional[str]
    task_id: Optional[str]
    task_title: Optional[str]


class GenAi(TypedDict):
    operation: Optional[str]
    provider: Optional[str]
    model: Optional[str]
    agent_name: Optional[str]
    agent_version: Optional[str]
    conversation_id: Optional[str]
    tool_name: Optional[str]
    tool_call_id: Optional[str]
    tool_arguments: Any
    tool_result: Any
    input_tokens: Optional[float]
    output_tokens: Optional[float]
    cache_read_tokens: Optional[float]
    cache_creation_tokens: Optional[float]
    reasoning_tokens: Optional[float]
    cost_usd: Optional[float]
    input: Any
    output: Any


class Span(TypedDict):
    id: str
    span_id: str
    parent_span_id: Optional[str]
    name: str
    kind: Optional[str]
    status: Optional[str]
    status_message: Optional[str]
    started_at: str
    ended_at: Optional[str]
    duration_ms: Optional[float]
    attributes: Dict[str, Any]
    entities: Dict[str, Any]
    gen_ai: Optional[GenAi]
    otlp: Optional[Dict[str, Any]]
    depth: int
    child_span_ids: List[str]
    parent_missing: bool


class Trace(TypedDict):
    trace_id: str
    name: str
    status: Literal["ok", "error", "unset"]
    started_at: str
    ended_at: Optional[str]
    duration_ms: Optional[float]
    source: Optional[str]
    agent_name: Optional[str]
    agent_version: Optional[str]
    totals: TraceTotals
    models: List[str]
    trial: Optional[TraceTrial]
    updated_at: str
    attributes: Dict[str, Any]
    root_span_ids: List[str]
    spans: List[Span]
    truncated: bool


class Traces(Namespace):
    def track(
        self,
        *,
        trace_id: Optional[str] = UNSET,
        name: Optional[str] = UNSET,
        attributes: Optional[Mapping[str, Any]] = UNSET,
        spans: Sequence[Mapping[str, Any]] = UNSET,
        options: Optional[Options] = None,
    ) -> TrackTraceReply:
        """Record a trace or more spans of one; they may come in any order and in several calls.

        POST /v1/traces/track
        """
        answer: TrackTraceReply = self._call("trackTrace", {}, {}, {"trace_id": trace_id, "name": name, "attributes": attributes, "spans": spans}, options)
        return answer

    def export(self, data: bytes, *, options: Optional[Options] = None) -> Any:
        """OTLP/HTTP: ExportTraceServiceRequest in protobuf or JSON, answered in the same encoding.

        POST /v1/traces
        """
        answer: Any = self._call("exportTraces", {}, {}, data, options)
        return answer

    def list(
        self,
        *,
        agent: str = UNSET,
        task: str = UNSET,
        status: Literal["ok", "error", "unset"] = UNSET,
        min_duration_ms: int = UNSET,
        max_duration_ms: int = UNSET,
        attribute: str = UNSET,
        q: str = UNSET,
        since: str = UNSET,
        limit: int = UNSET,
        cursor: str = UNSET,
        options: Optional[Options] = None,
    ) -> Page[TraceSummary]:
        """List traces, newest first.

        GET /v1/traces
        """
        answer: Page[TraceSummary] = self._call("listTraces", {}, {"agent": agent, "task": task, "status": status, "min_duration_ms": min_duration_ms, "max_duration_ms": max_duration_ms, "attribute": attribute, "q": q, "since": since, "limit": limit, "cursor": cursor}, None, options)
        return answer

    def get(self, trace_id: str, *, options: Optional[Options] = None) -> Trace:
        """Read a trace: its spans as a tree, with totals.

        GET /v1/traces/{traceId}
        """
        answer: Trace = self._call("readTrace", {"traceId": trace_id}, {}, None, options)
        return answer
