"""The Python client of Diorama, on the standard library alone."""

from .aio import AsyncDiorama, AsyncPage, AsyncStream
from .calls import Page
from .client import Diorama, Finished
from .errors import DioramaError
from .gate import Verdict, pass_gate
from .streams import Stream
from .transport import Options

__all__ = [
    "AsyncDiorama",
    "AsyncPage",
    "AsyncStream",
    "Diorama",
    "DioramaError",
    "Finished",
    "Options",
    "Page",
    "Stream",
    "Verdict",
    "pass_gate",
]
__version__ = "0.1.0"
