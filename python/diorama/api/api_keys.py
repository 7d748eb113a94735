# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ..calls import Namespace, Page
from ..streams import Stream
from ..transport import UNSET, Options

__all__ = [
    "ApiKeys",
    "ApiKey",
    "ApiKeyCreated",
]


ApiKey = TypedDict("ApiKey", {
    "id": "str",
    "name": "str",
    "scopes": "List[Literal['events:write', 'events:read', 'traces:write', 'signals:write', 'agents:write', 'agents:read', 'worlds:read', 'worlds:write', 'twins:read', 'twins:write', 'suites:read', 'suites:write', 'evals:read', 'evals:write', 'models:read', 'models:write', 'keys:write']]",
    "class": "Literal['standard', 'platform', 'operator']",
    "created_at": "str",
    "expires_at": "Optional[str]",
    "revoked_at": "Optional[str]",
    "last_used_at": "Optional[str]",
    "requests_per_minute": "Optional[int]",
})


ApiKeyCreated = TypedDict("ApiKeyCreated", {
    "id": "str",
    "name": "str",
    "scopes": "List[Literal['events:write', 'events:read', 'traces:write', 'signals:write', 'agents:write', 'agents:read', 'worlds:read', 'worlds:write', 'twins:read', 'twins:write', 'suites:read', 'suites:write', 'evals:read', 'evals:write', 'models:read', 'models:write', 'keys:write']]",
    "class": "Literal['standard', 'platform', 'operator']",
    "expires_at": "Optional[str]",
    "secret": "str",
})


class ApiKeys(Namespace):
    def list(self, *, limit: int = UNSET, cursor: str = UNSET, options: Optional[Options] = None) -> Page[ApiKey]:
        """List the keys of the organization, newest first.

        GET /v1/api-keys
        """
        answer: Page[ApiKey] = self._call("listApiKeys", {}, {"limit": limit, "cursor": cursor}, None, options)
        return answer

    def create(
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
        answer: ApiKeyCreated = self._call("createApiKey", {}, {}, {"name": name, "scopes": scopes, "class": class_, "expires_at": expires_at, "requests_per_minute": requests_per_minute}, options)
        return answer

    def get(self, key_id: str, *, options: Optional[Options] = None) -> ApiKey:
        """Read one key.

        GET /v1/api-keys/{keyId}
        """
        answer: ApiKey = self._call("readApiKey", {"keyId": key_id}, {}, None, options)
        return answer

    def revoke(self, key_id: str, *, options: Optional[Options] = None) -> None:
        """Revoke a key. It stops working at once.

        DELETE /v1/api-keys/{keyId}
        """
        self._call("revokeApiKey", {"keyId": key_id}, {}, None, options)
