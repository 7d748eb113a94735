# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union


class TwinModelCoverageItemRequired(TypedDict):
    operation: str
    status: Literal["done", "partial", "not emulated"]


class TwinModelCoverageItem(TwinModelCoverageItemRequired, total=False):
    missing: str
    evidence: Literal["documented", "observed", "chosen"]


class TwinModelSummary(TypedDict):
    done: int
    partial: int
    not_emulated: int


class TwinModel(TypedDict):
    id: str
    stands_for: str
    hosts: List[str]
    coverage: List[TwinModelCoverageItem]
    summary: TwinModelSummary


class ForwardedAttempt(TypedDict):
    id: str
    kind: str
    emission_id: str
    method: str
    url: str
    headers: Dict[str, Any]
    body: str
    timeout_ms: int


class TakeTwinForwardsReply(TypedDict):
    items: List[ForwardedAttempt]


class AnswerTwinForwardReply(TypedDict):
    accepted: bool


class Delivery(TypedDict):
    id: str
    twin_id: str
    cause: str
    channel: str
    kind: str
    receiver: str
    emission_id: str
    url: Optional[str]
    status: Literal["pending", "delivered", "failed", "dropped"]
    attempts: int
    fault: Optional[Literal["timeout", "connection", "tls", "status", "refused", "no_receiver", "closed", "backlog"]]
    response_status: Optional[int]
    created_at: str
    next_attempt_at: Optional[str]
    settled_at: Optional[str]


class DeliveryAttemptRequest(TypedDict):
    method: str
    headers: Dict[str, Any]
    body: str


class DeliveryAttemptResponse(TypedDict):
    status: int
    headers: Dict[str, Any]
    body: str


class DeliveryAttempt(TypedDict):
    number: int
    at: str
    duration_ms: float
    fault: Optional[Literal["timeout", "connection", "tls", "status", "refused", "no_receiver", "closed", "backlog"]]
    error: Optional[str]
    request: DeliveryAttemptRequest
    response: Optional[DeliveryAttemptResponse]


class DeliveryDetail(TypedDict):
    id: str
    twin_id: str
    cause: str
    channel: str
    kind: str
    receiver: str
    emission_id: str
    url: Optional[str]
    status: Literal["pending", "delivered", "failed", "dropped"]
    attempts: int
    fault: Optional[Literal["timeout", "connection", "tls", "status", "refused", "no_receiver", "closed", "backlog"]]
    response_status: Optional[int]
    created_at: str
    next_attempt_at: Optional[str]
    settled_at: Optional[str]
    payload: Dict[str, Any]
    tries: List[DeliveryAttempt]


class ActivityDetailActor(TypedDict):
    id: str
    name: str
    subject: str


class ActivityDetailRequest(TypedDict):
    method: str
    path: str
    query: str
    headers: Dict[str, Any]
    body: str
    encoding: Literal["text", "base64"]
    size: int
    truncated: bool


class ActivityDetailResponse(TypedDict):
    status: int
    headers: Dict[str, Any]
    body: str
    encoding: Literal["text", "base64"]
    size: int
    truncated: bool


class Mutation(TypedDict):
    collection: str
    operation: Literal["create", "update", "delete"]
    id: str
    key: Optional[str]
    before: Optional[Dict[str, Any]]
    after: Optional[Dict[str, Any]]


class ActivityDetail(TypedDict):
    request_id: str
    twin_id: str
    service: str
    at: str
    world_time: str
    duration_ms: float
    operation: str
    actor: Optional[ActivityDetailActor]
    mutation_count: int
    not_emulated: List[str]
    refused: Optional[str]
    cause: Optional[str]
    request: ActivityDetailRequest
    response: ActivityDetailResponse
    truncated: bool
    mutations: List[Mutation]


class ReadTwinStateReplyItem(TypedDict):
    id: str
    key: Optional[str]
    record: Dict[str, Any]


class TwinIdentity(TypedDict):
    subject: str
    native_id: str
    name: str
    email: str
    token: str

