"""Server-sent events: reconnected, resumed, and each passed on once."""

from __future__ import annotations

import http.client
import json
import time
import urllib.parse
import urllib.request
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Dict, Generator, Generic, Iterator, List, Optional, Tuple, TypeVar

from .api.table import Route
from .casing import snake
from .errors import DioramaError
from .transport import Connection, Options, back_off, open_response

Item = TypeVar("Item")

#: The service beats every 15 seconds; a connection that is silent for longer is dead without saying so.
SILENT_SECONDS = 45.0
#: Attempts in a row in which nothing at all arrived.
MAX_FAILURES = 10
REMEMBERED = 5_000
MAX_LINE = 16 * 1_048_576


@dataclass(frozen=True)
class Message:
    id: Optional[str]
    event: str
    data: Optional[str]


def parse_message(lines: List[str]) -> Optional[Message]:
    identifier: Optional[str] = None
    event = "message"
    data: List[str] = []
    for line in lines:
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "id":
            identifier = value
        elif name == "event":
            event = value
        elif name == "data":
            data.append(value)
    if identifier is None and not data:
        return None
    return Message(identifier, event, "\n".join(data) if data else None)


def read_messages(response: Any) -> Iterator[Optional[Message]]:
    """The messages of one connection; None for each line in between, which says that it is alive."""
    lines: List[str] = []
    while True:
        raw = response.readline(MAX_LINE)
        if raw == b"":
            return
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        if line != "":
            lines.append(line)
            yield None
            continue
        yield parse_message(lines)
        lines = []


class Resumption:
    """What a stream remembers from one connection to the next."""

    def __init__(self, route: Route) -> None:
        self.last_id: Optional[str] = None
        #: Whether the last message of the stream has come.
        self.over = False
        self._route = route
        self._seen: "OrderedDict[str, None]" = OrderedDict()
        self._failures = 0

    def items(self, message: Optional[Message]) -> List[Any]:
        """The item of a message, unless it has been seen."""
        self._failures = 0
        if message is None:
            return []
        self.last_id = message.id if message.id is not None else self.last_id
        if message.data is None:
            return []
        data = json.loads(message.data)
        if message.event == "error":
            raise stream_error(data)
        if not is_new(self._seen, identity_of(data) or message.id):
            return []
        self.over = message.event == self._route.last
        return [snake(self._route.item, data)]

    def delay(self, error: Optional[BaseException]) -> float:
        """Seconds to wait before the next connection; raises the error where there should be none.

        The service ends a stream when it drains, and a proxy when it likes: that is no end of the events.
        """
        if isinstance(error, DioramaError) and (not is_passing(error) or self._failures >= MAX_FAILURES):
            raise error
        if self._failures >= MAX_FAILURES:
            raise broken() from error
        asked = error.retry_after if isinstance(error, DioramaError) else None
        wait = max(asked or 0.0, back_off(self._failures))
        self._failures += 1
        return wait


class Stream(Generic[Item]):
    """An iterator over what arrives; ``close()``, or leaving a ``with`` block, closes its connection."""

    def __init__(self, items: "Generator[Item, None, None]") -> None:
        self._items = items

    def __iter__(self) -> "Stream[Item]":
        return self

    def __next__(self) -> Item:
        return next(self._items)

    def close(self) -> None:
        self._items.close()

    def __enter__(self) -> "Stream[Item]":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_stream(
    connection: Connection, route: Route, path: str, options: Options
) -> "Generator[Any, None, None]":
    """Yields for as long as the caller reads; closing the generator closes the connection."""
    resumption = Resumption(route)
    while True:
        response: Any = None
        failure: Optional[BaseException] = None
        try:
            response = open_stream(connection, path, resumption.last_id, options)
            for message in read_messages(response):
                yield from resumption.items(message)
                if resumption.over:
                    return
        except (DioramaError, OSError, http.client.HTTPException) as error:
            failure = error
        finally:
            if response is not None:
                response.close()
        time.sleep(resumption.delay(failure))


def open_stream(connection: Connection, path: str, last_id: Optional[str], options: Options) -> Any:
    url, headers = stream_request(connection, path, last_id, options)
    return open_response(urllib.request.Request(url, headers=headers), options.timeout or SILENT_SECONDS)


def stream_request(
    connection: Connection, path: str, last_id: Optional[str], options: Options
) -> Tuple[str, Dict[str, str]]:
    headers = connection.headers("text/event-stream")
    headers.update(options.headers)
    if last_id is not None:
        headers["last-event-id"] = last_id
        path = without_after(path)
    return connection.base_url + path, headers


def without_after(path: str) -> str:
    """The header and the parameter say the same, and after a break the header is the newer."""
    before, _, query = path.partition("?")
    kept = [(name, value) for name, value in urllib.parse.parse_qsl(query) if name != "after"]
    return before + ("?" + urllib.parse.urlencode(kept) if kept else "")


def is_passing(error: DioramaError) -> bool:
    return error.code in ("network_error", "timeout") or error.status in (408, 429) or error.status >= 500


def is_new(seen: "OrderedDict[str, None]", identifier: Optional[str]) -> bool:
    if identifier is None:
        return True
    if identifier in seen:
        return False
    seen[identifier] = None
    if len(seen) > REMEMBERED:
        seen.popitem(last=False)
    return True


def identity_of(data: Any) -> Optional[str]:
    found = data.get("id") if isinstance(data, dict) else None
    return found if isinstance(found, str) else None


def stream_error(data: Any) -> DioramaError:
    fields = data if isinstance(data, dict) else {}
    return DioramaError(
        str(fields.get("error") or "The stream ended with an error."),
        code=str(fields.get("code") or "unreadable_reply"),
        resume_from=fields.get("resume_from"),
    )


def broken() -> DioramaError:
    return DioramaError(
        f"The stream broke {MAX_FAILURES} times in a row before anything arrived.", code="network_error"
    )
