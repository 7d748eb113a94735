# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ...aio.calls import AsyncNamespace, AsyncPage
from ...aio.streams import AsyncStream
from ...transport import UNSET, Options
from ..me import MeRecord

__all__ = ["AsyncMe"]


class AsyncMe(AsyncNamespace):
    async def get(self, *, options: Optional[Options] = None) -> MeRecord:
        """The key's organization, class and scopes; limits and what is in use.

        GET /v1/me
        """
        answer: MeRecord = await self._call("readMe", {}, {}, None, options)
        return answer
