# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ..calls import Namespace, Page
from ..streams import Stream
from ..transport import UNSET, Options
from .api_keys import ApiKeyCreated
from .me import Organization

__all__ = [
    "Organizations",
    "OrganizationCreated",
]


class OrganizationCreated(TypedDict):
    organization: Organization
    key: ApiKeyCreated


class Organizations(Namespace):
    def list(self, *, limit: int = UNSET, cursor: str = UNSET, options: Optional[Options] = None) -> Page[Organization]:
        """List organizations, newest first.

        GET /v1/organizations
        """
        answer: Page[Organization] = self._call("listOrganizations", {}, {"limit": limit, "cursor": cursor}, None, options)
        return answer

    def create(
        self,
        *,
        name: str,
        limits: Mapping[str, Any] = UNSET,
        options: Optional[Options] = None,
    ) -> OrganizationCreated:
        """Create an organization, with its first platform key.

        POST /v1/organizations
        """
        answer: OrganizationCreated = self._call("createOrganization", {}, {}, {"name": name, "limits": limits}, options)
        return answer

    def get(self, organization_id: str, *, options: Optional[Options] = None) -> Organization:
        """Read one organization.

        GET /v1/organizations/{organizationId}
        """
        answer: Organization = self._call("readOrganization", {"organizationId": organization_id}, {}, None, options)
        return answer

    def update(
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
        answer: Organization = self._call("updateOrganization", {"organizationId": organization_id}, {}, {"name": name, "limits": limits}, options)
        return answer
