# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ...aio.calls import AsyncNamespace, AsyncPage
from ...aio.streams import AsyncStream
from ...transport import UNSET, Options
from ..scorers import Calibration, ListBuiltinScorersReply, Scorer, ScorerTestResult

__all__ = ["AsyncScorers"]


class AsyncScorers(AsyncNamespace):
    async def list(
        self,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        kind: Literal["llm-judge", "code"] = UNSET,
        include_archived: Literal["0", "1", "true", "false"] = UNSET,
        options: Optional[Options] = None,
    ) -> AsyncPage[Scorer]:
        """List the scorer library, newest first.

        GET /v1/scorers
        """
        answer: AsyncPage[Scorer] = await self._call("listScorers", {}, {"limit": limit, "cursor": cursor, "kind": kind, "include_archived": include_archived}, None, options)
        return answer

    async def create(
        self,
        *,
        name: str,
        slug: Optional[str] = UNSET,
        description: Optional[str] = UNSET,
        kind: Literal["llm-judge", "code"] = UNSET,
        prompt: Optional[str] = UNSET,
        choice_scores: Sequence[Mapping[str, Any]] = UNSET,
        use_cot: bool = UNSET,
        allow_skip: bool = UNSET,
        model: Optional[str] = UNSET,
        code: Optional[str] = UNSET,
        language: Optional[Literal["python", "typescript"]] = UNSET,
        pass_threshold: Optional[float] = UNSET,
        options: Optional[Options] = None,
    ) -> Scorer:
        """Create a scorer.

        POST /v1/scorers
        """
        answer: Scorer = await self._call("createScorer", {}, {}, {"name": name, "slug": slug, "description": description, "kind": kind, "prompt": prompt, "choiceScores": choice_scores, "useCot": use_cot, "allowSkip": allow_skip, "model": model, "code": code, "language": language, "passThreshold": pass_threshold}, options)
        return answer

    async def get(self, scorer_id: str, *, options: Optional[Options] = None) -> Scorer:
        """Read one scorer.

        GET /v1/scorers/{scorerId}
        """
        answer: Scorer = await self._call("readScorer", {"scorerId": scorer_id}, {}, None, options)
        return answer

    async def update(
        self,
        scorer_id: str,
        *,
        name: str,
        slug: Optional[str] = UNSET,
        description: Optional[str] = UNSET,
        kind: Literal["llm-judge", "code"] = UNSET,
        prompt: Optional[str] = UNSET,
        choice_scores: Sequence[Mapping[str, Any]] = UNSET,
        use_cot: bool = UNSET,
        allow_skip: bool = UNSET,
        model: Optional[str] = UNSET,
        code: Optional[str] = UNSET,
        language: Optional[Literal["python", "typescript"]] = UNSET,
        pass_threshold: Optional[float] = UNSET,
        options: Optional[Options] = None,
    ) -> Scorer:
        """Replace the definition of a scorer. Tasks keep the version they were bound to.

        PUT /v1/scorers/{scorerId}
        """
        answer: Scorer = await self._call("updateScorer", {"scorerId": scorer_id}, {}, {"name": name, "slug": slug, "description": description, "kind": kind, "prompt": prompt, "choiceScores": choice_scores, "useCot": use_cot, "allowSkip": allow_skip, "model": model, "code": code, "language": language, "passThreshold": pass_threshold}, options)
        return answer

    async def archive(self, scorer_id: str, *, options: Optional[Options] = None) -> Scorer:
        """Archive a scorer. Tasks and versions that use it go on doing so.

        DELETE /v1/scorers/{scorerId}
        """
        answer: Scorer = await self._call("archiveScorer", {"scorerId": scorer_id}, {}, None, options)
        return answer

    async def test(
        self,
        *,
        name: str = UNSET,
        slug: Optional[str] = UNSET,
        description: Optional[str] = UNSET,
        kind: Literal["llm-judge", "code"] = UNSET,
        prompt: Optional[str] = UNSET,
        choice_scores: Sequence[Mapping[str, Any]] = UNSET,
        use_cot: bool = UNSET,
        allow_skip: bool = UNSET,
        model: Optional[str] = UNSET,
        code: Optional[str] = UNSET,
        language: Optional[Literal["python", "typescript"]] = UNSET,
        pass_threshold: Optional[float] = UNSET,
        input: str = UNSET,
        output: str = UNSET,
        expected: Any = UNSET,
        metadata: Mapping[str, Any] = UNSET,
        trial_id: str = UNSET,
        world_id: str = UNSET,
        options: Optional[Options] = None,
    ) -> ScorerTestResult:
        """Run a scorer on sample data, on a finished trial or on a world as it is now.

        POST /v1/scorers/test
        """
        answer: ScorerTestResult = await self._call("testScorer", {}, {}, {"name": name, "slug": slug, "description": description, "kind": kind, "prompt": prompt, "choiceScores": choice_scores, "useCot": use_cot, "allowSkip": allow_skip, "model": model, "code": code, "language": language, "passThreshold": pass_threshold, "input": input, "output": output, "expected": expected, "metadata": metadata, "trial_id": trial_id, "world_id": world_id}, options)
        return answer

    async def list_builtins(self, *, options: Optional[Options] = None) -> ListBuiltinScorersReply:
        """List the scorers that come with the service, and the parameters that each takes.

        GET /v1/scorers/builtins
        """
        answer: ListBuiltinScorersReply = await self._call("listBuiltinScorers", {}, {}, None, options)
        return answer

    async def create_builtin(
        self,
        slug: str,
        *,
        parameters: Mapping[str, Any] = UNSET,
        name: str = UNSET,
        new_slug: Optional[str] = UNSET,
        description: str = UNSET,
        pass_threshold: Optional[float] = UNSET,
        options: Optional[Options] = None,
    ) -> Scorer:
        """Put a scorer that comes with the service into the library, with these parameters.

        POST /v1/scorers/builtins/{slug}
        """
        answer: Scorer = await self._call("createBuiltinScorer", {"slug": slug}, {}, {"parameters": parameters, "name": name, "slug": new_slug, "description": description, "pass_threshold": pass_threshold}, options)
        return answer

    async def calibrate(
        self,
        scorer_id: str,
        *,
        examples: Sequence[Mapping[str, Any]],
        options: Optional[Options] = None,
    ) -> Calibration:
        """Hold a judge against answers that people have graded, and keep how far they agree.

        POST /v1/scorers/{scorerId}/calibrations
        """
        answer: Calibration = await self._call("calibrateScorer", {"scorerId": scorer_id}, {}, {"examples": examples}, options)
        return answer

    async def list_calibrations(
        self,
        scorer_id: str,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        options: Optional[Options] = None,
    ) -> AsyncPage[Calibration]:
        """A judge's calibrations, newest first.

        GET /v1/scorers/{scorerId}/calibrations
        """
        answer: AsyncPage[Calibration] = await self._call("listCalibrations", {"scorerId": scorer_id}, {"limit": limit, "cursor": cursor}, None, options)
        return answer
