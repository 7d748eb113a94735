# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ..calls import Namespace, Page
from ..streams import Stream
from ..transport import UNSET, Options

__all__ = [
    "Cassettes",
    "CassetteVersion",
]


class CassetteVersion(TypedDict):
    name: str
    version: int
    job_id: Optional[str]
    open: bool
    entries: int
    created_at: str


class Cassettes(Namespace):
    def list(
        self,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        options: Optional[Options] = None,
    ) -> Page[CassetteVersion]:
        """List cassettes, each with its newest version.

        GET /v1/cassettes
        """
        answer: Page[CassetteVersion] = self._call("listCassettes", {}, {"limit": limit, "cursor": cursor}, None, options)
        return answer

    def list_versions(
        self,
        name: str,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        options: Optional[Options] = None,
    ) -> Page[CassetteVersion]:
        """List the versions of a cassette, newest first.

        GET /v1/cassettes/{name}/versions
        """
        answer: Page[CassetteVersion] = self._call("listCassetteVersions", {"name": name}, {"limit": limit, "cursor": cursor}, None, options)
        return answer

    def export_version(self, name: str, *, version: int = UNSET, options: Optional[Options] = None) -> bytes:
        """A version as JSON Lines, to commit and to import elsewhere. It holds no key.

        GET /v1/cassettes/{name}/export
        """
        answer: bytes = self._call("exportCassette", {"name": name}, {"version": version}, None, options)
        return answer

    def import_version(self, name: str, data: bytes, *, options: Optional[Options] = None) -> CassetteVersion:
        """Add a version from an export.

        POST /v1/cassettes/{name}/import
        """
        answer: CassetteVersion = self._call("importCassette", {"name": name}, {}, data, options)
        return answer

    def delete(self, name: str, *, options: Optional[Options] = None) -> None:
        """Delete a cassette with all its versions.

        DELETE /v1/cassettes/{name}
        """
        self._call("deleteCassette", {"name": name}, {}, None, options)
