"""The Python client of Diorama, on the standard library alone."""

from .aio import AsyncDiorama, AsyncPage, AsyncStream
from .calls import Page
from .client import Diorama, Finished
from .episodes import Environment, Episode, Grade, Score, Step, Suite, Tool
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
    "Environment",
    "Episode",
    "Finished",
    "Grade",
    "Options",
    "Page",
    "Score",
    "Step",
    "Stream",
    "Suite",
    "Tool",
    "Verdict",
    "pass_gate",
]
__version__ = "0.1.0"
