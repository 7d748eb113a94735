"""Requests over HTTP: sent again where that is safe, and read to the end."""

from __future__ import annotations

import asyncio
import http.client
import json
import random
import secrets
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass, field
from email.message import Message
from typing import Any, Dict, Mapping, Optional, Tuple

from .api.table import ERROR_CODES, Route
from .errors import DioramaError, read_refusal

#: A wait that the service asks for and that is longer than this is the caller's to decide on.
MAX_RETRY_AFTER = 30.0
FIRST_DELAY = 0.25
MAX_DELAY = 8.0


class Unset:
    """A field that was not given, as against one that is given as None."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Any = Unset()


@dataclass(frozen=True)
class Options:
    """Options of a single call."""

    #: Seconds for one attempt.
    timeout: Optional[float] = None
    #: Attempts after the first one.
    retries: Optional[int] = None
    #: For calls that create something; made by the client when left out.
    idempotency_key: Optional[str] = None
    #: Of a body of bytes.
    content_type: Optional[str] = None
    headers: Mapping[str, str] = field(default_factory=dict)


NO_OPTIONS = Options()


@dataclass(frozen=True)
class Connection:
    base_url: str
    api_key: Optional[str]
    timeout: float
    retries: int

    def headers(self, accept: str) -> Dict[str, str]:
        headers = {"accept": accept, "user-agent": "diorama-python"}
        if self.api_key is not None:
            headers["authorization"] = f"Bearer {self.api_key}"
        return headers


def fill_path(path: str, parts: Mapping[str, str]) -> str:
    for name, value in parts.items():
        if not isinstance(value, str) or value == "":
            raise TypeError(f"{name} must be a text that is not empty")
        path = path.replace("{" + name + "}", urllib.parse.quote(value, safe=""))
    return path


def query_text(query: Mapping[str, Any]) -> str:
    given = {name: value for name, value in query.items() if value is not None and value is not UNSET}
    words = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in given.items()}
    return "?" + urllib.parse.urlencode(words) if words else ""


def encode_body(route: Route, body: Any) -> Any:
    if body is None or body is UNSET:
        return None
    if route.takes:
        # A file that was opened for reading is sent as it is read.
        if hasattr(body, "read"):
            return body
        return body.encode("utf-8") if isinstance(body, str) else bytes(body)
    return json.dumps(body, allow_nan=False).encode("utf-8")


@dataclass(frozen=True)
class Outgoing:
    """A request that is ready to be sent, once or several times."""

    method: str
    url: str
    headers: Mapping[str, str]
    data: Any
    timeout: float
    #: Attempts after the first one.
    retries: int
    #: Whether sending it twice does no more than sending it once.
    repeatable: bool
    #: Where the file of the body began.
    start: Optional[int]

    def rewind(self) -> None:
        if self.start is not None:
            self.data.seek(self.start)


def prepare(connection: Connection, route: Route, path: str, body: Any, options: Options) -> Outgoing:
    data = encode_body(route, body)
    headers = connection.headers(route.gives or "application/json")
    headers.update(options.headers)
    if data is not None:
        headers["content-type"] = options.content_type or (route.takes[0] if route.takes else "application/json")
    if options.idempotency_key is not None:
        headers["idempotency-key"] = options.idempotency_key
    elif route.creates:
        headers["idempotency-key"] = secrets.token_hex(16)
    is_file = data is not None and not isinstance(data, bytes)
    start = data.tell() if is_file and data.seekable() else None
    retries = connection.retries if options.retries is None else options.retries
    return Outgoing(
        method=route.method,
        url=connection.base_url + path,
        headers=headers,
        data=data,
        timeout=options.timeout or connection.timeout,
        # A pipe can be read once.
        retries=0 if is_file and start is None else retries,
        repeatable=route.method in ("GET", "PUT", "DELETE") or "idempotency-key" in headers,
        start=start,
    )


def send(connection: Connection, route: Route, path: str, body: Any, options: Options) -> Tuple[bytes, Message]:
    """The bytes of a success and its headers; raises DioramaError for all else."""
    outgoing = prepare(connection, route, path, body, options)
    request = urllib.request.Request(
        outgoing.url, data=outgoing.data, headers=dict(outgoing.headers), method=outgoing.method
    )
    attempt = 0
    while True:
        try:
            return send_once(request, outgoing.timeout)
        except DioramaError as error:
            time.sleep(delay_before_retry(outgoing, error, attempt))
            outgoing.rewind()
            attempt += 1


def delay_before_retry(outgoing: Outgoing, error: DioramaError, attempt: int) -> float:
    """Seconds to wait before another attempt; raises the error where there should be none."""
    delay = retry_delay(error, outgoing.repeatable, attempt)
    if attempt >= outgoing.retries or delay is None:
        raise error
    return delay


def send_once(request: urllib.request.Request, timeout: float) -> Tuple[bytes, Message]:
    response = open_response(request, timeout)
    try:
        return response.read(), response.headers
    except (OSError, http.client.HTTPException) as error:
        raise lost(request.full_url, timeout, error) from error
    finally:
        response.close()


def open_response(request: urllib.request.Request, timeout: float) -> Any:
    try:
        return urllib.request.urlopen(request, timeout=timeout)
    except urllib.error.HTTPError as refusal:
        with refusal:
            try:
                body = refusal.read(1_048_576)
            except (OSError, http.client.HTTPException):
                body = b""
            raise read_refusal(refusal.code, refusal.headers, body) from None
    except (OSError, http.client.HTTPException) as error:
        raise lost(request.full_url, timeout, error) from error


def lost(url: str, timeout: float, error: BaseException) -> DioramaError:
    reason = getattr(error, "reason", error)
    if isinstance(reason, (socket.timeout, TimeoutError, asyncio.TimeoutError)):
        return DioramaError(f"The service did not answer within {timeout:g} seconds.", code="timeout")
    host = urllib.parse.urlsplit(url).netloc
    return DioramaError(f"The service at {host} could not be reached: {reason}", code="network_error")


def back_off(attempt: int) -> float:
    delay: float = FIRST_DELAY * 2 ** min(attempt, 10)
    return min(MAX_DELAY, delay) * (0.5 + random.random() / 2)


def retry_delay(error: DioramaError, repeatable: bool, attempt: int) -> Optional[float]:
    """Seconds to wait before another attempt; None where there should be none."""
    delay = back_off(attempt)
    # The service says "later" only of requests that it has not acted on, so that any of them can be sent again.
    if error.retry_after is not None and error.status in (409, 429, 503):
        return None if error.retry_after > MAX_RETRY_AFTER else max(error.retry_after, delay)
    if not repeatable:
        return None
    if error.status == 0:
        return delay if error.code in ("network_error", "timeout") else None
    if error.status in (408, 429, 500):
        return delay
    # A gateway that says 502 to 504 in its own words has not reached the service.
    return delay if error.status in (502, 503, 504) and error.code not in ERROR_CODES else None
