# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, Iterator, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ..calls import Namespace, Page
from ..transport import UNSET, Options

__all__ = ["Health"]


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
        return self._call("healthz", {}, {}, None, options)

    def ready(self, *, options: Optional[Options] = None) -> ReadyzReply:
        """The service takes requests; 503 while it starts or drains.

        GET /readyz
        """
        return self._call("readyz", {}, {}, None, options)

    def metrics(self, *, options: Optional[Options] = None) -> str:
        """Prometheus text.

        GET /metrics
        """
        return self._call("metrics", {}, {}, None, options)

    def openapi(self, *, options: Optional[Options] = None) -> Dict[str, Any]:
        """This reference, as OpenAPI 3.1.

        GET /openapi.json
        """
        return self._call("openapi", {}, {}, None, options)

    def docs(self, *, options: Optional[Options] = None) -> str:
        """This reference, as a page.

        GET /docs
        """
        return self._call("docs", {}, {}, None, options)
