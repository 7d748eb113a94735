# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ..calls import Namespace, Page
from ..streams import Stream
from ..transport import UNSET, Options

__all__ = [
    "ModelCalls",
    "ModelCall",
    "ModelCallMessageToolCallsItem",
    "ModelCallMessageRequired",
    "ModelCallMessage",
    "ModelCallDetailReplyToolCallsItem",
    "ModelCallDetailReply",
    "ModelCallDetail",
    "ModelUsageTotal",
    "ModelUsageGroupsItem",
    "ModelUsage",
]


class ModelCall(TypedDict):
    id: str
    trial_id: Optional[str]
    job_id: Optional[str]
    attempt: int
    source: Literal["agent", "judge", "draft", "chat", "coworker"]
    provider: str
    model: Optional[str]
    operation: str
    served: Literal["live", "cassette", "script", "none"]
    streamed: bool
    status: int
    outcome: Literal["succeeded", "provider_error", "refused", "missing", "aborted"]
    error: Optional[str]
    input_tokens: int
    output_tokens: int
    cached_input_tokens: int
    cost_usd: Optional[float]
    latency_ms: float
    first_byte_ms: Optional[float]
    request_sha256: str
    started_at: str


class ModelCallMessageToolCallsItem(TypedDict):
    id: str
    name: str
    input: Any


class ModelCallMessageRequired(TypedDict):
    role: Literal["system", "user", "assistant", "tool"]
    text: str


class ModelCallMessage(ModelCallMessageRequired, total=False):
    tool_calls: List[ModelCallMessageToolCallsItem]
    tool_call_id: str


class ModelCallDetailReplyToolCallsItem(TypedDict):
    id: str
    name: str
    input: Any


class ModelCallDetailReply(TypedDict):
    text: str
    tool_calls: List[ModelCallDetailReplyToolCallsItem]
    finish: Optional[str]


class ModelCallDetail(TypedDict):
    id: str
    trial_id: Optional[str]
    job_id: Optional[str]
    attempt: int
    source: Literal["agent", "judge", "draft", "chat", "coworker"]
    provider: str
    model: Optional[str]
    operation: str
    served: Literal["live", "cassette", "script", "none"]
    streamed: bool
    status: int
    outcome: Literal["succeeded", "provider_error", "refused", "missing", "aborted"]
    error: Optional[str]
    input_tokens: int
    output_tokens: int
    cached_input_tokens: int
    cost_usd: Optional[float]
    latency_ms: float
    first_byte_ms: Optional[float]
    request_sha256: str
    started_at: str
    messages: List[ModelCallMessage]
    reply: ModelCallDetailReply
    request: str
    response: str


class ModelUsageTotal(TypedDict):
    calls: int
    served_live: int
    missing: int
    input_tokens: int
    output_tokens: int
    cached_input_tokens: int
    cost_usd: Optional[float]
    latency_ms: float


class ModelUsageGroupsItem(TypedDict):
    calls: int
    served_live: int
    missing: int
    input_tokens: int
    output_tokens: int
    cached_input_tokens: int
    cost_usd: Optional[float]
    latency_ms: float
    agent: Optional[str]
    source: Literal["agent", "judge", "draft", "chat", "coworker"]
    provider: str
    model: Optional[str]


class ModelUsage(TypedDict):
    total: ModelUsageTotal
    groups: List[ModelUsageGroupsItem]


class ModelCalls(Namespace):
    def list(
        self,
        job_id: str,
        trial_id: str,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        options: Optional[Options] = None,
    ) -> Page[ModelCall]:
        """A trial's calls of models in their order, those of voided attempts and of judges included.

        GET /v1/backtests/jobs/{jobId}/trials/{trialId}/model-calls
        """
        answer: Page[ModelCall] = self._call("listModelCalls", {"jobId": job_id, "trialId": trial_id}, {"limit": limit, "cursor": cursor}, None, options)
        return answer

    def get(self, call_id: str, *, options: Optional[Options] = None) -> ModelCallDetail:
        """One call with its prompt and its reply.

        GET /v1/model-calls/{callId}
        """
        answer: ModelCallDetail = self._call("readModelCall", {"callId": call_id}, {}, None, options)
        return answer

    def usage(self, job_id: str, *, options: Optional[Options] = None) -> ModelUsage:
        """Tokens, cost and latency of an evaluation by agent, by who asked and by model.

        GET /v1/backtests/jobs/{jobId}/model-usage
        """
        answer: ModelUsage = self._call("readModelUsage", {"jobId": job_id}, {}, None, options)
        return answer
