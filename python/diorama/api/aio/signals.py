# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ...aio.calls import AsyncNamespace, AsyncPage
from ...aio.streams import AsyncStream
from ...transport import UNSET, Options
from ..events import Signal

__all__ = ["AsyncSignals"]


class AsyncSignals(AsyncNamespace):
    async def track(
        self,
        *,
        event_id: str,
        signal_name: str,
        properties: Mapping[str, Any] = UNSET,
        options: Optional[Options] = None,
    ) -> Signal:
        """Attach an observation to an event.

        POST /v1/signals/track
        """
        answer: Signal = await self._call("trackSignal", {}, {}, {"event_id": event_id, "signal_name": signal_name, "properties": properties}, options)
        return answer

    async def list(
        self,
        *,
        event_id: str = UNSET,
        signal_name: str = UNSET,
        limit: int = UNSET,
        cursor: str = UNSET,
        options: Optional[Options] = None,
    ) -> AsyncPage[Signal]:
        """List signals, newest first.

        GET /v1/signals
        """
        answer: AsyncPage[Signal] = await self._call("listSignals", {}, {"event_id": event_id, "signal_name": signal_name, "limit": limit, "cursor": cursor}, None, options)
        return answer
