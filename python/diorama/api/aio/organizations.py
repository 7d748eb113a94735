# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ...aio.calls import AsyncNamespace, AsyncPage
from ...aio.streams import AsyncStream
from ...transport import UNSET, Options
from ..me import Organization
from ..organizations import OrganizationCreated

__all__ = ["AsyncOrganizations"]


class AsyncOrganizations(AsyncNamespace):
    async def list(
        self,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        options: Optional[Options] = None,
    ) -> AsyncPage[Organization]:
        """List organizations, newest first.

        GET /v1/organizations
        """
        answer: AsyncPage[Organization] = await self._call("listOrganizations", {}, {"limit": limit, "cursor": cursor}, None, options)
        return answer

    async def create(
        self,
        *,
        name: str,
        limits: Mapping[str, Any] = UNSET,
        options: Optional[Options] = None,
    ) -> OrganizationCreated:
        """Create an organization, with its first platform key.

        POST /v1/organizations
        """
        answer: OrganizationCreated = await self._call("createOrganization", {}, {}, {"name": name, "limits": limits}, options)
        return answer

    async def get(self, organization_id: str, *, options: Optional[Options] = None) -> Organization:
        """Read one organization.

        GET /v1/organizations/{organizationId}
        """
        answer: Organization = await self._call("readOrganization", {"organizationId": organization_id}, {}, None, options)
        return answer

    async def update(
        self,
        organization_id: str,
        *,
        name: str = UNSET,
        limits: Mapping[str, Any] = UNSET,
        options: Optional[Options] = None,
    ) -> Organization:
        """Change the name or the limits of an organization; fields left out stay as they are.

        PATCH /v1/organizations/{organizationId}
        """
        answer: Organization = await self._call("updateOrganization", {"organizationId": organization_id}, {}, {"name": name, "limits": limits}, options)
        return answer
