# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ..calls import Namespace, Page
from ..streams import Stream
from ..transport import UNSET, Options

__all__ = [
    "Health",
    "HealthzReply",
    "ReadyzReply",
]


class HealthzReply(TypedDict):
    status: Literal["ok"]


class ReadyzReply(TypedDict):
    status: Literal["ready"]
    version: str


class Health(Namespace):
    def live(self, *, options: Optional[Options] = None) -> HealthzReply:
        """The process lives.

        GET /healthz
        """
        answer: HealthzReply = self._call("healthz", {}, {}, None, options)
        return answer

    def ready(self, *, options: Optional[Options] = None) -> ReadyzReply:
        """The service takes requests; 503 while it starts or drains.

        GET /readyz
        """
        answer: ReadyzReply = self._call("readyz", {}, {}, None, options)
        return answer

    def metrics(self, *, options: Optional[Options] = None) -> str:
        """Prometheus text.

        GET /metrics
        """
        answer: str = self._call("metrics", {}, {}, None, options)
        return answer

    def openapi(self, *, options: Optional[Options] = None) -> Dict[str, Any]:
        """This reference, as OpenAPI 3.1.

        GET /openapi.json
        """
        answer: Dict[str, Any] = self._call("openapi", {}, {}, None, options)
        return answer

    def docs(self, *, options: Optional[Options] = None) -> str:
        """This reference, as a page.

        GET /docs
        """
        answer: str = self._call("docs", {}, {}, None, options)
        return answer
