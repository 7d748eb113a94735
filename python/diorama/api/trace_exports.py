# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ..calls import Namespace, Page
from ..streams import Stream
from ..transport import UNSET, Options

__all__ = [
    "TraceExports",
    "TraceExport",
]


class TraceExport(TypedDict):
    endpoint: str
    header_names: List[str]
    include_content: bool
    waiting: int
    dropped: int
    last_error: Optional[str]
    last_sent_at: Optional[str]
    created_at: str
    updated_at: str


class TraceExports(Namespace):
    def get(self, *, options: Optional[Options] = None) -> TraceExport:
        """Where finished trials are sent by OTLP, and how that goes.

        GET /v1/trace-export
        """
        answer: TraceExport = self._call("readTraceExport", {}, {}, None, options)
        return answer

    def put(
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
        answer: TraceExport = self._call("putTraceExport", {}, {}, {"endpoint": endpoint, "headers": headers, "include_content": include_content}, options)
        return answer

    def delete(self, *, options: Optional[Options] = None) -> None:
        """Send nothing any more; what still waits is dropped.

        DELETE /v1/trace-export
        """
        self._call("deleteTraceExport", {}, {}, None, options)
