# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ..calls import Namespace, Page
from ..streams import Stream
from ..transport import UNSET, Options

__all__ = [
    "Secrets",
    "AgentSecret",
]


class AgentSecret(TypedDict):
    name: str
    description: str
    created_by: str
    created_at: str
    updated_at: str


class Secrets(Namespace):
    def list(self, *, limit: int = UNSET, cursor: str = UNSET, options: Optional[Options] = None) -> Page[AgentSecret]:
        """List the secrets that agents can be given, by name. Values are never shown.

        GET /v1/secrets
        """
        answer: Page[AgentSecret] = self._call("listSecrets", {}, {"limit": limit, "cursor": cursor}, None, options)
        return answer

    def put(self, name: str, *, value: str, description: str = UNSET, options: Optional[Options] = None) -> AgentSecret:
        """Create a secret or replace its value. An agent version names it in run.secrets.

        PUT /v1/secrets/{name}
        """
        answer: AgentSecret = self._call("putSecret", {"name": name}, {}, {"value": value, "description": description}, options)
        return answer

    def delete(self, name: str, *, options: Optional[Options] = None) -> None:
        """Delete a secret. Agents that name it can no longer be started.

        DELETE /v1/secrets/{name}
        """
        self._call("deleteSecret", {"name": name}, {}, None, options)
