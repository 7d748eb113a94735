"""Holds one agent version to a company's tasks: exit code 0 pass, 1 fail, 2 inconclusive, 3 error.

    python examples/ci/gate.py BLUEPRINT.json AGENT_FOLDER --name NAME --version VERSION --run "node agent.mjs"

The service is named by DIORAMA_BASE_URL and DIORAMA_API_KEY. With --junit the results are also written as JUnit XML.
"""

import argparse
import gzip
import hashlib
import io
import json
import os
import sys
import tarfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
from diorama import Diorama, pass_gate  # noqa: E402

CODES = {"pass": 0, "fail": 1, "inconclusive": 2}
ERROR = 3
SKIPPED = {".git", ".DS_Store", "__pycache__", ".diorama"}
MAX_INLINE_FILES = 200
MAX_INLINE_BYTES = 1_048_576


class Parser(argparse.ArgumentParser):
    def error(self, message):
        # argparse ends with 2, which here means that the gate is inconclusive.
        self.print_usage(sys.stderr)
        self.exit(ERROR, f"{self.prog}: {message}\n")


def arguments():
    parser = Parser(description="Hold an agent to a company's tasks.")
    parser.add_argument("blueprint", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--name", required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--run", required=True)
    parser.add_argument("--trials", type=int, default=1, help="repetitions of each task, 1 to 20")
    parser.add_argument("--junit", type=Path)
    return parser.parse_args()


def read_files(folder):
    """The files of an agent by their paths, in a fixed order; dependencies such as node_modules included."""
    paths = sorted(path for path in folder.rglob("*") if not SKIPPED.intersection(path.relative_to(folder).parts))
    for path in paths:
        if path.is_symlink():
            raise ValueError(f"{path} is a symbolic link; a bundle holds files only. Copy the file to its place.")
    files = {path.relative_to(folder).as_posix(): path for path in paths if path.is_file()}
    if not files:
        raise ValueError(f"{folder} has no files.")
    return files


def inline_texts(files):
    """The files as texts where they are few, small and not binary; None where they need a bundle."""
    if len(files) > MAX_INLINE_FILES or sum(path.stat().st_size for path in files.values()) > MAX_INLINE_BYTES:
        return None
    try:
        texts = {name: path.read_bytes().decode("utf-8") for name, path in files.items()}
    except UnicodeDecodeError:
        return None
    executable = any(path.stat().st_mode & 0o100 for path in files.values())
    return None if executable or any("\0" in text for text in texts.values()) else texts


def bundle_of(files):
    """A .tar.gz that is the same for the same files."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, path in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = path.stat().st_size
            entry.mode = 0o755 if path.stat().st_mode & 0o100 else 0o644
            with path.open("rb") as content:
                tar.addfile(entry, content)
    return gzip.compress(archive.getvalue(), mtime=0)


def register(client, given):
    files = read_files(given.folder)
    what = {"name": given.name, "version": given.version, "run": {"command": given.run}}
    texts = inline_texts(files)
    if texts is not None:
        client.agents.register(**what, files=texts)
        return
    bundle = bundle_of(files)
    made = client.agents.register(**what, bundle_sha256=hashlib.sha256(bundle).hexdigest())
    if (made.get("bundle") or {}).get("size") is None:
        client.agents.upload_bundle(given.name, given.version, bundle)


def main(given):
    client = Diorama()
    register(client, given)
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
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:  # Whatever it is, it is not a verdict: 1 would say that the agent failed.
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(ERROR)
