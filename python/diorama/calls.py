"""From a method of a namespace to a request, and from its answer to a value."""

from __future__ import annotations

import json
from email.message import Message
from typing import Any, Callable, Dict, Generic, Iterator, List, Mapping, Optional, TypeVar

from .api.table import ROUTES, Route
from .casing import snake
from .errors import DioramaError
from .streams import Stream, read_stream
from .transport import NO_OPTIONS, UNSET, Connection, Options, fill_path, query_text, send

Item = TypeVar("Item")


class Page(Generic[Item]):
    """One page of a list. Iterating goes over its items and those of all pages after it."""

    def __init__(self, data: Dict[str, Any], following: Callable[[str], "Page[Item]"]) -> None:
        #: The whole reply, including what it has besides the items.
        self.data = data
        self.items: List[Item] = data["items"]
        self.next_cursor: Optional[str] = data["next_cursor"]
        self._following = following

    def __iter__(self) -> Iterator[Item]:
        page = self
        while True:
            yield from page.items
            if page.next_cursor is None:
                return
            page = page._following(page.next_cursor)

    def __repr__(self) -> str:
        return f"Page({len(self.items)} items, next_cursor={self.next_cursor!r})"


class Namespace:
    """The operations on one noun."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def _call(
        self,
        name: str,
        parts: Mapping[str, str],
        query: Mapping[str, Any],
        body: Any,
        options: Optional[Options],
    ) -> Any:
        route = ROUTES[name]
        chosen = options or NO_OPTIONS
        path = fill_path(route.path, parts)
        if route.answer == "stream":
            return Stream(read_stream(self._connection, route, path + query_text(query), chosen))
        body = without_unset(body)
        if route.answer == "page":
            return self._page(route, path, query, chosen)
        data, headers = send(self._connection, route, path + query_text(query), body, chosen)
        return read_answer(route, data, headers)

    def _page(self, route: Route, path: str, query: Mapping[str, Any], options: Options) -> "Page[Any]":
        data, headers = send(self._connection, route, path + query_text(query), None, options)

        def following(cursor: str) -> "Page[Any]":
            return self._page(route, path, {**query, "cursor": cursor}, options)

        return Page(read_answer(route, data, headers), following)


def without_unset(body: Any) -> Any:
    if not isinstance(body, dict):
        return body
    return {field: value for field, value in body.items() if value is not UNSET}


def read_answer(route: Route, data: bytes, headers: Message) -> Any:
    if route.answer == "nothing":
        return None
    if route.answer == "bytes":
        return data
    if route.answer == "text":
        return data.decode("utf-8")
    content_type = headers.get("content-type") or ""
    if "json" not in content_type and route.takes:
        return data
    try:
        if "json" not in content_type:
            raise ValueError(f"the content type is {content_type!r}")
        return snake(route.reply, json.loads(data))
    except ValueError as error:
        raise DioramaError(
            f"The answer is not JSON: something else than the service may have given it ({error}).",
            code="unreadable_reply",
            request_id=headers.get("x-request-id"),
        ) from error
