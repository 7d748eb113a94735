"""``python -m diorama.routes`` prints the place of each operation of the service in this client, as JSON."""

from __future__ import annotations

import json

from .api.table import ROUTES
from .client import Diorama


def methods() -> "dict[str, str]":
    """The method of each route; a method that the client lacks is an error."""
    client = Diorama("http://127.0.0.1:9", "dk_nobody")
    found = {}
    for name, route in ROUTES.items():
        getattr(getattr(client, route.namespace), route.function)
        found[name] = f"{route.namespace}.{route.function}"
    return found


if __name__ == "__main__":
    print(json.dumps({name: [ROUTES[name].method, ROUTES[name].path, where] for name, where in methods().items()}))
