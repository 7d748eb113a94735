# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ..calls import Namespace, Page
from ..streams import Stream
from ..transport import UNSET, Options
from .events import Signal

__all__ = [
    "Signals",
]


class Signals(Namespace):
    def track(
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
        answer: Signal = self._call("trackSignal", {}, {}, {"event_id": event_id, "signal_name": signal_name, "properties": properties}, options)
        return answer

    def list(
        self,
        *,
        event_id: str = UNSET,
        signal_name: str = UNSET,
        limit: int = UNSET,
        cursor: str = UNSET,
        options: Optional[Options] = None,
    ) -> Page[Signal]:
        """List signals, newest first.

        GET /v1/signals
        """
        answer: Page[Signal] = self._call("listSignals", {}, {"event_id": event_id, "signal_name": signal_name, "limit": limit, "cursor": cursor}, None, options)
        return answer
