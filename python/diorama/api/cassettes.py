# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, Iterator, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ..calls import Namespace, Page
from ..transport import UNSET, Options

__all__ = ["Cassettes"]


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
        return self._call("listCassettes", {}, {"limit": limit, "cursor": cursor}, None, options)

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
        return self._call("listCassetteVersions", {"name": name}, {"limit": limit, "cursor": cursor}, None, options)

    def export_version(self, name: str, *, version: int = UNSET, options: Optional[Options] = None) -> bytes:
        """A version as JSON Lines, to commit and to import elsewhere. It holds no key.

        GET /v1/cassettes/{name}/export
        """
        return self._call("exportCassette", {"name": name}, {"version": version}, None, options)

    def import_version(self, name: str, data: bytes, *, options: Optional[Options] = None) -> CassetteVersion:
        """Add a version from an export.

        POST /v1/cassettes/{name}/import
        """
        return self._call("importCassette", {"name": name}, {}, data, options)

    def delete(self, name: str, *, options: Optional[Options] = None) -> None:
        """Delete a cassette with all its versions.

        DELETE /v1/cassettes/{name}
        """
        return self._call("deleteCassette", {"name": name}, {}, None, options)
