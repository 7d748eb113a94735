# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ...aio.calls import AsyncNamespace, AsyncPage
from ...aio.streams import AsyncStream
from ...transport import UNSET, Options
from ..cassettes import CassetteVersion

__all__ = ["AsyncCassettes"]


class AsyncCassettes(AsyncNamespace):
    async def list(
        self,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        options: Optional[Options] = None,
    ) -> AsyncPage[CassetteVersion]:
        """List cassettes, each with its newest version.

        GET /v1/cassettes
        """
        answer: AsyncPage[CassetteVersion] = await self._call("listCassettes", {}, {"limit": limit, "cursor": cursor}, None, options)
        return answer

    async def list_versions(
        self,
        name: str,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        options: Optional[Options] = None,
    ) -> AsyncPage[CassetteVersion]:
        """List the versions of a cassette, newest first.

        GET /v1/cassettes/{name}/versions
        """
        answer: AsyncPage[CassetteVersion] = await self._call("listCassetteVersions", {"name": name}, {"limit": limit, "cursor": cursor}, None, options)
        return answer

    async def export_version(self, name: str, *, version: int = UNSET, options: Optional[Options] = None) -> bytes:
        """A version as JSON Lines, to commit and to import elsewhere. It holds no key.

        GET /v1/cassettes/{name}/export
        """
        answer: bytes = await self._call("exportCassette", {"name": name}, {"version": version}, None, options)
        return answer

    async def import_version(self, name: str, data: bytes, *, options: Optional[Options] = None) -> CassetteVersion:
        """Add a version from an export.

        POST /v1/cassettes/{name}/import
        """
        answer: CassetteVersion = await self._call("importCassette", {"name": name}, {}, data, options)
        return answer

    async def delete(self, name: str, *, options: Optional[Options] = None) -> None:
        """Delete a cassette with all its versions.

        DELETE /v1/cassettes/{name}
        """
        await self._call("deleteCassette", {"name": name}, {}, None, options)
