# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ..calls import Namespace, Page
from ..streams import Stream
from ..transport import UNSET, Options
from .worlds import Activity, Diff, TwinInstanceRecord
from .twins_types import (
    TwinModelCoverageItemRequired,
    TwinModelCoverageItem,
    TwinModelSummary,
    TwinModel,
    ForwardedAttempt,
    TakeTwinForwardsReply,
    AnswerTwinForwardReply,
    Delivery,
    DeliveryAttemptRequest,
    DeliveryAttemptResponse,
    DeliveryAttempt,
    DeliveryDetail,
    ActivityDetailActor,
    ActivityDetailRequest,
    ActivityDetailResponse,
    Mutation,
    ActivityDetail,
    ReadTwinStateReplyItem,
    TwinIdentity,
)

__all__ = [
    "Twins",
    "TwinModelCoverageItemRequired",
    "TwinModelCoverageItem",
    "TwinModelSummary",
    "TwinModel",
    "ForwardedAttempt",
    "TakeTwinForwardsReply",
    "AnswerTwinForwardReply",
    "Delivery",
    "DeliveryAttemptRequest",
    "DeliveryAttemptResponse",
    "DeliveryAttempt",
    "DeliveryDetail",
    "ActivityDetailActor",
    "ActivityDetailRequest",
    "ActivityDetailResponse",
    "Mutation",
    "ActivityDetail",
    "ReadTwinStateReplyItem",
    "TwinIdentity",
]


