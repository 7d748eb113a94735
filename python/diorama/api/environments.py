# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ..calls import Namespace, Page
from ..streams import Stream
from ..transport import UNSET, Options

__all__ = [
    "Environments",
    "Environment",
    "EnvironmentVersionServicesItem",
    "EnvironmentVersion",
]


class Environment(TypedDict):
    id: str
    name: str
    root_world_id: str
    latest_version_id: Optional[str]
    created_at: str


class EnvironmentVersionServicesItem(TypedDict):
    service: str
    entity_count: int
    seed_sha256: str


class EnvironmentVersion(TypedDict):
    id: str
    environment_id: str
    number: int
    world_id: str
    clock: str
    services: List[EnvironmentVersionServicesItem]
    created_at: str


class Environments(Namespace):
    def list(self, *, limit: int = UNSET, cursor: str = UNSET, options: Optional[Options] = None) -> Page[Environment]:
        """List environments (one for each lineage of worlds), newest first.

        GET /v1/environments
        """
        answer: Page[Environment] = self._call("listEnvironments", {}, {"limit": limit, "cursor": cursor}, None, options)
        return answer

    def get(self, environment_id: str, *, options: Optional[Options] = None) -> Environment:
        """Read one environment.

        GET /v1/environments/{environmentId}
        """
        answer: Environment = self._call("readEnvironment", {"environmentId": environment_id}, {}, None, options)
        return answer

    def list_versions(
        self,
        environment_id: str,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        options: Optional[Options] = None,
    ) -> Page[EnvironmentVersion]:
        """The published versions of an environment, newest first.

        GET /v1/environments/{environmentId}/versions
        """
        answer: Page[EnvironmentVersion] = self._call("listEnvironmentVersions", {"environmentId": environment_id}, {"limit": limit, "cursor": cursor}, None, options)
        return answer
