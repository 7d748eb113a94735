# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ...aio.calls import AsyncNamespace, AsyncPage
from ...aio.streams import AsyncStream
from ...transport import UNSET, Options
from ..environments import Environment, EnvironmentVersion

__all__ = ["AsyncEnvironments"]


class AsyncEnvironments(AsyncNamespace):
    async def list(
        self,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        options: Optional[Options] = None,
    ) -> AsyncPage[Environment]:
        """List environments (one for each lineage of worlds), newest first.

        GET /v1/environments
        """
        answer: AsyncPage[Environment] = await self._call("listEnvironments", {}, {"limit": limit, "cursor": cursor}, None, options)
        return answer

    async def get(self, environment_id: str, *, options: Optional[Options] = None) -> Environment:
        """Read one environment.

        GET /v1/environments/{environmentId}
        """
        answer: Environment = await self._call("readEnvironment", {"environmentId": environment_id}, {}, None, options)
        return answer

    async def list_versions(
        self,
        environment_id: str,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        options: Optional[Options] = None,
    ) -> AsyncPage[EnvironmentVersion]:
        """The published versions of an environment, newest first.

        GET /v1/environments/{environmentId}/versions
        """
        answer: AsyncPage[EnvironmentVersion] = await self._call("listEnvironmentVersions", {"environmentId": environment_id}, {"limit": limit, "cursor": cursor}, None, options)
        return answer
