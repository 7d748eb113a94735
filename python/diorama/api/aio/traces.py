# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ...aio.calls import AsyncNamespace, AsyncPage
from ...aio.streams import AsyncStream
from ...transport import UNSET, Options
from ..traces import Trace, TraceSummary, TrackTraceReply

__all__ = ["AsyncTraces"]


class AsyncTraces(AsyncNamespace):
    async def track(
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
        answer: TrackTraceReply = await self._call("trackTrace", {}, {}, {"trace_id": trace_id, "name": name, "attributes": attributes, "spans": spans}, options)
        return answer

    async def export(self, data: bytes, *, options: Optional[Options] = None) -> Any:
        """OTLP/HTTP: ExportTraceServiceRequest in protobuf or JSON, answered in the same encoding.

        POST /v1/traces
        """
        answer: Any = await self._call("exportTraces", {}, {}, data, options)
        return answer

    async def list(
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
    ) -> AsyncPage[TraceSummary]:
        """List traces, newest first.

        GET /v1/traces
        """
        answer: AsyncPage[TraceSummary] = await self._call("listTraces", {}, {"agent": agent, "task": task, "status": status, "min_duration_ms": min_duration_ms, "max_duration_ms": max_duration_ms, "attribute": attribute, "q": q, "since": since, "limit": limit, "cursor": cursor}, None, options)
        return answer

    async def get(self, trace_id: str, *, options: Optional[Options] = None) -> Trace:
        """Read a trace: its spans as a tree, with totals.

        GET /v1/traces/{traceId}
        """
        answer: Trace = await self._call("readTrace", {"traceId": trace_id}, {}, None, options)
        return answer
