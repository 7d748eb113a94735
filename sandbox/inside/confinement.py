"""Takes rights away from the process that is about to become the agent's command.

Nothing but our own code runs between here and the exec of the command: tools such as setpriv(1) and prlimit(1) would
load whatever LD_PRELOAD of the agent's environment names while they still hold the rights that they are to drop.
"""

import ctypes
import os
import resource

CAPABILITY_VERSION = 0x20080522
PR_SET_DUMPABLE = 4

libc = ctypes.CDLL(None, use_errno=True)


def check(result, name):
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")
    return result


def hide_from_tracers():
    """A process of the same user can neither trace us nor read our memory, environment and descriptors."""
    check(libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0), "prctl")


def confine(limits):
    """Lowers the resource limits, given by name, and drops every capability for good."""
    for name, value in limits:
        resource.setrlimit(getattr(resource, f"RLIMIT_{name.upper()}"), (value, value))
    header = CAPABILITY_VERSION.to_bytes(4, "little") + bytes(4)
    check(libc.capset(header, bytes(24)), "capset")
