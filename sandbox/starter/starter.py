"""Starts jobs for the service, from a process so small that forking it costs next to nothing.

A large process pays for each fork twice: its page tables are copied, and every page it touches afterwards faults once.
This one holds nothing. It reads orders on standard input, one line of JSON each, followed by the bytes of its blobs:

    {"start": 7, "argv": [...], "user": 900000001, "session": false, "mark": {}, "groups": [...], "niceness": 0, "descriptors": [...], "blobs": [120, 8]}
    {"kill": 7}

The mark is added to its environment, by which its processes are known. The groups are files to which the new process writes 0, so that it and all it starts are held by them.
A descriptor is where the job's file of that number leads: ["connect", n] to the service's socket, which gets the
job and n first; ["blob", n] to those bytes; ["status"] to a pipe that is read here when the job is over; ["null"].
Answers are lines too: {"started": 7, "pid": 4711} and {"ended": 7, "code": 0, "signal": 0, "peak": 9000000, "status":
"..."}, where the peak is the most memory that any one of its processes held, mapped files included.
When standard input ends, the service is gone, and every job with it.
"""

import ctypes
import fcntl
import json
import os
import selectors
import signal
import socket
import struct
import sys

SET_CHILD_SUBREAPER = 36
SET_NO_NEW_PRIVILEGES = 38
STATUS_BYTES = 65536
FIRST_FREE = 512
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}

libc = ctypes.CDLL(None, use_errno=True)
service_socket = sys.argv[1]
running = {}
pids = {}


def say(message):
    data = (json.dumps(message) + "\n").encode()
    try:
        while data:
            data = data[os.write(1, data) :]
    except BrokenPipeError:
        pass  # The service is gone, as the end of standard input tells us too.


def connection(job, number, reads):
    """A way to the service that is marked with what it is for. Only the connection for orders may be read by the job."""
    way = socket.socket(socket.AF_UNIX)
    way.connect(service_socket)
    way.sendall(struct.pack("!II", job, number))
    if not reads:
        way.shutdown(socket.SHUT_RD)
    return way.detach()


def blob(content):
    file = os.memfd_create("blob")
    view = memoryview(content)
    while view:
        view = view[os.write(file, view) :]
    os.lseek(file, 0, os.SEEK_SET)
    return file


def start(order, blobs):
    job = order["start"]
    opened = {}
    status = None
    try:
        for kind, *rest in order["descriptors"]:
            name = (kind, *rest)
            if name in opened:
                continue
            if kind == "connect":
                opened[name] = connection(job, rest[0], rest[0] == order.get("reads"))
            elif kind == "blob":
                opened[name] = blob(blobs[rest[0]])
            elif kind == "status":
                status, opened[name] = os.pipe()
                os.set_blocking(status, False)
            else:
                opened[name] = os.open("/dev/null", os.O_RDWR)
        pid = os.fork()
        if pid == 0:
            become(order, [opened[tuple(name)] for name in order["descriptors"]])
        running[job] = (pid, status, order["session"], order.get("killsChildren", False))
        pids[pid] = job
        say({"started": job, "pid": pid})
    except OSError as error:
        if status is not None:
            os.close(status)
        say({"failed": job, "reason": str(error)})
    finally:
        for file in opened.values():
            os.close(file)


def become(order, files):
    """In the new process: its descriptors, its user, its program. Nothing of ours is left but the exit code."""
    try:
        for entrance in order["groups"]:
            os.write(os.open(entrance, os.O_WRONLY), b"0")
        os.nice(order["niceness"])
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGPIPE, signal.SIGCHLD, signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        high = [fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, FIRST_FREE) for file in files]
        for number, file in enumerate(high):
            os.dup2(file, number)
        if order["session"]:
            os.setsid()
        if order["user"] is not None:
            os.setgroups([])
            os.setresgid(order["user"], order["user"], order["user"])
            os.setresuid(order["user"], order["user"], order["user"])
        if sys.platform == "linux":
            libc.prctl(SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        os.execve(order["argv"][0], order["argv"], {**ENVIRONMENT, **order["mark"]})
    except BaseException as error:
        os.write(2, f"{error}\n".encode())
    finally:
        os._exit(127)


def reap(options):
    """Every job whose first process is over, or with no options every job."""
    while pids or options == os.WNOHANG:
        try:
            pid, ending, usage = os.wait4(-1, options)
        except ChildProcessError:
            return
        if pid == 0:
            return
        job = pids.pop(pid, None)
        if job is None:
            continue
        _pid, status, *_how = running.pop(job)
        said = b""
        if status is not None:
            if os.WIFSIGNALED(ending):
                end_orphans()
            try:
                said = os.read(status, STATUS_BYTES)
            except BlockingIOError:
                pass
            os.close(status)
        code = os.WEXITSTATUS(ending) if os.WIFEXITED(ending) else None
        by = os.WTERMSIG(ending) if os.WIFSIGNALED(ending) else None
        peak = usage.ru_maxrss * (1024 if sys.platform == "linux" else 1)
        say({"ended": job, "code": code, "signal": by, "peak": peak, "status": said.decode(errors="replace")})


def end_orphans():
    """Where bwrap was ended before the first process of its namespace asked to end with it, that one is our child now."""
    for child in children(os.getpid()):
        if child not in pids:
            kill_process(child)


def kill(job):
    if job not in running:
        return
    pid, _status, session, kills_children = running[job]
    for child in children(pid) if kills_children else []:
        kill_process(child)
    if session:
        try:
            os.killpg(pid, signal.SIGKILL)
        except OSError:
            pass  # It does not lead its group yet.
    os.kill(pid, signal.SIGKILL)


def kill_process(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        pass  # It ended on its own, or became another user.


def end_all():
    """The service is gone. Its jobs are waited for: what they leave behind is ended when they are reaped."""
    for job in list(running):
        kill(job)
    reap(0)
    os._exit(0)


def children(pid):
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                stat = file.read()
        except OSError:
            continue
        if int(stat[stat.rindex(b")") + 2 :].split()[1]) == pid:
            found.append(int(name))
    return found


class Orders:
    """Cuts what arrives into orders."""

    def __init__(self):
        self.pending = bytearray()
        self.order = None

    def feed(self, chunk):
        self.pending += chunk
        while True:
            if self.order is None:
                end = self.pending.find(b"\n")
                if end < 0:
                    return
                self.order = json.loads(bytes(self.pending[:end]))
                del self.pending[: end + 1]
            sizes = self.order.get("blobs", [])
            if len(self.pending) < sum(sizes):
                return
            blobs = []
            for size in sizes:
                blobs.append(bytes(self.pending[:size]))
                del self.pending[:size]
            order, self.order = self.order, None
            if "start" in order:
                start(order, blobs)
            else:
                kill(order["kill"])


def main():
    # The service may have inherited open files that every child inherits; no job may hold them.
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    os.chdir("/")
    os.umask(0o022)
    if sys.platform == "linux":
        libc.prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    # Who interrupts the service by keyboard interrupts us too; it decides when we end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    woken, wake = os.pipe()
    for end in (woken, wake):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    say({"ready": True})
    orders = Orders()
    with selectors.DefaultSelector() as selector:
        selector.register(0, selectors.EVENT_READ)
        selector.register(woken, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fd == woken:
                    os.read(woken, 4096)
                    reap(os.WNOHANG)
                    continue
                chunk = os.read(0, 1 << 20)
                if not chunk:
                    end_all()
                orders.feed(chunk)


main()
