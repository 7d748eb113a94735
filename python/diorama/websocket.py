"""A client of WebSockets (RFC 6455) on the standard library: text messages, one thread."""

from __future__ import annotations

import base64
import hashlib
import http.client
import os
import socket
import struct
import urllib.parse
from typing import IO, Mapping, Tuple

from .errors import DioramaError, read_refusal

MAX_MESSAGE_BYTES = 256 * 1_048_576
#: By which a server proves that it has understood the request to upgrade.
GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
TEXT, CLOSE, PING, PONG = 0x1, 0x8, 0x9, 0xA


class WebSocket:
    """Connects at once; ``url`` begins with http or https. Raises DioramaError where it is refused or breaks."""

    def __init__(self, url: str, headers: Mapping[str, str], timeout: float) -> None:
        parts = urllib.parse.urlsplit(url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._timeout = timeout
        self._connection = kind(parts.netloc.rpartition("@")[2], timeout=timeout)
        try:
            self._socket, self._reader = self._upgrade(parts, headers)
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            raise DioramaError(f"The service could not be reached: {error}", code="network_error") from error
        except DioramaError:
            self._connection.close()
            raise

    def _upgrade(self, parts: urllib.parse.SplitResult, headers: Mapping[str, str]) -> Tuple[socket.socket, IO[bytes]]:
        key = base64.b64encode(os.urandom(16)).decode()
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        sent = {**headers, "upgrade": "websocket", "connection": "Upgrade", "sec-websocket-version": "13"}
        self._connection.request("GET", target, headers={**sent, "sec-websocket-key": key})
        held = self._connection.sock
        reply = self._connection.getresponse()
        if reply.status != 101:
            raise read_refusal(reply.status, reply.headers, reply.read(1_048_576))
        wanted = base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()
        if reply.headers.get("sec-websocket-accept") != wanted:
            raise DioramaError("The service did not open a WebSocket.", code="unreadable_reply")
        # What the response has read ahead belongs to the first message.
        return held, reply.fp

    def send(self, text: str) -> None:
        self._write(TEXT, text.encode("utf-8"))

    def receive(self) -> str:
        """The next message; pings on the way are answered."""
        try:
            whole = b""
            while True:
                final, kind, payload = self._frame()
                if kind == PING:
                    self._write(PONG, payload)
                elif kind == CLOSE:
                    raise closed(payload)
                elif kind != PONG:
                    whole += payload
                    if len(whole) > MAX_MESSAGE_BYTES:
                        raise DioramaError("The service sent too large a message.", code="unreadable_reply")
                    if final:
                        return whole.decode("utf-8")
        except socket.timeout as error:
            text = f"The service did not answer within {self._timeout:g} seconds."
            raise DioramaError(text, code="timeout") from error
        except OSError as error:
            raise DioramaError(f"The connection broke: {error}", code="network_error") from error

    def close(self) -> None:
        """Says goodbye, where somebody is left to hear it."""
        try:
            self._write(CLOSE, struct.pack("!H", 1000))
        except DioramaError:
            pass
        finally:
            self._connection.close()
            self._socket.close()

    def _frame(self) -> Tuple[bool, int, bytes]:
        first, second = self._exactly(2)
        length = second & 0x7F
        if length == 126:
            (length,) = struct.unpack("!H", self._exactly(2))
        elif length == 127:
            (length,) = struct.unpack("!Q", self._exactly(8))
        if length > MAX_MESSAGE_BYTES:
            raise DioramaError("The service sent too large a message.", code="unreadable_reply")
        return bool(first & 0x80), first & 0x0F, self._exactly(length)

    def _exactly(self, count: int) -> bytes:
        data = self._reader.read(count) if count else b""
        if len(data) < count:
            raise DioramaError("The service closed the connection.", code="network_error")
        return data

    def _write(self, kind: int, payload: bytes) -> None:
        """One frame; a client masks what it sends."""
        length = len(payload)
        if length < 126:
            head = struct.pack("!BB", 0x80 | kind, 0x80 | length)
        elif length < 65_536:
            head = struct.pack("!BBH", 0x80 | kind, 0x80 | 126, length)
        else:
            head = struct.pack("!BBQ", 0x80 | kind, 0x80 | 127, length)
        mask = os.urandom(4)
        repeated = (mask * (length // 4 + 1))[:length]
        masked = (int.from_bytes(payload, "big") ^ int.from_bytes(repeated, "big")).to_bytes(length, "big")
        try:
            self._socket.sendall(head + mask + masked)
        except OSError as error:
            raise DioramaError(f"The connection broke: {error}", code="network_error") from error


def closed(payload: bytes) -> DioramaError:
    reason = payload[2:].decode("utf-8", "replace")
    text = f"The service closed the connection: {reason}" if reason else "The service closed the connection."
    return DioramaError(text, code="network_error")
