"""From a method of a namespace to a request, and from its answer to a value; awaited."""

from __future__ import annotations

import asyncio
from email.message import Message
from typing import Any, AsyncIterator, Awaitable, Callable, Dict, Generic, List, Mapping, Optional, Tuple, TypeVar

from ..api.table import ROUTES, Route
from ..calls import read_answer, without_unset
from ..errors import DioramaError, read_refusal
from ..transport import (
    NO_OPTIONS,
    Connection,
    Options,
    Outgoing,
    delay_before_retry,
    fill_path,
    lost,
    prepare,
    query_text,
)
from .streams import AsyncStream, read_stream
from .wire import BROKEN, open_response

Item = TypeVar("Item")
MAX_REFUSAL_BYTES = 1_048_576


class AsyncPage(Generic[Item]):
    """One page of a list. ``async for`` goes over its items and those of all pages after it."""

    def __init__(self, data: Dict[str, Any], following: Callable[[str], Awaitable["AsyncPage[Item]"]]) -> None:
        #: The whole reply, including what it has besides the items.
        self.data = data
        self.items: List[Item] = data["items"]
        self.next_cursor: Optional[str] = data["next_cursor"]
        self._following = following

    async def __aiter__(self) -> AsyncIterator[Item]:
        page = self
        while True:
            for item in page.items:
                yield item
            if page.next_cursor is None:
                return
            page = await page._following(page.next_cursor)

    def __repr__(self) -> str:
        return f"AsyncPage({len(self.items)} items, next_cursor={self.next_cursor!r})"


class AsyncNamespace:
    """The operations on one noun."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def _call(
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
        if route.answer == "page":
            return await self._page(route, path, query, chosen)
        data, headers = await send(self._connection, route, path + query_text(query), without_unset(body), chosen)
        return read_answer(route, data, headers)

    def _stream(
        self,
        name: str,
        parts: Mapping[str, str],
        query: Mapping[str, Any],
        options: Optional[Options],
    ) -> "AsyncStream[Any]":
        route = ROUTES[name]
        path = fill_path(route.path, parts) + query_text(query)
        return AsyncStream(read_stream(self._connection, route, path, options or NO_OPTIONS))

    async def _page(
        self, route: Route, path: str, query: Mapping[str, Any], options: Options
    ) -> "AsyncPage[Any]":
        data, headers = await send(self._connection, route, path + query_text(query), None, options)

        def following(cursor: str) -> "Awaitable[AsyncPage[Any]]":
            return self._page(route, path, {**query, "cursor": cursor}, options)

        return AsyncPage(read_answer(route, data, headers), following)


async def send(
    connection: Connection, route: Route, path: str, body: Any, options: Options
) -> Tuple[bytes, Message]:
    """The bytes of a success and its headers; raises DioramaError for all else."""
    outgoing = prepare(connection, route, path, body, options)
    attempt = 0
    while True:
        try:
            return await send_once(outgoing)
        except DioramaError as error:
            await asyncio.sleep(delay_before_retry(outgoing, error, attempt))
            outgoing.rewind()
            attempt += 1


async def send_once(outgoing: Outgoing) -> Tuple[bytes, Message]:
    try:
        return await asyncio.wait_for(exchange(outgoing), outgoing.timeout)
    except (*BROKEN, asyncio.TimeoutError) as error:
        raise lost(outgoing.url, outgoing.timeout, error) from error


async def exchange(outgoing: Outgoing) -> Tuple[bytes, Message]:
    response = await open_response(outgoing.method, outgoing.url, outgoing.headers, outgoing.data)
    try:
        if not 200 <= response.status < 300:
            body = await response.read(MAX_REFUSAL_BYTES)
            raise read_refusal(response.status, response.headers, body)
        return await response.read(), response.headers
    finally:
        response.close()
