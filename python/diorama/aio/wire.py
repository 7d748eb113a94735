"""One HTTP/1.1 exchange over asyncio: a connection for each request, through the proxies of the environment."""

from __future__ import annotations

import asyncio
import base64
import http.client
import io
import socket
import ssl
import urllib.parse
import urllib.request
from typing import IO, AsyncIterator, Dict, Mapping, Optional, Tuple, Union

Body = Union[None, bytes, IO[bytes]]
PIECE_BYTES = 65_536
MAX_HEAD_BYTES = 65_536
BROKEN = (OSError, EOFError, asyncio.LimitOverrunError, http.client.HTTPException)


class Response:
    """A status, headers, and a body that is read as it arrives."""

    def __init__(
        self,
        status: int,
        headers: http.client.HTTPMessage,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self.status = status
        self.headers = headers
        self._reader = reader
        self._writer = writer
        self._buffer = bytearray()
        self._pieces = self._body()

    async def read(self, limit: Optional[int] = None) -> bytes:
        """The rest of the body, or at least ``limit`` bytes of it where it is longer."""
        async for piece in self._pieces:
            self._buffer += piece
            if limit is not None and len(self._buffer) >= limit:
                break
        return bytes(self._buffer)

    async def readline(self, limit: int) -> bytes:
        """One line with its end; empty at the end of the body."""
        while True:
            end = self._buffer.find(b"\n")
            if end >= 0 or len(self._buffer) >= limit:
                length = end + 1 if end >= 0 else len(self._buffer)
                line = bytes(self._buffer[:length])
                del self._buffer[:length]
                return line
            try:
                self._buffer += await self._pieces.__anext__()
            except StopAsyncIteration:
                line = bytes(self._buffer)
                self._buffer.clear()
                return line

    def close(self) -> None:
        self._writer.close()

    async def _body(self) -> AsyncIterator[bytes]:
        if self.status in (204, 304):
            return
        if "chunked" in (self.headers.get("transfer-encoding") or "").lower():
            while True:
                size = int((await self._reader.readuntil(b"\n")).split(b";")[0], 16)
                if size == 0:
                    return
                async for piece in self._exactly(size):
                    yield piece
                await self._reader.readuntil(b"\n")
        length = self.headers.get("content-length")
        if length is not None:
            async for piece in self._exactly(int(length)):
                yield piece
            return
        while True:
            piece = await self._reader.read(PIECE_BYTES)
            if piece == b"":
                return
            yield piece

    async def _exactly(self, size: int) -> AsyncIterator[bytes]:
        while size > 0:
            piece = await self._reader.read(min(size, PIECE_BYTES))
            if piece == b"":
                raise http.client.IncompleteRead(b"", size)
            size -= len(piece)
            yield piece


async def open_response(method: str, url: str, headers: Mapping[str, str], body: Body) -> Response:
    """Sends a request and reads the head of its response."""
    parts = urllib.parse.urlsplit(url)
    proxy = proxy_of(parts)
    reader, writer = await connect(parts, proxy)
    try:
        target = urllib.parse.urlunsplit(("", "", parts.path or "/", parts.query, ""))
        sent = {"host": parts.netloc.rpartition("@")[2], "connection": "close", **headers}
        if proxy is not None and parts.scheme == "http":
            target = url
            sent.update(proxy_credentials(proxy))
        if isinstance(body, bytes):
            sent["content-length"] = str(len(body))
        elif body is not None:
            sent["transfer-encoding"] = "chunked"
        elif method in ("POST", "PUT", "PATCH"):
            sent["content-length"] = "0"
        writer.write(head_bytes(f"{method} {target} HTTP/1.1", sent))
        status, received = await send_and_read_head(reader, writer, body)
        return Response(status, received, reader, writer)
    except BaseException:
        writer.close()
        raise


def head_bytes(first: str, headers: Mapping[str, str]) -> bytes:
    lines = [first, *(f"{name}: {value}" for name, value in headers.items())]
    if any("\r" in line or "\n" in line for line in lines):
        raise ValueError("a header must not contain line breaks")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


async def send_and_read_head(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, body: Body
) -> Tuple[int, http.client.HTTPMessage]:
    """Both at once: a service may refuse a body before it has read all of it."""
    sending = asyncio.ensure_future(send_body(writer, body))
    reading = asyncio.ensure_future(read_head(reader))
    try:
        await asyncio.wait({sending, reading}, return_when=asyncio.FIRST_COMPLETED)
        if sending.done() and not isinstance(sending.exception(), (type(None), OSError)):
            await sending
        return await reading
    finally:
        for task in (sending, reading):
            task.cancel()
        await asyncio.gather(sending, reading, return_exceptions=True)


async def send_body(writer: asyncio.StreamWriter, body: Body) -> None:
    if isinstance(body, bytes):
        writer.write(body)
    elif body is not None:
        while True:
            piece = await asyncio.get_running_loop().run_in_executor(None, body.read, PIECE_BYTES)
            if not piece:
                break
            writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            await writer.drain()
        writer.write(b"0\r\n\r\n")
    await writer.drain()


async def read_head(reader: asyncio.StreamReader) -> Tuple[int, http.client.HTTPMessage]:
    while True:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError as error:
            raise http.client.RemoteDisconnected("the connection was closed before a response") from error
        first, _, rest = head.partition(b"\r\n")
        words = first.split(b" ", 2)
        if len(words) < 2 or not words[0].startswith(b"HTTP/1.") or not words[1].isdigit():
            raise http.client.BadStatusLine(repr(first[:100]))
        status = int(words[1])
        if status >= 200:
            return status, http.client.parse_headers(io.BytesIO(rest))


async def connect(
    parts: urllib.parse.SplitResult, proxy: Optional[urllib.parse.SplitResult]
) -> Tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    if parts.scheme not in ("http", "https") or parts.hostname is None:
        raise ValueError(f"{parts.geturl()!r} is not an address of HTTP")
    tls = ssl.create_default_context() if parts.scheme == "https" else None
    port = parts.port or (443 if tls else 80)
    if proxy is None:
        return await asyncio.open_connection(parts.hostname, port, ssl=tls, limit=MAX_HEAD_BYTES)
    if tls is None:
        return await asyncio.open_connection(proxy.hostname, proxy.port or 80, limit=MAX_HEAD_BYTES)
    tunnel = await open_tunnel(proxy, parts.hostname, port)
    return await asyncio.open_connection(
        sock=tunnel, ssl=tls, server_hostname=parts.hostname, limit=MAX_HEAD_BYTES
    )


async def open_tunnel(proxy: urllib.parse.SplitResult, host: str, port: int) -> socket.socket:
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(proxy.hostname or "", proxy.port or 80, type=socket.SOCK_STREAM)
    family, kind, protocol, _, address = found[0]
    tunnel = socket.socket(family, kind, protocol)
    try:
        tunnel.setblocking(False)
        await loop.sock_connect(tunnel, address)
        authority = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        asked = head_bytes(f"CONNECT {authority} HTTP/1.1", {"host": authority, **proxy_credentials(proxy)})
        await loop.sock_sendall(tunnel, asked)
        head = b""
        # The other side speaks only after we do, so that nothing of TLS can come with these bytes.
        while b"\r\n\r\n" not in head:
            piece = await loop.sock_recv(tunnel, PIECE_BYTES)
            if piece == b"" or len(head) > MAX_HEAD_BYTES:
                raise http.client.RemoteDisconnected("the proxy closed the connection")
            head += piece
        words = head.split(b" ", 2)
        if len(words) < 2 or words[1] != b"200":
            raise OSError(f"the proxy refused a tunnel: {head.splitlines()[0].decode('latin-1')}")
        return tunnel
    except BaseException:
        tunnel.close()
        raise


def proxy_of(parts: urllib.parse.SplitResult) -> Optional[urllib.parse.SplitResult]:
    """The proxy that the environment names for an address, as urllib reads it."""
    address = urllib.request.getproxies().get(parts.scheme)
    if not address or urllib.request.proxy_bypass(parts.netloc.rpartition("@")[2]):
        return None
    return urllib.parse.urlsplit(address if "://" in address else f"http://{address}")


def proxy_credentials(proxy: urllib.parse.SplitResult) -> Dict[str, str]:
    if proxy.username is None:
        return {}
    name, password = (urllib.parse.unquote(part or "") for part in (proxy.username, proxy.password))
    token = base64.b64encode(f"{name}:{password}".encode()).decode("ascii")
    return {"proxy-authorization": f"Basic {token}"}
