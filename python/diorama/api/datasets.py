# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ..calls import Namespace, Page
from ..streams import Stream
from ..transport import UNSET, Options

__all__ = [
    "Datasets",
    "DatasetVersionOrganization",
    "DatasetVersionServicesItemCollectionsItem",
    "DatasetVersionServicesItem",
    "DatasetVersionSource",
    "DatasetVersion",
    "ListDatasetFormatsReplyItem",
    "Dataset",
]


class DatasetVersionOrganization(TypedDict):
    name: str
    slug: str


class DatasetVersionServicesItemCollectionsItem(TypedDict):
    name: str
    count: int


class DatasetVersionServicesItem(TypedDict):
    service: str
    entity_count: int
    seed_sha256: str
    collections: List[DatasetVersionServicesItemCollectionsItem]


class DatasetVersionSource(TypedDict):
    kind: Literal["import", "snapshot"]
    format: str
    world_id: Optional[str]


class DatasetVersion(TypedDict):
    id: str
    dataset_id: str
    name: str
    number: int
    clock: str
    organization: DatasetVersionOrganization
    people_count: int
    services: List[DatasetVersionServicesItem]
    source: DatasetVersionSource
    pseudonyms: Optional[Dict[str, Any]]
    warnings: List[str]
    created_by: str
    created_at: str


class ListDatasetFormatsReplyItem(TypedDict):
    format: str
    service: Optional[str]
    label: str
    takes: Literal["rows", "files", "tables"]


class Dataset(TypedDict):
    id: str
    name: str
    description: str
    created_by: str
    created_at: str
    latest_version: Optional[DatasetVersion]


class Datasets(Namespace):
    def create(
        self,
        data: Union[bytes, IO[bytes]],
        *,
        name: str,
        description: str = UNSET,
        format: str = UNSET,
        onto: str = UNSET,
        organization: str = UNSET,
        slug: str = UNSET,
        email_domain: str = UNSET,
        clock: str = UNSET,
        acts_as: str = UNSET,
        pseudonymize: Literal["0", "1", "true", "false"] = UNSET,
        options: Optional[Options] = None,
    ) -> DatasetVersion:
        """Import rows as a new immutable version of a dataset: NDJSON, JSON, a zip, or a form that a service exports. All or nothing.

        POST /v1/datasets
        """
        answer: DatasetVersion = self._call("createDataset", {}, {"name": name, "description": description, "format": format, "onto": onto, "organization": organization, "slug": slug, "email_domain": email_domain, "clock": clock, "acts_as": acts_as, "pseudonymize": pseudonymize}, data, options)
        return answer

    def formats(self, *, options: Optional[Options] = None) -> Page[ListDatasetFormatsReplyItem]:
        """The forms of data that can be imported, with the service each becomes.

        GET /v1/datasets/formats
        """
        answer: Page[ListDatasetFormatsReplyItem] = self._call("listDatasetFormats", {}, {}, None, options)
        return answer

    def list(self, *, limit: int = UNSET, cursor: str = UNSET, options: Optional[Options] = None) -> Page[Dataset]:
        """List datasets, newest first, each with its latest version.

        GET /v1/datasets
        """
        answer: Page[Dataset] = self._call("listDatasets", {}, {"limit": limit, "cursor": cursor}, None, options)
        return answer

    def delete(self, dataset_id: str, *, options: Optional[Options] = None) -> None:
        """Delete a dataset with all its versions. Refused while a world, twin or task begins with one.

        DELETE /v1/datasets/{datasetId}
        """
        self._call("deleteDataset", {"datasetId": dataset_id}, {}, None, options)

    def list_versions(
        self,
        dataset_id: str,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        options: Optional[Options] = None,
    ) -> Page[DatasetVersion]:
        """The versions of a dataset, newest first.

        GET /v1/datasets/{datasetId}/versions
        """
        answer: Page[DatasetVersion] = self._call("listDatasetVersions", {"datasetId": dataset_id}, {"limit": limit, "cursor": cursor}, None, options)
        return answer

    def get_version(self, version_id: str, *, options: Optional[Options] = None) -> DatasetVersion:
        """Read one version: its company, services and collections.

        GET /v1/dataset-versions/{versionId}
        """
        answer: DatasetVersion = self._call("readDatasetVersion", {"versionId": version_id}, {}, None, options)
        return answer

    def delete_version(self, version_id: str, *, options: Optional[Options] = None) -> None:
        """Delete one version. Refused while a world, twin or task begins with it.

        DELETE /v1/dataset-versions/{versionId}
        """
        self._call("deleteDatasetVersion", {"versionId": version_id}, {}, None, options)

    def list_rows(
        self,
        version_id: str,
        *,
        service: str,
        collection: str,
        limit: int = UNSET,
        cursor: str = UNSET,
        options: Optional[Options] = None,
    ) -> Page[Dict[str, Any]]:
        """The rows of one collection, in the order in which they were imported.

        GET /v1/dataset-versions/{versionId}/rows
        """
        answer: Page[Dict[str, Any]] = self._call("listDatasetRows", {"versionId": version_id}, {"limit": limit, "cursor": cursor, "service": service, "collection": collection}, None, options)
        return answer

    def export_version(self, version_id: str, *, options: Optional[Options] = None) -> bytes:
        """The whole version as NDJSON: exactly what an import takes.

        GET /v1/dataset-versions/{versionId}/export
        """
        answer: bytes = self._call("exportDatasetVersion", {"versionId": version_id}, {}, None, options)
        return answer

    def export_twin(self, twin_id: str, *, options: Optional[Options] = None) -> bytes:
        """The twin as it is now, as NDJSON: exactly what an import takes.

        GET /v1/twins/{twinId}/export
        """
        answer: bytes = self._call("exportTwin", {"twinId": twin_id}, {}, None, options)
        return answer

    def export_world(self, world_id: str, *, options: Optional[Options] = None) -> bytes:
        """All twins of the world as they are now, as NDJSON: exactly what an import takes.

        GET /v1/builder/worlds/{worldId}/export
        """
        answer: bytes = self._call("exportWorld", {"worldId": world_id}, {}, None, options)
        return answer

    def take_snapshot(
        self,
        world_id: str,
        *,
        name: str,
        description: str = UNSET,
        options: Optional[Options] = None,
    ) -> DatasetVersion:
        """Keep the world as it is now under a name: a dataset version that worlds can be forked from.

        POST /v1/builder/worlds/{worldId}/snapshots
        """
        answer: DatasetVersion = self._call("createSnapshot", {"worldId": world_id}, {}, {"name": name, "description": description}, options)
        return answer

    def list_snapshots(
        self,
        world_id: str,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        options: Optional[Options] = None,
    ) -> Page[DatasetVersion]:
        """The snapshots that were taken of this world, newest first.

        GET /v1/builder/worlds/{worldId}/snapshots
        """
        answer: Page[DatasetVersion] = self._call("listSnapshots", {"worldId": world_id}, {"limit": limit, "cursor": cursor}, None, options)
        return answer
