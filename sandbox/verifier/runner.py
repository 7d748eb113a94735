"""Runs one Python scorer. The verdict goes out on file descriptor 3, apart from anything the scorer prints."""

import os
import sys

import quick_json

INPUTS = os.environ["SANDBOX_INPUTS"]


def where(error):
    """The scorer's own line at which an error arose."""
    line = None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "scorer.py":
            line = trace.tb_lineno
        trace = trace.tb_next
    return "" if line is None else f" (scorer.py line {line})"


def describe(error):
    if isinstance(error, SystemExit):
        return f"The scorer tried to exit with {error.code!r} instead of returning a score."
    if isinstance(error, MemoryError):
        return "The scorer ran out of memory."
    if isinstance(error, RecursionError):
        return "The scorer recursed too deeply."
    if isinstance(error, SyntaxError):
        return f"SyntaxError: {error.msg} (scorer.py line {error.lineno})"
    return f"{type(error).__name__}: {error}{where(error)}"


def read_code():
    with open(f"{INPUTS}/scorer.py", encoding="utf-8") as file:
        return file.read()


def check():
    """Whether it is Python at all; nothing of it is executed."""
    compile(read_code(), "scorer.py", "exec", dont_inherit=True)
    return {"checked": True}


def run():
    code = read_code()
    with open(f"{INPUTS}/call.json", encoding="utf-8") as file:
        call = quick_json.loads(file.read())
    module = type(sys)("scorer")
    module.__file__ = "scorer.py"
    sys.modules["scorer"] = module
    exec(compile(code, "scorer.py", "exec"), module.__dict__)
    handler = module.__dict__.get("handler")
    if not callable(handler):
        return {"error": "The code defines no function named handler(input, output, expected, metadata)."}
    value = handler(call["input"], call["output"], call["expected"], call["metadata"])
    if hasattr(value, "__await__"):
        import asyncio

        async def wait(awaitable):
            return await awaitable

        value = asyncio.run(wait(value))
    helper = sys.modules.get("world_state")
    return {"value": value} if helper is None else {"value": value, "accounted": helper.world._accounting()}


def main():
    # The channel moves away from its well-known number, and no child process inherits it.
    channel = os.dup(3)
    os.close(3)
    try:
        verdict = check() if sys.argv[1:] == ["check"] else run()
    except BaseException as error:
        verdict = {"error": describe(error)}
    try:
        text = quick_json.dumps(verdict)
    except BaseException as error:
        text = quick_json.dumps({"error": f"The scorer returned something that is not JSON: {error}"[:2000]})
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:
            pass
    data = (text + "\n").encode()
    while data:
        data = data[os.write(channel, data) :]
    os._exit(0)

