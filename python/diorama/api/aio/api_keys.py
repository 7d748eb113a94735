# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ...aio.calls import AsyncNamespace, AsyncPage
from ...aio.streams import AsyncStream
from ...transport import UNSET, Options
from ..api_keys import ApiKey, ApiKeyCreated

__all__ = ["AsyncApiKeys"]


class AsyncApiKeys(AsyncNamespace):
    async def list(self, *, limit: int = UNSET, cursor: str = UNSET, options: Optional[Options] = None) -> AsyncPage[ApiKey]:
        """List the keys of the organization, newest first.

        GET /v1/api-keys
        """
        answer: AsyncPage[ApiKey] = await self._call("listApiKeys", {}, {"limit": limit, "cursor": cursor}, None, options)
        return answer

    async def create(
        self,
        *,
        name: str,
        scopes: Sequence[Literal["events:write", "events:read", "traces:write", "signals:write", "agents:write", "agents:read", "worlds:read", "worlds:write", "twins:read", "twins:write", "suites:read", "suites:write", "evals:read", "evals:write", "models:read", "models:write", "keys:write"]] = UNSET,
        class_: Literal["standard", "platform"] = UNSET,
        expires_at: Optional[str] = UNSET,
        requests_per_minute: Optional[int] = UNSET,
        options: Optional[Options] = None,
    ) -> ApiKeyCreated:
        """Create a key. Its secret is in this reply alone.

        POST /v1/api-keys
        """
        answer: ApiKeyCreated = await self._call("createApiKey", {}, {}, {"name": name, "scopes": scopes, "class": class_, "expires_at": expires_at, "requests_per_minute": requests_per_minute}, options)
        return answer

    async def get(self, key_id: str, *, options: Optional[Options] = None) -> ApiKey:
        """Read one key.

        GET /v1/api-keys/{keyId}
        """
        answer: ApiKey = await self._call("readApiKey", {"keyId": key_id}, {}, None, options)
        return answer

    async def revoke(self, key_id: str, *, options: Optional[Options] = None) -> None:
        """Revoke a key. It stops working at once.

        DELETE /v1/api-keys/{keyId}
        """
        await self._call("revokeApiKey", {"keyId": key_id}, {}, None, options)
