# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ...aio.calls import AsyncNamespace, AsyncPage
from ...aio.streams import AsyncStream
from ...transport import UNSET, Options
from ..secrets import AgentSecret

__all__ = ["AsyncSecrets"]


class AsyncSecrets(AsyncNamespace):
    async def list(
        self,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        options: Optional[Options] = None,
    ) -> AsyncPage[AgentSecret]:
        """List the secrets that agents can be given, by name. Values are never shown.

        GET /v1/secrets
        """
        answer: AsyncPage[AgentSecret] = await self._call("listSecrets", {}, {"limit": limit, "cursor": cursor}, None, options)
        return answer

    async def put(self, name: str, *, value: str, description: str = UNSET, options: Optional[Options] = None) -> AgentSecret:
        """Create a secret or replace its value. An agent version names it in run.secrets.

        PUT /v1/secrets/{name}
        """
        answer: AgentSecret = await self._call("putSecret", {"name": name}, {}, {"value": value, "description": description}, options)
        return answer

    async def delete(self, name: str, *, options: Optional[Options] = None) -> None:
        """Delete a secret. Agents that name it can no longer be started.

        DELETE /v1/secrets/{name}
        """
        await self._call("deleteSecret", {"name": name}, {}, None, options)
