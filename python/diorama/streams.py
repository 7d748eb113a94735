"""Server-sent events: reconnected, resumed, and each passed on once."""

from __future__ import annotations

import http.client
import json
import time
import urllib.parse
import urllib.request
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Iterator, List, Optional

from .api.table import Route
from .casing import snake
from .errors import DioramaError
from .transport import Connection, Options, back_off, open_response

#: The service beats every 15 seconds; a connection that is silent for longer is dead without saying so.
SILENT_SECONDS = 45.0
#: Attempts in a row in which nothing at all arrived.
MOST_FAILURES = 10
REMEMBERED = 5_000
LONGEST_LINE = 16 * 1_048_576


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
        raw = response.readline(LONGEST_LINE)
        if raw == b"":
            return
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        if line != "":
            lines.append(line)
            yield None
            continue
        yield parse_message(lines)
        lines = []


def read_stream(connection: Connection, route: Route, path: str, options: Options) -> Iterator[Any]:
    """Yields for as long as the caller reads; closing the iterator closes the connection."""
    seen: "OrderedDict[str, None]" = OrderedDict()
    last_id: Optional[str] = None
    failures = 0
    while True:
        response: Any = None
        wait = 0.0
        try:
            response = open_stream(connection, path, last_id, options)
            for message in read_messages(response):
                failures = 0
                if message is None:
                    continue
                last_id = message.id if message.id is not None else last_id
                if message.data is None:
                    continue
                data = json.loads(message.data)
                if message.event == "error":
                    raise stream_error(data)
                if not is_new(seen, identity_of(data) or message.id):
                    continue
                yield snake(route.item, data)
                if message.event == route.last:
                    return
        except DioramaError as error:
            if not is_passing(error) or failures >= MOST_FAILURES:
                raise
            wait = error.retry_after or 0.0
        except (OSError, http.client.HTTPException) as error:
            if failures >= MOST_FAILURES:
                raise broken() from error
        finally:
            if response is not None:
                response.close()
        # The service ends a stream when it drains, and a proxy when it likes: that is no end of the events.
        if failures >= MOST_FAILURES:
            raise broken()
        time.sleep(max(wait, back_off(failures)))
        failures += 1


def open_stream(connection: Connection, path: str, last_id: Optional[str], options: Options) -> Any:
    headers = connection.headers("text/event-stream")
    headers.update(options.headers)
    if last_id is not None:
        headers["last-event-id"] = last_id
        path = without_after(path)
    request = urllib.request.Request(connection.base_url + path, headers=headers)
    return open_response(request, options.timeout or SILENT_SECONDS)


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
        f"The stream broke {MOST_FAILURES} times in a row before anything arrived.", code="network_error"
    )
