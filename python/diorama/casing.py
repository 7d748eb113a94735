"""Field names in snake_case, whatever the wire says."""

from __future__ import annotations

import re
from typing import Any, Dict

from .api.table import SHAPES

_HUMP = re.compile(r"(?<=[a-z0-9])([A-Z])")


def snake_name(name: str) -> str:
    return _HUMP.sub(lambda found: "_" + found.group(1).lower(), name)


def snake(shape: Any, value: Any) -> Any:
    """Renames the fields that the service owns.

    A shape is ``None`` (leave the value alone: it belongs to its author), a name of another shape, a list with
    the shape of its items, or a dict with the shapes of the fields below.
    """
    while isinstance(shape, str):
        shape = SHAPES[shape]
    if isinstance(shape, list) and isinstance(value, list):
        return [snake(shape[0], item) for item in value]
    if isinstance(shape, dict) and isinstance(value, dict):
        renamed: Dict[str, Any] = {}
        for name, item in value.items():
            renamed[snake_name(name)] = snake(shape.get(name), item)
        return renamed
    return value
