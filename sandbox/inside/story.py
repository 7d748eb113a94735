"""Finds out when a trial is idle, so that its story may move on to the next deadline.

Programs report timed waits in a table that they share with us (preload/story/story-time.c). The trial is idle when no
thread of it has run between two looks, or when several looks in a row find all of them asleep, and no bytes are on
their way between its programs and us: the kernel may hold them back for milliseconds, and then both ends look idle. We
report the earliest deadline to the service, which moves the story when nothing of the trial is under way at its
gateway, and answers "again"; waits whose deadline has passed are woken here.

The table is the agent's to write, so nothing in it is believed further than this trial: a thread is woken only if it is
a descendant of ours, and a wrong deadline moves this story alone.
"""

import mmap
import os
import select
import struct
import time

import confinement

SLOTS = 1000
SLOT = struct.Struct("=IIIIqqq24x")
HEADER = 64
PAGE = struct.Struct("=QQqqqQ")
MAGIC = 0x454D4954594F5453
CLOCK_REALTIME = 0
WAKE_SIGNAL = 23
PR_SET_CHILD_SUBREAPER = 36
MILLISECOND = 1_000_000
# Looks at an idle trial are this far apart; while it is busy, further and further.
FIRST_LOOK = 0.003
LAST_LOOK = 0.05
# Shorter waits end on the wall's clock, see story-time.c.
SHORT_WAIT = 100 * MILLISECOND
# A program that naps and looks around is never quite still; so many looks at a sleeping one are enough.
DOZING_LOOKS = 5
MOST_TASKS = 10_000
# Bytes that are not taken for so long are not on their way; they lie about.
STUCK_BYTES = 2.0
# A program that computes keeps its own timers waiting for so long before they are over without it.
BUSY_GRACE = 5_000 * MILLISECOND
ESTABLISHED = b"01"
# The deadline of an agent that only waits to be called.
FOREVER = 2**62
LISTS_CHILDREN = os.path.exists(f"/proc/self/task/{os.getpid()}/children")


def prepare(plan):
    """The table and the bell, before the command can look for them; the variable that names them."""
    table = bytearray(HEADER + SLOTS * SLOT.size)
    struct.pack_into("=II", table, 0, 0, SLOTS)
    with open(plan.story_table, "wb") as file:
        file.write(table)
    os.mkfifo(plan.story_bell, 0o600)
    confinement.libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    own = plan.env.get("LD_PRELOAD")
    plan.env["LD_PRELOAD"] = f"{plan.story_library}:{own}" if own else plan.story_library
    plan.env["DIORAMA_STORY_TIME"] = f"{plan.story_page}:{plan.story_table}:{plan.story_bell}"


