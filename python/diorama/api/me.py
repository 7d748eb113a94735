# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ..calls import Namespace, Page
from ..streams import Stream
from ..transport import UNSET, Options

__all__ = [
    "Me",
    "Limits",
    "Organization",
    "MeKey",
    "MeUsage",
    "MeRecord",
]


class Limits(TypedDict):
    live_twins: int
    concurrent_trials: int
    trials_per_run: int
    sandbox: bool
    event_retention_days: Optional[int]
    ledger_retention_days: Optional[int]
    requests_per_minute: Optional[int]
    body_bytes_in_flight: int
    open_episodes: int
    episode_idle_seconds: int
    agent_hosts: List[str]


class Organization(TypedDict):
    id: str
    name: str
    limits: Limits
    created_at: str


MeKey = TypedDict("MeKey", {
    "id": "str",
    "name": "str",
    "class": "Literal['standard', 'platform', 'operator']",
    "scopes": "List[Literal['events:write', 'events:read', 'traces:write', 'signals:write', 'agents:write', 'agents:read', 'worlds:read', 'worlds:write', 'twins:read', 'twins:write', 'suites:read', 'suites:write', 'evals:read', 'evals:write', 'models:read', 'models:write', 'keys:write']]",
    "expires_at": "Optional[str]",
})


class MeUsage(TypedDict):
    live_twins: int
    running_trials: int
    database_bytes: Optional[float]


class MeRecord(TypedDict):
    organization: Organization
    key: MeKey
    usage: MeUsage


class Me(Namespace):
    def get(self, *, options: Optional[Options] = None) -> MeRecord:
        """The key's organization, class and scopes; limits and what is in use.

        GET /v1/me
        """
        answer: MeRecord = self._call("readMe", {}, {}, None, options)
        return answer
