"""Counts calls and those that were answered right, and hands both in."""

import atexit
import json
import os

_calls = []


def call(name, work, is_right=lambda answer: True):
    try:
        answer = work()
        right = bool(is_right(answer))
        _calls.append({"call": name, "right": right, **({} if right else {"got": str(answer)[:400]})})
        return answer
    except Exception as error:
        _calls.append({"call": name, "right": False, "got": f"{type(error).__name__}: {error}"[:400]})
        return {}


def refused(name, work, words):
    try:
        _calls.append({"call": f"{name} (refused)", "right": False, "got": str(work())[:400]})
    except Exception as error:
        right = words in str(error)
        _calls.append(
            {"call": f"{name} (refused)", "right": right, **({} if right else {"got": str(error)[:400]})}
        )


@atexit.register
def finish():
    with open(os.environ["WORK_DIR"] + "/output.txt", "w") as file:
        json.dump(_calls, file)