class Story:
    def __init__(self, job, plan):
        self.job = job
        self.page = map_file(plan.story_page, PAGE.size, False)
        self.table = map_file(plan.story_table, HEADER + SLOTS * SLOT.size, True)
        self.bell = os.open(plan.story_bell, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        self.seen = None
        self.asleep = 0
        self.asked = False
        self.delay = FIRST_LOOK
        self.next = None
        self.port = None if plan.relay_ports else proxy_port(plan.env)
        self.bytes = None
        self.bytes_since = 0.0
        self.listens = plan.listens
        if self.listens:
            self.look_soon()
        job.watch(self.bell, select.POLLIN, self.rung)

    def rung(self, file):
        try:
            os.read(file, 4096)
        except BlockingIOError:
            pass
        if self.next is None and not self.asked:
            self.look_soon()

    def look_soon(self):
        self.seen = None
        self.delay = FIRST_LOOK
        self.next = time.monotonic() + FIRST_LOOK

    def again(self):
        """The service has answered: the story has moved, or there was something under way."""
        self.asked = False
        self.wake(self.waits())
        self.look_soon()

    def timeout(self):
        """For poll: how many milliseconds until the next look."""
        if self.next is None:
            return None
        return max(0, (self.next - time.monotonic()) * 1000)

    def now(self):
        for _ in range(1000):
            magic, version, monotonic, realtime, held, check = PAGE.unpack_from(self.page)
            if check == magic ^ version ^ (monotonic % 2**64) ^ (realtime % 2**64) ^ held:
                break
        return monotonic, realtime

    def waits(self):
        """Every reported wait: thread, process, how far its deadline is, how long it asked for, since when."""
        monotonic, realtime = self.now()
        found = []
        for claimed, tid, pid, clock, deadline, began, duration in SLOT.iter_unpack(self.table[HEADER:]):
            if claimed and tid:
                left = deadline - (realtime if clock == CLOCK_REALTIME else monotonic)
                found.append((tid, pid, left, duration, began))
        return found

    def wake(self, waits):
        """Interrupts the waits that are over; true when there were any. One that is not in its wait yet is woken at the
        next look."""
        over = [(tid, pid) for tid, pid, left, _duration, _began in waits if left <= 0]
        if over:
            tasks = self.tasks()
            for tid, pid in over:
                if (pid, tid) in tasks:
                    confinement.libc.tgkill(pid, tid, WAKE_SIGNAL)
        return bool(over)

    def look(self):
        """Called when nothing else has happened until the time for it."""
        self.next = None
        waits = self.waits()
        if not waits and not self.listens:
            self.rest()
            return
        if self.wake(waits):
            self.look_soon()
            return
        tasks = self.tasks()
        waits = [wait for wait in waits if self.is_alive(wait, tasks)]
        if not waits and not self.listens:
            self.rest()
            return
        before, self.seen = self.seen, tasks
        self.asleep = self.asleep + 1 if all(state in "SIZXT" for state, _switches in tasks.values()) else 0
        is_idle = self.asleep > 0 and (before == tasks or self.asleep >= DOZING_LOOKS)
        if (is_idle and not self.has_bytes_on_their_way()) or self.is_overdue(waits, tasks):
            self.asked = True
            self.seen = None
            self.asleep = 0
            self.job.control.report(waiting=min([left for _tid, _pid, left, _duration, _began in waits] or [FOREVER]))
            return
        self.delay = FIRST_LOOK if self.asleep else min(self.delay * 1.5, LAST_LOOK)
        self.next = time.monotonic() + self.delay

    def rest(self):
        """Nobody waits: the next one rings. The flag is lowered first, and then looked behind once more."""
        struct.pack_into("=I", self.table, 0, 0)
        if self.waits():
            self.look_soon()

    def is_alive(self, wait, tasks):
        """Frees the place of a thread that died in its wait. The list of tasks can lack one while others come and go."""
        tid, pid = wait[:2]
        if (pid, tid) in tasks or os.path.exists(f"/proc/{pid}/task/{tid}"):
            return True
        for n in range(SLOTS):
            at = HEADER + n * SLOT.size
            if struct.unpack_from("=III", self.table, at)[1:] == (tid, pid):
                struct.pack_into("=II", self.table, at, 0, 0)
        return False

    def is_overdue(self, waits, tasks):
        """Nobody waits longer than it asked for, even beside a program that never rests. Timers of the program itself
        are another matter: runtimes start threads too, and computing costs no time of the story."""
        now = time.monotonic_ns()
        busy = {pid for (pid, _tid), (state, _switches) in tasks.items() if state not in "SIZXT"}
        return any(
            duration > SHORT_WAIT and now - began >= duration + (BUSY_GRACE if pid in busy else 0)
            for _tid, pid, _left, duration, began in waits
        )

    def has_bytes_on_their_way(self):
        """Whether a connection holds bytes that its reader has not got yet, or has not read."""
        found = queues(self.port)
        if not found:
            self.bytes = None
            return False
        if found != self.bytes:
            self.bytes = found
            self.bytes_since = time.monotonic()
        return time.monotonic() - self.bytes_since < STUCK_BYTES

    def tasks(self):
        """The state of every thread that descends from us, and how often it has been switched to."""
        found = {}
        children = listed_children if LISTS_CHILDREN else searched_children()
        processes = children(os.getpid(), os.getpid())
        while processes and len(found) < MOST_TASKS:
            pid = processes.pop()
            for tid in threads(pid):
                state = thread_state(pid, tid)
                if state is not None:
                    found[pid, tid] = state
                    processes += children(pid, tid)
        return found


def threads(pid):
    try:
        return [int(name) for name in os.listdir(f"/proc/{pid}/task")]
    except OSError:
        return []


def listed_children(pid, tid):
    return [int(child) for child in (read(f"/proc/{pid}/task/{tid}/children") or b"").split()]


def searched_children():
    """For kernels that do not list the children of a thread: a look at every process."""
    found = {}
    for name in os.listdir("/proc"):
        stat = read(f"/proc/{name}/stat") if name.isdigit() else None
        if stat:
            parent = int(stat[stat.rindex(b")") + 2 :].split()[1])
            found.setdefault(parent, []).append(int(name))
    return lambda pid, tid: found.get(pid, []) if pid == tid else []


def thread_state(pid, tid):
    status = read(f"/proc/{pid}/task/{tid}/status")
    if not status:
        return None
    state = status[status.index(b"State:") + 6 :].lstrip()[:1].decode()
    # Voluntary and involuntary switches are the last two lines.
    return state, tuple(line.rsplit(b"\t", 1)[-1] for line in status.rstrip().split(b"\n")[-2:])


def proxy_port(env):
    """The port of the gateway as the kernel writes it, where programs reach it without our relay."""
    _, _, port = env.get("HTTPS_PROXY", "").rstrip("/").rpartition(":")
    return f"{int(port):04X}".encode() if port.isdigit() else b"none"


def queues(port):
    """The connections with bytes in a queue; all of them, or where we share the network with others, those of a port."""
    found = []
    for path in ("/proc/self/net/tcp", "/proc/self/net/tcp6"):
        for line in (read_whole(path) or b"").split(b"\n")[1:]:
            parts = line.split(None, 5)
            if len(parts) < 5 or parts[3] != ESTABLISHED or parts[4] == b"00000000:00000000":
                continue
            if port is None or port in (parts[1][-4:], parts[2][-4:]):
                found.append((parts[1], parts[2], parts[4]))
    return found


def read_whole(path):
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read()
    except OSError:
        return None


def read(path):
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return os.read(file, 65536)
    except OSError:
        return None
    finally:
        os.close(file)


def map_file(path, size, writable):
    file = os.open(path, (os.O_RDWR if writable else os.O_RDONLY) | os.O_CLOEXEC)
    access = mmap.ACCESS_WRITE if writable else mmap.ACCESS_READ
    try:
        return mmap.mmap(file, size, access=access)
    finally:
        os.close(file)
