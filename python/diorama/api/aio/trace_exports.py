# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ...aio.calls import AsyncNamespace, AsyncPage
from ...aio.streams import AsyncStream
from ...transport import UNSET, Options
from ..trace_exports import TraceExport

__all__ = ["AsyncTraceExports"]


class AsyncTraceExports(AsyncNamespace):
    async def get(self, *, options: Optional[Options] = None) -> TraceExport:
        """Where finished trials are sent by OTLP, and how that goes.

        GET /v1/trace-export
        """
        answer: TraceExport = await self._call("readTraceExport", {}, {}, None, options)
        return answer

    async def put(
        self,
        *,
        endpoint: str,
        headers: Mapping[str, Any] = UNSET,
        include_content: bool = UNSET,
        options: Optional[Options] = None,
    ) -> TraceExport:
        """Send the traces and evaluation results of trials that end from now on to an OTLP receiver.

        PUT /v1/trace-export
        """
        answer: TraceExport = await self._call("putTraceExport", {}, {}, {"endpoint": endpoint, "headers": headers, "include_content": include_content}, options)
        return answer

    async def delete(self, *, options: Optional[Options] = None) -> None:
        """Send nothing any more; what still waits is dropped.

        DELETE /v1/trace-export
        """
        await self._call("deleteTraceExport", {}, {}, None, options)
