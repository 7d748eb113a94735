"""The Python client of Diorama, on the standard library alone."""

from .calls import Page
from .client import Diorama, Finished
from .errors import DioramaError
from .gate import Verdict, pass_gate
from .transport import Options

__all__ = ["Diorama", "DioramaError", "Finished", "Options", "Page", "Verdict", "pass_gate"]
__version__ = "0.1.0"
