"""Holds one agent version to a company's tasks: exit code 0 pass, 1 fail, 2 inconclusive, 3 error.

    python3 examples/ci/gate.py BLUEPRINT.json AGENT_FOLDER --name NAME --version VERSION --run "node agent.mjs"

It calls `diorama gate`, which packs the agent, runs the tasks and decides. The service is named by DIORAMA_BASE_URL and
DIORAMA_API_KEY; DIORAMA_CLI names the command line where it is not the one of this checkout.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

ERROR = 3
VERDICTS = (0, 1, 2, ERROR, 130)


class Parser(argparse.ArgumentParser):
    def error(self, message):
        # argparse ends with 2, which here means that the gate is inconclusive.
        self.print_usage(sys.stderr)
        self.exit(ERROR, f"{self.prog}: {message}\n")


def arguments():
    parser = Parser(description="Hold an agent to a company's tasks.")
    parser.add_argument("blueprint")
    parser.add_argument("folder")
    parser.add_argument("--name", required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--run", required=True)
    parser.add_argument("--trials", type=int, default=1, help="repetitions of each task, 1 to 20")
    parser.add_argument("--junit")
    return parser.parse_args()


def main(given):
    cli = os.environ.get("DIORAMA_CLI") or str(Path(__file__).resolve().parents[2] / "cli" / "diorama.mjs")
    words = ["node", cli, "gate", given.folder, "--blueprint", given.blueprint, "--run", given.run]
    words += ["--name", given.name, "--agent-version", given.version, "--trials", str(given.trials)]
    words += ["--junit", given.junit] if given.junit else []
    status = subprocess.run(words, check=False).returncode
    return status if status in VERDICTS else ERROR


if __name__ == "__main__":
    try:
        sys.exit(main(arguments()))
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:  # Whatever it is, it is not a verdict: 1 would say that the agent failed.
        print(f"gate.py: {error}", file=sys.stderr)
        sys.exit(ERROR)
