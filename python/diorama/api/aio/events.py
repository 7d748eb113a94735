# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ...aio.calls import AsyncNamespace, AsyncPage
from ...aio.streams import AsyncStream
from ...transport import UNSET, Options
from ..events import CreateEventsReply, Event, Happening, SearchReply

__all__ = ["AsyncEvents"]


class AsyncEvents(AsyncNamespace):
    async def create(
        self,
        *,
        source: str,
        topic: str,
        event_type: str,
        entities: Mapping[str, Any] = UNSET,
        payload: Mapping[str, Any] = UNSET,
        timestamp: Optional[str] = UNSET,
        options: Optional[Options] = None,
    ) -> Event:
        """Record one event.

        POST /v1/events
        """
        answer: Event = await self._call("createEvent", {}, {}, {"source": source, "topic": topic, "event_type": event_type, "entities": entities, "payload": payload, "timestamp": timestamp}, options)
        return answer

    async def create_many(self, items: Sequence[Mapping[str, Any]], *, options: Optional[Options] = None) -> CreateEventsReply:
        """Record up to 1,000 events, all or none.

        POST /v1/events/batch
        """
        answer: CreateEventsReply = await self._call("createEvents", {}, {}, list(items), options)
        return answer

    async def list(
        self,
        *,
        source: str = UNSET,
        topic: str = UNSET,
        event_type: str = UNSET,
        entity_type: str = UNSET,
        entity_id: str = UNSET,
        since: str = UNSET,
        limit: int = UNSET,
        cursor: str = UNSET,
        options: Optional[Options] = None,
    ) -> AsyncPage[Event]:
        """List events, newest first.

        GET /v1/events
        """
        answer: AsyncPage[Event] = await self._call("listEvents", {}, {"source": source, "topic": topic, "event_type": event_type, "entity_type": entity_type, "entity_id": entity_id, "since": since, "limit": limit, "cursor": cursor}, None, options)
        return answer

    async def get(self, event_id: str, *, options: Optional[Options] = None) -> Happening:
        """Read one event, or a span by its event id.

        GET /v1/events/{eventId}
        """
        answer: Happening = await self._call("readEvent", {"eventId": event_id}, {}, None, options)
        return answer

    def stream(
        self,
        *,
        source: str = UNSET,
        topic: str = UNSET,
        event_type: str = UNSET,
        entity_type: str = UNSET,
        entity_id: str = UNSET,
        since: str = UNSET,
        after: str = UNSET,
        options: Optional[Options] = None,
    ) -> AsyncStream[Event]:
        """New events as they arrive, as server-sent events; resumes after the last one seen.

        GET /v1/events/stream
        """
        answer: AsyncStream[Event] = self._stream("streamEvents", {}, {"source": source, "topic": topic, "event_type": event_type, "entity_type": entity_type, "entity_id": entity_id, "since": since, "after": after}, options)
        return answer

    async def timeline(
        self,
        type: str,
        id: str,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        options: Optional[Options] = None,
    ) -> AsyncPage[Happening]:
        """Everything about one entity across sources, newest first, with the changes the twins recorded.

        GET /v1/timeline/{type}/{id}
        """
        answer: AsyncPage[Happening] = await self._call("readTimeline", {"type": type, "id": id}, {"limit": limit, "cursor": cursor}, None, options)
        return answer

    async def search(
        self,
        *,
        query: str,
        source: str = UNSET,
        topic: str = UNSET,
        event_type: str = UNSET,
        entity_type: str = UNSET,
        entity_id: str = UNSET,
        since: str = UNSET,
        limit: int = UNSET,
        options: Optional[Options] = None,
    ) -> SearchReply:
        """Search events and spans by meaning and by words.

        POST /v1/search
        """
        answer: SearchReply = await self._call("search", {}, {}, {"query": query, "source": source, "topic": topic, "event_type": event_type, "entity_type": entity_type, "entity_id": entity_id, "since": since, "limit": limit}, options)
        return answer
