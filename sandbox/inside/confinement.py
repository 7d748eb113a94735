"""Takes rights away from the process that is about to become the agent's command.

Nothing but our own code runs between here and the exec of the command: tools such as setpriv(1) and prlimit(1) would
load whatever LD_PRELOAD of the agent's environment names while they still hold the rights that they are to drop.
"""

import ctypes
import os
import resource
import struct

CAPABILITY_VERSION = 0x20080522
PR_SET_DUMPABLE = 4
AGENT_ID = 1000
PR_SET_SECCOMP = 22
SECCOMP_MODE_FILTER = 2

CLONE_NEWNS = 0x00020000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
MS_RDONLY = 0x1
MS_REMOUNT = 0x20
MS_BIND = 0x1000
MS_REC = 0x4000
MS_PRIVATE = 0x40000
MS_RELATIME = 0x200000
# Flags of a mount that a remount must repeat, in statvfs(3) as in mount(2); only relatime differs.
REPEATED_FLAGS = 0xC0E
ST_RELATIME = 0x1000

# System calls 444 to 446 have these numbers on every machine.
LANDLOCK_CREATE_RULESET = 444
LANDLOCK_ADD_RULE = 445
LANDLOCK_RESTRICT_SELF = 446
LANDLOCK_VERSION_FLAG = 1
LANDLOCK_PATH_BENEATH = 1
# How many rights each version of the interface knows; they are consecutive bits.
LANDLOCK_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
LANDLOCK_LATEST_RIGHTS = 16
# Execute, read a file, read a folder.
READ = 0b1101
# What may be granted for a file that is no folder: execute, write, read, truncate, device control.
FILE_RIGHTS = 0b1100000000000111
# No signals to processes, and no abstract sockets of processes, that are not the job's.
LANDLOCK_SCOPES = 0b11

libc = ctypes.CDLL(None, use_errno=True)


def check(result, name):
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")
    return result


def hide_from_tracers():
    """A process of the same user can neither trace us nor read our memory, environment and descriptors."""
    check(libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0), "prctl")


def confine(plan):
    """Lowers the resource limits, drops every capability, and restricts files and system calls for good."""
    if plan.own_user_namespace:
        enter_user_namespace()
    if plan.readable:
        restrict_files(plan.readable, plan.writable)
    for name, value in plan.limits:
        resource.setrlimit(getattr(resource, f"RLIMIT_{name.upper()}"), (value, value))
    header = CAPABILITY_VERSION.to_bytes(4, "little") + bytes(4)
    check(libc.capset(header, bytes(24)), "capset")
    if plan.system_call_filter:
        filter_system_calls(bytes.fromhex(plan.system_call_filter))


def enter_user_namespace():
    """For containers, whose first process is the root of its namespace: the command is an ordinary user of a namespace
    below, so that no program it starts gets a capability by being root."""
    uid, gid = os.getuid(), os.getgid()
    # The files by which a namespace is set up belong to its maker only while that one can be traced.
    check(libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0), "prctl")
    check(libc.unshare(CLONE_NEWUSER), "unshare")
    maps = (("setgroups", "deny"), ("uid_map", f"{AGENT_ID} {uid} 1"), ("gid_map", f"{AGENT_ID} {gid} 1"))
    for name, text in maps:
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)
    forbid_namespaces()


def forbid_namespaces():
    """The command must not be able to make user namespaces; where the kernel lets us, we forbid it here."""
    try:
        with open("/proc/sys/user/max_user_namespaces", "w") as file:
            file.write("0")
    except OSError:
        pass  # Some kernels show this file read-only in a namespace; the other walls stand without it.


def filter_system_calls(program):
    buffer = ctypes.create_string_buffer(program, len(program))
    # struct sock_fprog: the number of instructions, and where they are.
    description = struct.pack("@HP", len(program) // 8, ctypes.addressof(buffer))
    check(libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, description, 0, 0), "seccomp")


def landlock_version():
    """The kernel's version of Landlock; less than one where there is none."""
    return libc.syscall(LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), LANDLOCK_VERSION_FLAG)


def restrict_files(readable, writable):
    """From here on only these paths can be read or written, and only the job's own processes signalled."""
    version = landlock_version()
    if version < 1:
        return
    rights = (1 << LANDLOCK_RIGHTS.get(version, LANDLOCK_LATEST_RIGHTS)) - 1
    attributes = struct.pack("=QQQ", rights, 0, LANDLOCK_SCOPES if version >= 6 else 0)
    size = 8 if version < 4 else 16 if version < 6 else 24
    rules = check(libc.syscall(LANDLOCK_CREATE_RULESET, attributes, ctypes.c_size_t(size), 0), "landlock")
    try:
        for paths, granted in ((readable, READ), (writable, rights)):
            for path in paths:
                allow(rules, path, granted & rights)
        check(libc.syscall(LANDLOCK_RESTRICT_SELF, rules, 0), "landlock")
    finally:
        os.close(rules)


def allow(rules, path, granted):
    try:
        file = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # What is not there needs no permission.
    try:
        if not os.path.isdir(path):
            granted &= FILE_RIGHTS
        rule = struct.pack("=Qi", granted, file)
        check(libc.syscall(LANDLOCK_ADD_RULE, rules, LANDLOCK_PATH_BENEATH, rule, 0), "landlock")
    finally:
        os.close(file)


def replace_shared_folders(replacements, kept, writable):
    """Puts private folders in the place of those that all users share, where the kernel lets us make a namespace for
    that. `kept` are paths below them that stay visible, read-only unless they are `writable`. Returns whether it
    worked."""
    uid, gid = os.getuid(), os.getgid()
    if libc.unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWIPC) != 0:
        return False
    try:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
        mount(None, "/", MS_REC | MS_PRIVATE)
        # All of them are opened first: a replacement may hide what the next one needs.
        places = [source for source, _target in replacements] + kept
        files = {path: os.open(path, os.O_PATH | os.O_CLOEXEC) for path in places}
        for source, target in replacements:
            if os.path.isdir(target):
                mount(f"/proc/self/fd/{files[source]}", target, MS_BIND)
        for path in kept:
            keep(path, files[path], path in writable)
        for file in files.values():
            os.close(file)
    except OSError:
        return False
    return True


def keep(path, file, writable):
    """Brings back one path that a replacement hides."""
    if os.path.exists(path):
        return
    if os.path.isdir(f"/proc/self/fd/{file}"):
        os.makedirs(path)
    else:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
    mount(f"/proc/self/fd/{file}", path, MS_BIND)
    if not writable:
        found = os.statvfs(path).f_flag
        flags = found & REPEATED_FLAGS | (MS_RELATIME if found & ST_RELATIME else 0)
        mount(None, path, MS_REMOUNT | MS_BIND | MS_RDONLY | flags)


def mount(source, target, flags):
    check(libc.mount(source and source.encode(), target.encode(), None, ctypes.c_ulong(flags), None), "mount")


def describe():
    """For the service when it starts: what this kernel lets a job's user do."""
    version = landlock_version()
    print(max(0, version), int(libc.unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWIPC) == 0))
