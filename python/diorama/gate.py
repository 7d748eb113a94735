"""May this agent be released? A verdict over the results of a run."""

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
    """Passes when the run succeeded and every task passed, for one agent or for all of them together.

    A failure of the platform is no verdict on the agent: where only such failures stand between a task and its pass,
    the gate is inconclusive.
    """
    tasks = results["task_results"]
    if agent is not None:
        found = [one for one in results["agents"] if one["agent"] == agent]
        if not found:
            return Verdict("inconclusive", [f"{agent} is not an agent of this run."])
        tasks = found[0]["tasks"]
    if results["status"] != "succeeded":
        return Verdict("inconclusive", [f"The run is {results['status']}; it did not run to its end."])
    if not tasks:
        return Verdict("inconclusive", ["The run has no task results."])
    missed = [task for task in tasks if not task["passed"]]
    failed = [task for task in missed if task["passed_trials"] + task["errored_trials"] < task["trials"]]
    if failed:
        return Verdict("fail", [failure(task) for task in failed])
    if missed:
        return Verdict(
            "inconclusive",
            [
                f"{task['title']}: the platform failed in {task['errored_trials']} of {task['trials']} trials."
                for task in missed
            ],
        )
    return Verdict("pass", [f"All {len(tasks)} tasks passed."])


def failure(task: Mapping[str, Any]) -> str:
    scorers = f"; failed {', '.join(task['failed_scorers'])}" if task["failed_scorers"] else ""
    return f"{task['title']}: {task['passed_trials']} of {task['trials']} trials passed{scorers}."
