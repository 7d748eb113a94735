# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ...aio.calls import AsyncNamespace, AsyncPage
from ...aio.streams import AsyncStream
from ...transport import UNSET, Options
from ..health import HealthzReply, ReadyzReply

__all__ = ["AsyncHealth"]


class AsyncHealth(AsyncNamespace):
    async def live(self, *, options: Optional[Options] = None) -> HealthzReply:
        """The process lives.

        GET /healthz
        """
        answer: HealthzReply = await self._call("healthz", {}, {}, None, options)
        return answer

    async def ready(self, *, options: Optional[Options] = None) -> ReadyzReply:
        """The service takes requests; 503 while it starts or drains.

        GET /readyz
        """
        answer: ReadyzReply = await self._call("readyz", {}, {}, None, options)
        return answer

    async def metrics(self, *, options: Optional[Options] = None) -> str:
        """Prometheus text.

        GET /metrics
        """
        answer: str = await self._call("metrics", {}, {}, None, options)
        return answer

    async def openapi(self, *, options: Optional[Options] = None) -> Dict[str, Any]:
        """This reference, as OpenAPI 3.1.

        GET /openapi.json
        """
        answer: Dict[str, Any] = await self._call("openapi", {}, {}, None, options)
        return answer

    async def docs(self, *, options: Optional[Options] = None) -> str:
        """This reference, as a page.

        GET /docs
        """
        answer: str = await self._call("docs", {}, {}, None, options)
        return answer
