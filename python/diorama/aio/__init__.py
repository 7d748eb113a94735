"""The client for asyncio, on the standard library alone."""

from .calls import AsyncPage
from .client import AsyncDiorama
from .streams import AsyncStream

__all__ = ["AsyncDiorama", "AsyncPage", "AsyncStream"]
