# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ..calls import Namespace, Page
from ..streams import Stream
from ..transport import UNSET, Options

__all__ = [
    "Events",
    "Signal",
    "Event",
    "CreateEventsReplyItemsItem",
    "CreateEventsReply",
    "Happening",
    "Found",
    "SearchReplyIndexing",
    "SearchReply",
]


class Signal(TypedDict):
    id: str
    event_id: str
    signal_name: str
    properties: Dict[str, Any]
    created_at: str


class Event(TypedDict):
    id: str
    event_time: str
    event_type: str
    source: str
    topic: str
    payload: Dict[str, Any]
    entities: Dict[str, Any]
    recorded_at: str
    signals: List[Signal]


class CreateEventsReplyItemsItem(TypedDict):
    id: str


class CreateEventsReply(TypedDict):
    items: List[CreateEventsReplyItemsItem]


class Happening(TypedDict):
    id: str
    event_time: str
    event_type: str
    source: str
    topic: str
    payload: Dict[str, Any]
    entities: Dict[str, Any]
    recorded_at: str
    signals: List[Signal]
    kind: Literal["event", "span", "change"]


class Found(TypedDict):
    id: str
    event_time: str
    event_type: str
    source: str
    topic: str
    payload: Dict[str, Any]
    entities: Dict[str, Any]
    recorded_at: str
    signals: List[Signal]
    kind: Literal["event", "span", "change"]
    score: float
    matched: List[Literal["meaning", "text"]]


class SearchReplyIndexing(TypedDict):
    behind: int


class SearchReply(TypedDict):
    items: List[Found]
    indexing: SearchReplyIndexing


class Events(Namespace):
    def create(
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
        answer: Event = self._call("createEvent", {}, {}, {"source": source, "topic": topic, "event_type": event_type, "entities": entities, "payload": payload, "timestamp": timestamp}, options)
        return answer

    def create_many(self, items: Sequence[Mapping[str, Any]], *, options: Optional[Options] = None) -> CreateEventsReply:
        """Record up to 1,000 events, all or none.

        POST /v1/events/batch
        """
        answer: CreateEventsReply = self._call("createEvents", {}, {}, list(items), options)
        return answer

    def list(
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
    ) -> Page[Event]:
        """List events, newest first.

        GET /v1/events
        """
        answer: Page[Event] = self._call("listEvents", {}, {"source": source, "topic": topic, "event_type": event_type, "entity_type": entity_type, "entity_id": entity_id, "since": since, "limit": limit, "cursor": cursor}, None, options)
        return answer

    def get(self, event_id: str, *, options: Optional[Options] = None) -> Happening:
        """Read one event, or a span by its event id.

        GET /v1/events/{eventId}
        """
        answer: Happening = self._call("readEvent", {"eventId": event_id}, {}, None, options)
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
    ) -> Stream[Event]:
        """New events as they arrive, as server-sent events; resumes after the last one seen.

        GET /v1/events/stream
        """
        answer: Stream[Event] = self._call("streamEvents", {}, {"source": source, "topic": topic, "event_type": event_type, "entity_type": entity_type, "entity_id": entity_id, "since": since, "after": after}, None, options)
        return answer

    def timeline(
        self,
        type: str,
        id: str,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        options: Optional[Options] = None,
    ) -> Page[Happening]:
        """Everything about one entity across sources, newest first, with the changes the twins recorded.

        GET /v1/timeline/{type}/{id}
        """
        answer: Page[Happening] = self._call("readTimeline", {"type": type, "id": id}, {"limit": limit, "cursor": cursor}, None, options)
        return answer

    def search(
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
        answer: SearchReply = self._call("search", {}, {}, {"query": query, "source": source, "topic": topic, "event_type": event_type, "entity_type": entity_type, "entity_id": entity_id, "since": since, "limit": limit}, options)
        return answer
