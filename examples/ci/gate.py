"""Holds one agent version to a company's tasks: exit code 0 pass, 1 fail, 2 inconclusive, 3 error.

    python examples/ci/gate.py BLUEPRINT.json AGENT_FOLDER --name NAME --version VERSION --run "node agent.mjs"

The service is named by DIORAMA_BASE_URL and DIORAMA_API_KEY. With --junit the results are also written as JUnit XML.
"""

import argparse
import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
from diorama import Diorama, DioramaError, pass_gate  # noqa: E402

CODES = {"pass": 0, "fail": 1, "inconclusive": 2}


def arguments():
    parser = argparse.ArgumentParser(description="Hold an agent to a company's tasks.")
    parser.add_argument("blueprint", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--name", required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--run", required=True)
    parser.add_argument("--trials", type=int, default=1, help="repetitions of each task, 1 to 20")
    parser.add_argument("--junit", type=Path)
    return parser.parse_args()


def main(given):
    client = Diorama()
    files = {
        path.relative_to(given.folder).as_posix(): path.read_text(encoding="utf-8")
        for path in given.folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    client.agents.register(name=given.name, version=given.version, files=files, run={"command": given.run})
    world = client.worlds.launch_and_wait(blueprint=json.loads(given.blueprint.read_text(encoding="utf-8")), ttl_hours=1)
    try:
        finished = client.evaluations.run_and_wait(
            task_suite_id=world["evaluation"]["task_suite_id"],
            agents=[f"{given.name}@{given.version}"],
            trials_per_task=given.trials,
            on_progress=lambda run: print(f"{run['completed_trials']} of {run['total_trials']} trials", flush=True),
        )
    finally:
        client.worlds.stop(world["world"]["id"])
    if given.junit:
        given.junit.write_text(client.evaluations.junit(finished.job["id"]), encoding="utf-8")
    verdict, reasons = pass_gate(finished.results)
    for reason in reasons:
        # On GitHub a line of this form becomes an annotation of the pull request.
        print(f"::error::{reason}" if os.environ.get("GITHUB_ACTIONS") and verdict != "pass" else reason)
    print(verdict)
    return CODES[verdict]


if __name__ == "__main__":
    try:
        sys.exit(main(arguments()))
    except DioramaError as error:
        print(error, file=sys.stderr)
        sys.exit(3)
