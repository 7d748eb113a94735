# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ...aio.calls import AsyncNamespace, AsyncPage
from ...aio.streams import AsyncStream
from ...transport import UNSET, Options
from ..model_calls import ModelCall, ModelCallDetail, ModelUsage

__all__ = ["AsyncModelCalls"]


class AsyncModelCalls(AsyncNamespace):
    async def list(
        self,
        job_id: str,
        trial_id: str,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        options: Optional[Options] = None,
    ) -> AsyncPage[ModelCall]:
        """A trial's calls of models in their order, those of voided attempts and of judges included.

        GET /v1/backtests/jobs/{jobId}/trials/{trialId}/model-calls
        """
        answer: AsyncPage[ModelCall] = await self._call("listModelCalls", {"jobId": job_id, "trialId": trial_id}, {"limit": limit, "cursor": cursor}, None, options)
        return answer

    async def get(self, call_id: str, *, options: Optional[Options] = None) -> ModelCallDetail:
        """One call with its prompt and its reply.

        GET /v1/model-calls/{callId}
        """
        answer: ModelCallDetail = await self._call("readModelCall", {"callId": call_id}, {}, None, options)
        return answer

    async def usage(self, job_id: str, *, options: Optional[Options] = None) -> ModelUsage:
        """Tokens, cost and latency of an evaluation by agent, by who asked and by model.

        GET /v1/backtests/jobs/{jobId}/model-usage
        """
        answer: ModelUsage = await self._call("readModelUsage", {"jobId": job_id}, {}, None, options)
        return answer
