"""May this agent be released? A verdict over the results of an evaluation."""

from __future__ import annotations

from typing import Any, List, Mapping, NamedTuple, Optional


class Verdict(NamedTuple):
    #: "pass", "fail" or "inconclusive".
    verdict: str
    reasons: List[str]

    @property
    def passed(self) -> bool:
        return self.verdict == "pass"


def pass_gate(results: Mapping[str, Any], agent: Optional[str] = None) -> Verdict:
    """What the service decided for all agents together, or for one: ``name@version``, or its name alone.

    "fail" is only ever the agent's doing; where a scorer, a model provider or the platform kept it from a verdict,
    the gate is "inconclusive".
    """
    gate = results["gate"] if agent is None else _gate_of(results, agent)
    if gate is None:
        return Verdict("inconclusive", [f"{agent} is not an agent of this evaluation."])
    return Verdict(gate["verdict"], list(gate["reasons"]))


def _gate_of(results: Mapping[str, Any], agent: str) -> Optional[Mapping[str, Any]]:
    exact: List[Mapping[str, Any]] = [one["gate"] for one in results["agents"] if one["agent"] == agent]
    if exact:
        return exact[0]
    name = agent[: -len("@current")] if agent.endswith("@current") else agent
    named: List[Mapping[str, Any]] = [one["gate"] for one in results["agents"] if one["agent"].rpartition("@")[0] == name]
    return named[0] if len(named) == 1 else None
