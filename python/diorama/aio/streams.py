"""Server-sent events over asyncio: reconnected, resumed, and each passed on once."""

from __future__ import annotations

import asyncio
from typing import Any, AsyncGenerator, AsyncIterator, Generic, List, Optional, TypeVar

from ..api.table import Route
from ..errors import DioramaError, read_refusal
from ..streams import MAX_LINE, SILENT_SECONDS, Message, Resumption, parse_message, stream_request
from ..transport import Connection, Options, lost
from .wire import BROKEN, Response, open_response

Item = TypeVar("Item")
MAX_REFUSAL_BYTES = 1_048_576


class AsyncStream(Generic[Item]):
    """Yields what arrives; ``aclose()``, or leaving an ``async with`` block, closes its connection."""

    def __init__(self, items: "AsyncGenerator[Item, None]") -> None:
        self._items = items

    def __aiter__(self) -> "AsyncStream[Item]":
        return self

    async def __anext__(self) -> Item:
        return await self._items.__anext__()

    async def aclose(self) -> None:
        await self._items.aclose()

    async def __aenter__(self) -> "AsyncStream[Item]":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


async def read_stream(
    connection: Connection, route: Route, path: str, options: Options
) -> "AsyncGenerator[Any, None]":
    """Yields for as long as the caller reads; closing the generator closes the connection."""
    resumption = Resumption(route)
    timeout = options.timeout or SILENT_SECONDS
    while True:
        response: Optional[Response] = None
        failure: Optional[BaseException] = None
        try:
            url, headers = stream_request(connection, path, resumption.last_id, options)
            response = await asyncio.wait_for(open_response("GET", url, headers, None), timeout)
            if response.status != 200:
                body = await asyncio.wait_for(response.read(MAX_REFUSAL_BYTES), timeout)
                raise read_refusal(response.status, response.headers, body)
            async for message in read_messages(response, timeout):
                for item in resumption.items(message):
                    yield item
                if resumption.over:
                    return
        except DioramaError as error:
            failure = error
        except (*BROKEN, asyncio.TimeoutError) as error:
            failure = lost(url, timeout, error)
            failure.__cause__ = error
        finally:
            if response is not None:
                response.close()
        await asyncio.sleep(resumption.delay(failure))


async def read_messages(response: Response, timeout: float) -> AsyncIterator[Optional[Message]]:
    """The messages of one connection; None for each line in between, which says that it is alive."""
    lines: List[str] = []
    while True:
        raw = await asyncio.wait_for(response.readline(MAX_LINE), timeout)
        if raw == b"":
            return
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        if line != "":
            lines.append(line)
            yield None
            continue
        yield parse_message(lines)
        lines = []
