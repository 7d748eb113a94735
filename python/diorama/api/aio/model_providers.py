# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ...aio.calls import AsyncNamespace, AsyncPage
from ...aio.streams import AsyncStream
from ...transport import UNSET, Options
from ..model_providers import ModelProvider, ModelProviderList, ModelProviderTestResult

__all__ = ["AsyncModelProviders"]


class AsyncModelProviders(AsyncNamespace):
    async def list(self, *, options: Optional[Options] = None) -> ModelProviderList:
        """List the providers of models that this organization can use, by name. Keys are never shown.

        GET /v1/model-providers
        """
        answer: ModelProviderList = await self._call("listModelProviders", {}, {}, None, options)
        return answer

    async def get(self, name: str, *, options: Optional[Options] = None) -> ModelProvider:
        """Read one provider.

        GET /v1/model-providers/{name}
        """
        answer: ModelProvider = await self._call("readModelProvider", {"name": name}, {}, None, options)
        return answer

    async def put(
        self,
        name: str,
        *,
        wire: Literal["openai", "anthropic", "gemini"] = UNSET,
        base_url: Optional[str] = UNSET,
        hosts: Sequence[str] = UNSET,
        agents: bool = UNSET,
        models: Optional[Sequence[str]] = UNSET,
        prices: Mapping[str, Any] = UNSET,
        api_key: Optional[str] = UNSET,
        options: Optional[Options] = None,
    ) -> ModelProvider:
        """Create a provider, or replace its settings.

        PUT /v1/model-providers/{name}
        """
        answer: ModelProvider = await self._call("putModelProvider", {"name": name}, {}, {"wire": wire, "base_url": base_url, "hosts": hosts, "agents": agents, "models": models, "prices": prices, "api_key": api_key}, options)
        return answer

    async def delete(self, name: str, *, options: Optional[Options] = None) -> None:
        """Delete a provider and its key. A default of the deployment with the same name counts again.

        DELETE /v1/model-providers/{name}
        """
        await self._call("deleteModelProvider", {"name": name}, {}, None, options)

    async def test(self, name: str, *, model: str, options: Optional[Options] = None) -> ModelProviderTestResult:
        """Ask a model of the provider one short question, with the stored key.

        POST /v1/model-providers/{name}/test
        """
        answer: ModelProviderTestResult = await self._call("testModelProvider", {"name": name}, {}, {"model": model}, options)
        return answer
