# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ...aio.calls import AsyncNamespace, AsyncPage
from ...aio.streams import AsyncStream
from ...transport import UNSET, Options
from ..worlds import Activity, Diff, ListWorldClientsReply, ListWorldEventsReply, SampleCompany, Validation, WorldClock, WorldEvent, WorldResponse, WorldSummary

__all__ = ["AsyncWorlds"]


class AsyncWorlds(AsyncNamespace):
    async def launch(
        self,
        *,
        blueprint: Mapping[str, Any] = UNSET,
        dataset_version_id: Optional[str] = UNSET,
        idempotency_key: Optional[str] = UNSET,
        source_world_id: Optional[str] = UNSET,
        ttl_hours: Optional[int] = UNSET,
        options: Optional[Options] = None,
    ) -> WorldResponse:
        """Compile a blueprint or take a dataset version, save a world version, and start one twin for each service.

        POST /v1/builder/worlds
        """
        answer: WorldResponse = await self._call("launchWorld", {}, {}, {"blueprint": blueprint, "datasetVersionId": dataset_version_id, "idempotencyKey": idempotency_key, "sourceWorldId": source_world_id, "ttlHours": ttl_hours}, options)
        return answer

    async def list(
        self,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        root_world_id: str = UNSET,
        tag: str = UNSET,
        archived: Literal["0", "1", "true", "false"] = UNSET,
        options: Optional[Options] = None,
    ) -> AsyncPage[WorldSummary]:
        """List worlds, newest first.

        GET /v1/builder/worlds
        """
        answer: AsyncPage[WorldSummary] = await self._call("listWorlds", {}, {"limit": limit, "cursor": cursor, "root_world_id": root_world_id, "tag": tag, "archived": archived}, None, options)
        return answer

    async def get(self, world_id: str, *, options: Optional[Options] = None) -> WorldResponse:
        """Read a world with the live statuses of its twins.

        GET /v1/builder/worlds/{worldId}
        """
        answer: WorldResponse = await self._call("readWorld", {"worldId": world_id}, {}, None, options)
        return answer

    async def update(
        self,
        world_id: str,
        *,
        tags: Sequence[str] = UNSET,
        archived: bool = UNSET,
        options: Optional[Options] = None,
    ) -> WorldResponse:
        """Tag a world, or archive it; fields left out stay as they are.

        PATCH /v1/builder/worlds/{worldId}
        """
        answer: WorldResponse = await self._call("updateWorld", {"worldId": world_id}, {}, {"tags": tags, "archived": archived}, options)
        return answer

    async def list_versions(
        self,
        world_id: str,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        options: Optional[Options] = None,
    ) -> AsyncPage[WorldSummary]:
        """The lineage of a world, newest first.

        GET /v1/builder/worlds/{worldId}/versions
        """
        answer: AsyncPage[WorldSummary] = await self._call("listWorldVersions", {"worldId": world_id}, {"limit": limit, "cursor": cursor}, None, options)
        return answer

    async def list_activity(
        self,
        world_id: str,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        operation: str = UNSET,
        status: Union[int, str] = UNSET,
        actor: str = UNSET,
        q: str = UNSET,
        cause: str = UNSET,
        mutations_only: Literal["0", "1", "true", "false"] = UNSET,
        refused: Literal["0", "1", "true", "false"] = UNSET,
        since: str = UNSET,
        service: str = UNSET,
        options: Optional[Options] = None,
    ) -> AsyncPage[Activity]:
        """Requests to all twins of a world, newest first.

        GET /v1/builder/worlds/{worldId}/activity
        """
        answer: AsyncPage[Activity] = await self._call("listWorldActivity", {"worldId": world_id}, {"limit": limit, "cursor": cursor, "operation": operation, "status": status, "actor": actor, "q": q, "cause": cause, "mutations_only": mutations_only, "refused": refused, "since": since, "service": service}, None, options)
        return answer

    def stream_activity(
        self,
        world_id: str,
        *,
        operation: str = UNSET,
        status: Union[int, str] = UNSET,
        actor: str = UNSET,
        q: str = UNSET,
        cause: str = UNSET,
        mutations_only: Literal["0", "1", "true", "false"] = UNSET,
        refused: Literal["0", "1", "true", "false"] = UNSET,
        since: str = UNSET,
        after: str = UNSET,
        service: str = UNSET,
        options: Optional[Options] = None,
    ) -> AsyncStream[Activity]:
        """New requests to all twins of a world as they are recorded, as server-sent events; resumes after the last one seen.

        GET /v1/builder/worlds/{worldId}/activity/stream
        """
        answer: AsyncStream[Activity] = self._stream("streamWorldActivity", {"worldId": world_id}, {"operation": operation, "status": status, "actor": actor, "q": q, "cause": cause, "mutations_only": mutations_only, "refused": refused, "since": since, "after": after, "service": service}, options)
        return answer

    async def diff(
        self,
        world_id: str,
        *,
        limit: int = UNSET,
        after: str = UNSET,
        by: Literal["agent", "world"] = UNSET,
        options: Optional[Options] = None,
    ) -> Diff:
        """What changed against the seeds, over all twins.

        GET /v1/builder/worlds/{worldId}/diff
        """
        answer: Diff = await self._call("diffWorld", {"worldId": world_id}, {"limit": limit, "after": after, "by": by}, None, options)
        return answer

    async def branch(
        self,
        world_id: str,
        *,
        at: str,
        name: str = UNSET,
        ttl_hours: Optional[int] = UNSET,
        options: Optional[Options] = None,
    ) -> WorldResponse:
        """Start a world as another one was after one of its requests, to go on differently from there. It starts a new lineage, without tasks.

        POST /v1/builder/worlds/{worldId}/branch
        """
        answer: WorldResponse = await self._call("branchWorld", {"worldId": world_id}, {}, {"at": at, "name": name, "ttlHours": ttl_hours}, options)
        return answer

    async def list_clients(self, world_id: str, *, options: Optional[Options] = None) -> ListWorldClientsReply:
        """How programs reach the services of a world that runs: addresses, real host names, variables.

        GET /v1/builder/worlds/{worldId}/clients
        """
        answer: ListWorldClientsReply = await self._call("listWorldClients", {"worldId": world_id}, {}, None, options)
        return answer

    async def state(self, world_id: str, *, options: Optional[Options] = None) -> bytes:
        """The file by which scorers see a world: its records, its changes and its activity, as they are now.

        GET /v1/builder/worlds/{worldId}/state.json
        """
        answer: bytes = await self._call("readWorldState", {"worldId": world_id}, {}, None, options)
        return answer

    async def clock(self, world_id: str, *, options: Optional[Options] = None) -> WorldClock:
        """Read a world's clock. What is due by now happens first.

        GET /v1/builder/worlds/{worldId}/clock
        """
        answer: WorldClock = await self._call("readWorldClock", {"worldId": world_id}, {}, None, options)
        return answer

    async def move_clock(
        self,
        world_id: str,
        *,
        advance: str = UNSET,
        to: str = UNSET,
        mode: Literal["story", "wall"] = UNSET,
        factor: float = UNSET,
        request_cost: str = UNSET,
        options: Optional[Options] = None,
    ) -> WorldClock:
        """Move a world's clock, or choose how it runs. What comes due on the way happens in order, over all twins.

        POST /v1/builder/worlds/{worldId}/clock
        """
        answer: WorldClock = await self._call("moveWorldClock", {"worldId": world_id}, {}, {"advance": advance, "to": to, "mode": mode, "factor": factor, "request_cost": request_cost}, options)
        return answer

    async def list_events(self, world_id: str, *, options: Optional[Options] = None) -> ListWorldEventsReply:
        """The events that a world has scheduled, and those that have happened.

        GET /v1/builder/worlds/{worldId}/events
        """
        answer: ListWorldEventsReply = await self._call("listWorldEvents", {"worldId": world_id}, {}, None, options)
        return answer

    async def add_event(self, world_id: str, *, event: Mapping[str, Any], options: Optional[Options] = None) -> WorldEvent:
        """Add an event to a running world, in the form of `scenario.events` of a blueprint.

        POST /v1/builder/worlds/{worldId}/events
        """
        answer: WorldEvent = await self._call("addWorldEvent", {"worldId": world_id}, {}, {"event": event}, options)
        return answer

    async def reset(self, world_id: str, *, options: Optional[Options] = None) -> WorldResponse:
        """Return all twins of a world to their seeds.

        POST /v1/builder/worlds/{worldId}/reset
        """
        answer: WorldResponse = await self._call("resetWorld", {"worldId": world_id}, {}, None, options)
        return answer

    async def stop(self, world_id: str, *, options: Optional[Options] = None) -> WorldResponse:
        """Stop all twins of a world.

        POST /v1/builder/worlds/{worldId}/stop
        """
        answer: WorldResponse = await self._call("stopWorld", {"worldId": world_id}, {}, None, options)
        return answer

    async def delete(self, world_id: str, *, options: Optional[Options] = None) -> None:
        """Delete a world that has ended, with its twins, their ledgers and its environment version, unless a task or an evaluation uses it. It cannot be undone.

        DELETE /v1/builder/worlds/{worldId}
        """
        await self._call("deleteWorld", {"worldId": world_id}, {}, None, options)

    async def validate(self, *, blueprint: Any, options: Optional[Options] = None) -> Validation:
        """Compile without launching: every error and every warning.

        POST /v1/builder/worlds/validate
        """
        answer: Validation = await self._call("validateBlueprint", {}, {}, {"blueprint": blueprint}, options)
        return answer

    async def blueprint_schema(self, *, options: Optional[Options] = None) -> Dict[str, Any]:
        """JSON Schema (2020-12) of a blueprint.

        GET /v1/builder/blueprint.schema.json
        """
        answer: Dict[str, Any] = await self._call("readBlueprintSchema", {}, {}, None, options)
        return answer

    async def sample_blueprint(self, *, options: Optional[Options] = None) -> Dict[str, Any]:
        """The sample company: a whole blueprint to start from.

        GET /v1/builder/blueprint.sample.json
        """
        answer: Dict[str, Any] = await self._call("readSampleBlueprint", {}, {}, None, options)
        return answer

    async def samples(self, *, options: Optional[Options] = None) -> AsyncPage[SampleCompany]:
        """The companies of the library, ready to be launched; the sample company comes first.

        GET /v1/builder/samples
        """
        answer: AsyncPage[SampleCompany] = await self._call("listSamples", {}, {}, None, options)
        return answer

    async def sample(self, slug: str, *, options: Optional[Options] = None) -> Dict[str, Any]:
        """The blueprint of a company of the library.

        GET /v1/builder/samples/{slug}
        """
        answer: Dict[str, Any] = await self._call("readSample", {"slug": slug}, {}, None, options)
        return answer