class Twins(Namespace):
    def list_models(self, *, options: Optional[Options] = None) -> Page[TwinModel]:
        """The services that can be copied, with what is emulated of each.

        GET /v1/twins/models
        """
        answer: Page[TwinModel] = self._call("listTwinModels", {}, {}, None, options)
        return answer

    def list(
        self,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        service: str = UNSET,
        status: Literal["provisioning", "running", "degraded", "stopped", "expired", "failed"] = UNSET,
        world_id: str = UNSET,
        standalone: Literal["0", "1", "true", "false"] = UNSET,
        options: Optional[Options] = None,
    ) -> Page[TwinInstanceRecord]:
        """List twins, newest first. The copies that trials run in are left out.

        GET /v1/twins
        """
        answer: Page[TwinInstanceRecord] = self._call("listTwins", {}, {"limit": limit, "cursor": cursor, "service": service, "status": status, "world_id": world_id, "standalone": standalone}, None, options)
        return answer

    def create(
        self,
        *,
        service: str,
        ttl_hours: int = UNSET,
        environment_version_id: Optional[str] = UNSET,
        dataset_version_id: Optional[str] = UNSET,
        options: Optional[Options] = None,
    ) -> TwinInstanceRecord:
        """Create a standalone twin: with sample data, from an environment version or from a dataset version.

        POST /v1/twins
        """
        answer: TwinInstanceRecord = self._call("createTwin", {}, {}, {"service": service, "ttl_hours": ttl_hours, "environment_version_id": environment_version_id, "dataset_version_id": dataset_version_id}, options)
        return answer

    def get(self, twin_id: str, *, options: Optional[Options] = None) -> TwinInstanceRecord:
        """Read one twin.

        GET /v1/twins/{twinId}
        """
        answer: TwinInstanceRecord = self._call("readTwin", {"twinId": twin_id}, {}, None, options)
        return answer

    def get_settings(self, twin_id: str, *, options: Optional[Options] = None) -> Dict[str, Any]:
        """The twin's settings for the programs it calls: addresses, subscribed events, secrets. In the words of its service.

        GET /v1/twins/{twinId}/settings
        """
        answer: Dict[str, Any] = self._call("readTwinSettings", {"twinId": twin_id}, {}, None, options)
        return answer

    def set_settings(
        self,
        twin_id: str,
        fields: Mapping[str, Any],
        *,
        options: Optional[Options] = None,
    ) -> Dict[str, Any]:
        """Change settings of the twin; what is left out stays as it is. Recorded as a step.

        PUT /v1/twins/{twinId}/settings
        """
        answer: Dict[str, Any] = self._call("writeTwinSettings", {"twinId": twin_id}, {}, dict(fields), options)
        return answer

    def interact(self, twin_id: str, fields: Mapping[str, Any], *, options: Optional[Options] = None) -> Dict[str, Any]:
        """Do what a person does on the service's own screens, such as pressing a button. Recorded as a step of that person.

        POST /v1/twins/{twinId}/interactions
        """
        answer: Dict[str, Any] = self._call("interactWithTwin", {"twinId": twin_id}, {}, dict(fields), options)
        return answer

    def take_forwards(self, twin_id: str, *, options: Optional[Options] = None) -> TakeTwinForwardsReply:
        """Wait for deliveries of the twin and make them yourself, from a machine that cannot be called. While you ask, they go to you alone.

        POST /v1/twins/{twinId}/forwarding
        """
        answer: TakeTwinForwardsReply = self._call("takeTwinForwards", {"twinId": twin_id}, {}, None, options)
        return answer

    def answer_forward(
        self,
        twin_id: str,
        attempt_id: str,
        *,
        status: int = UNSET,
        headers: Mapping[str, Any] = UNSET,
        body: str = UNSET,
        error: str = UNSET,
        options: Optional[Options] = None,
    ) -> AnswerTwinForwardReply:
        """Report what the receiver answered to a delivery that you made.

        POST /v1/twins/{twinId}/forwarding/{attemptId}
        """
        answer: AnswerTwinForwardReply = self._call("answerTwinForward", {"twinId": twin_id, "attemptId": attempt_id}, {}, {"status": status, "headers": headers, "body": body, "error": error}, options)
        return answer

    def list_deliveries(
        self,
        twin_id: str,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        status: Literal["pending", "delivered", "failed", "dropped"] = UNSET,
        kind: str = UNSET,
        cause: str = UNSET,
        options: Optional[Options] = None,
    ) -> Page[Delivery]:
        """What the twin has sent or will send: events, webhooks, pressed buttons. Newest first.

        GET /v1/twins/{twinId}/deliveries
        """
        answer: Page[Delivery] = self._call("listTwinDeliveries", {"twinId": twin_id}, {"limit": limit, "cursor": cursor, "status": status, "kind": kind, "cause": cause}, None, options)
        return answer

    def get_delivery(self, twin_id: str, delivery_id: str, *, options: Optional[Options] = None) -> DeliveryDetail:
        """One delivery in full, with every attempt and its answer.

        GET /v1/twins/{twinId}/deliveries/{deliveryId}
        """
        answer: DeliveryDetail = self._call("readTwinDelivery", {"twinId": twin_id, "deliveryId": delivery_id}, {}, None, options)
        return answer

    def resend_delivery(self, twin_id: str, delivery_id: str, *, options: Optional[Options] = None) -> Delivery:
        """Send a delivery once more, with the same id, whether or not it was delivered before.

        POST /v1/twins/{twinId}/deliveries/{deliveryId}/resend
        """
        answer: Delivery = self._call("resendTwinDelivery", {"twinId": twin_id, "deliveryId": delivery_id}, {}, None, options)
        return answer

    def reset(self, twin_id: str, *, options: Optional[Options] = None) -> TwinInstanceRecord:
        """Return to the seed. The twin passes through provisioning.

        POST /v1/twins/{twinId}/reset
        """
        answer: TwinInstanceRecord = self._call("resetTwin", {"twinId": twin_id}, {}, None, options)
        return answer

    def stop(self, twin_id: str, *, options: Optional[Options] = None) -> TwinInstanceRecord:
        """Stop the twin. Its activity and its difference from the seed stay readable.

        DELETE /v1/twins/{twinId}
        """
        answer: TwinInstanceRecord = self._call("stopTwin", {"twinId": twin_id}, {}, None, options)
        return answer

    def delete(self, twin_id: str, *, options: Optional[Options] = None) -> None:
        """Delete a twin of no world that has ended, with its ledger and snapshots. It cannot be undone.

        DELETE /v1/twins/{twinId}/records
        """
        self._call("deleteTwin", {"twinId": twin_id}, {}, None, options)

    def list_activity(
        self,
        twin_id: str,
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
        options: Optional[Options] = None,
    ) -> Page[Activity]:
        """Requests to the twin, newest first.

        GET /v1/twins/{twinId}/activity
        """
        answer: Page[Activity] = self._call("listTwinActivity", {"twinId": twin_id}, {"limit": limit, "cursor": cursor, "operation": operation, "status": status, "actor": actor, "q": q, "cause": cause, "mutations_only": mutations_only, "refused": refused, "since": since}, None, options)
        return answer

    def stream_activity(
        self,
        twin_id: str,
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
        options: Optional[Options] = None,
    ) -> Stream[Activity]:
        """New requests to the twin as they are recorded, as server-sent events; resumes after the last one seen.

        GET /v1/twins/{twinId}/activity/stream
        """
        answer: Stream[Activity] = self._call("streamTwinActivity", {"twinId": twin_id}, {"operation": operation, "status": status, "actor": actor, "q": q, "cause": cause, "mutations_only": mutations_only, "refused": refused, "since": since, "after": after}, None, options)
        return answer

    def get_activity(self, twin_id: str, request_id: str, *, options: Optional[Options] = None) -> ActivityDetail:
        """One request in full, with the records it changed before and after.

        GET /v1/twins/{twinId}/activity/{requestId}
        """
        answer: ActivityDetail = self._call("readTwinActivity", {"twinId": twin_id, "requestId": request_id}, {}, None, options)
        return answer

    def diff(
        self,
        twin_id: str,
        *,
        limit: int = UNSET,
        after: str = UNSET,
        by: Literal["agent", "world"] = UNSET,
        options: Optional[Options] = None,
    ) -> Diff:
        """What changed against the seed.

        GET /v1/twins/{twinId}/diff
        """
        answer: Diff = self._call("diffTwin", {"twinId": twin_id}, {"limit": limit, "after": after, "by": by}, None, options)
        return answer

    def state(
        self,
        twin_id: str,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        collection: str = UNSET,
        options: Optional[Options] = None,
    ) -> Page[ReadTwinStateReplyItem]:
        """The collections of the twin, and the records of one of them.

        GET /v1/twins/{twinId}/state
        """
        answer: Page[ReadTwinStateReplyItem] = self._call("readTwinState", {"twinId": twin_id}, {"limit": limit, "cursor": cursor, "collection": collection}, None, options)
        return answer

    def list_identities(self, twin_id: str, *, options: Optional[Options] = None) -> Page[TwinIdentity]:
        """The people of the twin, with their native ids and a token to act as each.

        GET /v1/twins/{twinId}/identities
        """
        answer: Page[TwinIdentity] = self._call("listTwinIdentities", {"twinId": twin_id}, {}, None, options)
        return answer
