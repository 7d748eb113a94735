"""The first program in an agent's sandbox: lays out the files, starts the relay, runs the command, reaps orphaned
processes, and, when the command is over, ends everything else and sends back what lies in the work folder.

File descriptors 0 and 3 are connections to the service, one for each direction: an order that arrives after our end
must not cost the service the report that it has not read yet. In: the plan's size on a line, the plan (words with a
zero byte between them, see launcher-input.ts), the bytes of its files, and later "again" (see story.py), "dial" (see
relay.py) or "stop". Out: one line of JSON for each event; a `file` line is followed by that many raw bytes. The command
never holds either. This process keeps
capabilities that the command lacks, so the kernel lets the command neither trace it nor look into it, and as the first
one of its namespace it cannot be killed from inside.

It starts before every trial, so it imports little more than what Python has built in: `json` or `socket` would take
longer than all the rest.
"""

import os
import select
import time

import _signal

import confinement

CHUNK = 65536
TOOL_ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin"}


class Plan:
    """What to do, read word by word in the order in which launcher-input.ts writes it."""

    def __init__(self, text):
        self._words = iter(text.split("\0"))
        self.namespaced = self.word() == "1"
        self.alone = self.word() == "1"
        self.cwd = self.word()
        self.start = self.word()
        self.work = self.word()
        self.channel_bytes = self.number()
        self.collect_files = self.number()
        self.collect_bytes = self.number()
        self.relay_socket = self.word()
        self.relay_ports = [int(port) for port in self.words()]
        self.limits = [(name, int(value)) for name, value in self.pairs()]
        self.own_user_namespace = self.word() == "1"
        self.system_call_filter = self.word()
        self.readable = self.words()
        self.writable = self.words()
        self.replacements = self.pairs()
        self.kept = self.words()
        self.may_share = self.word() == "1"
        self.story_library = self.word()
        self.story_page = self.word()
        self.story_table = self.word()
        self.story_bell = self.word()
        self.listens = self.word() == "1"
        self.command = self.words()
        self.env = dict(self.pairs())
        self.files = [(path, int(size)) for path, size in self.pairs()]
        self.archives = [int(size) for size in self.words()]
        self.input_bytes = self.number()
        self.copies = self.pairs()
        self.emptied = self.words()
        self.brought = self.words()

    def word(self):
        return next(self._words)

    def number(self):
        return int(self.word())

    def words(self):
        return [self.word() for _ in range(self.number())]

    def pairs(self):
        words = self.words()
        return list(zip(words[::2], words[1::2]))


def quoted(text):
    """A string as JSON has it."""
    out = []
    for unit in text:
        code = ord(unit)
        if unit in '"\\':
            out.append("\\" + unit)
        elif 32 <= code < 127:
            out.append(unit)
        elif code < 0x10000:
            out.append(f"\\u{code:04x}")
        else:
            code -= 0x10000
            out.append(f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}")
    return '"' + "".join(out) + '"'


def as_json(value):
    if isinstance(value, str):
        return quoted(value)
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


class Control:
    """The connections to the service, moved to numbers that no child inherits."""

    def __init__(self):
        self.file = os.dup(0)
        self._reports = os.dup(3)
        nothing = os.open("/dev/null", os.O_RDWR)
        for number in (0, 3):
            os.dup2(nothing, number)
        os.close(nothing)
        self._pending = b""

    def write(self, data):
        view = memoryview(data)
        while view:
            view = view[os.write(self._reports, view) :]

    def report(self, **event):
        parts = [f"{quoted(name)}:{as_json(value)}" for name, value in event.items()]
        self.write(("{" + ",".join(parts) + "}\n").encode())

    def take(self, size):
        """Exactly this many bytes; the service is gone when they do not come."""
        parts = []
        while size > 0:
            chunk = self._pending[:size] or os.read(self.file, min(size, 1 << 20))
            if not chunk:
                os._exit(0)
            self._pending = self._pending[len(chunk) :]
            parts.append(chunk)
            size -= len(chunk)
        return b"".join(parts)

    def line(self):
        while b"\n" not in self._pending:
            chunk = os.read(self.file, CHUNK)
            if not chunk:
                os._exit(0)
            self._pending += chunk
        line, self._pending = self._pending.split(b"\n", 1)
        return line

    def orders(self):
        """The lines that have come while the command runs; "stop" when the service is gone."""
        chunk = os.read(self.file, CHUNK)
        self._pending += chunk
        return self.early_orders() if chunk else [b"stop"]

    def early_orders(self):
        """The lines that came along with the plan, for which no poll would wake us."""
        *lines, self._pending = self._pending.split(b"\n")
        return lines


def lay_out(plan, control):
    for path, size in plan.files:
        content = control.take(size)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
        os.chmod(path, 0o755)


def unpack(plan, bundle):
    """As confined as the command itself: a bundle that climbs out of its folder only reaches the sandbox."""
    source, feed = os.pipe()
    problem, errors = os.pipe()
    command = ["tar", "-xzf", "-", "--no-same-owner", "--no-same-permissions", "-C", plan.cwd]
    pid = os.fork()
    if pid == 0:
        run_program(plan, command, TOOL_ENVIRONMENT, {0: source, 2: errors})
    for end in (source, errors):
        os.close(end)
    if os.fork() == 0:
        # Feeding and listening are apart, or both could wait for each other (deadlock).
        try:
            view = memoryview(bundle)
            while view:
                view = view[os.write(feed, view) :]
        finally:
            os._exit(0)
    os.close(feed)
    said = b""
    while chunk := os.read(problem, CHUNK):
        said = (said + chunk)[:500]
    os.close(problem)
    _, ending = os.waitpid(pid, 0)
    if ending == 0:
        return None
    return said.decode(errors="replace") or f"tar ended with {os.waitstatus_to_exitcode(ending)}"


def run_program(plan, argv, env, files, folder=None):
    """In a new process: becomes the program, and never returns. The environment is the agent's, so it is applied only
    by the last step, when no right is left that it could take over."""
    try:
        os.setsid()
        _signal.set_wakeup_fd(-1)
        for number in (_signal.SIGPIPE, _signal.SIGCHLD, _signal.SIGXFSZ):
            _signal.signal(number, _signal.SIG_DFL)
        for number, file in files.items():
            os.dup2(file, number)
        if folder:
            os.chdir(folder)
        confinement.confine(plan)
        os.execvpe(argv[0], argv, env)
    except BaseException as error:
        os.write(2, f"{argv[0]}: {error}\n".encode())
    finally:
        os._exit(127)


class Job:
    """The command while it runs, and everything that must be watched meanwhile."""

    def __init__(self, plan, control, given):
        self.plan = plan
        self.control = control
        self.poll = select.poll()
        self.on = {}
        self.heard = None
        self.channel = bytearray()
        self.given = memoryview(given)
        self.pid = None
        self.ending = None
        self.story = None
        self.relay = None

    def watch(self, file, events, act):
        self.on[file] = act
        self.poll.register(file, events)

    def forget(self, file):
        del self.on[file]
        self.poll.unregister(file)

    def start(self):
        woken, wake = os.pipe()
        for end in (woken, wake):
            os.set_blocking(end, False)
        _signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        _signal.signal(_signal.SIGCHLD, lambda *_: None)
        self.watch(woken, select.POLLIN, lambda _: (os.read(woken, CHUNK), self.reap()))
        self.watch(self.control.file, select.POLLIN, lambda _: self.obey(self.control.orders()))
        files = {}
        if self.plan.input_bytes >= 0:
            files[0], feed = os.pipe()
            os.set_blocking(feed, False)
            self.watch(feed, select.POLLOUT, self.feed)
        if self.plan.channel_bytes > 0:
            self.heard, files[3] = os.pipe()
            os.set_blocking(self.heard, False)
            self.watch(self.heard, select.POLLIN, self.hear)
        # Said before the command can do anything: from here on, our death is its doing and not the platform's.
        self.control.report(started=True)
        self.pid = os.fork()
        if self.pid == 0:
            run_program(self.plan, self.plan.command, self.plan.env, files, self.plan.start)
        for end in files.values():
            os.close(end)

    def obey(self, orders):
        for order in orders:
            word, *rest = order.split(b" ")
            if word == b"again" and self.story:
                self.story.again()
            elif word == b"dial" and self.relay:
                self.relay.dial(rest[0], int(rest[1]))
            else:
                self.finish(stopped=True)

    def feed(self, file):
        try:
            self.given = self.given[os.write(file, self.given) :]
        except BlockingIOError:
            return
        except OSError:
            self.given = self.given[:0]
        if not self.given:
            self.forget(file)
            os.close(file)

    def hear(self, file):
        chunk = os.read(file, CHUNK)
        room = self.plan.channel_bytes - len(self.channel)
        self.channel += chunk[:room]
        if not chunk:
            self.forget(file)

    def reap(self):
        """Orphans come to the first process of their namespace; unburied, they would use up the job's processes."""
        while True:
            try:
                pid, ending = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if pid == 0:
                break
            if pid == self.pid:
                self.ending = ending
        if self.ending is not None:
            code = os.waitstatus_to_exitcode(self.ending)
            self.finish(exited=code if code >= 0 else None, signal=-code if code < 0 else None)

    def run(self):
        self.obey(self.control.early_orders())
        while True:
            ready = self.poll.poll(self.story and self.story.timeout())
            for file, _events in ready:
                act = self.on.get(file)
                if act:
                    act(file)
            if not ready and self.story:
                self.story.look()

    def finish(self, **event):
        end_others(self.plan, self.pid)
        self.control.report(**event)
        try:
            while self.heard in self.on:
                self.hear(self.heard)
        except BlockingIOError:
            pass  # Somebody out of our reach still holds it.
        if self.channel:
            self.control.report(channel=len(self.channel))
            self.control.write(self.channel)
        if self.plan.collect_files >= 0:
            import collection

            collection.Collection(self.plan, self.control).send()
        os._exit(0)


def end_others(plan, pid):
    """Everything but us in our namespace, or of our user where that user is the job's alone; repeated until nobody is
    left to hear it. Where the user is a person's own, only the command's group."""
    if not plan.alone:
        try:
            os.killpg(pid, _signal.SIGKILL)
        except OSError:
            pass  # The group is gone already.
        return
    # In our own namespace the kernel says when nobody is left; outside it counts strangers too, and never does.
    for _ in range(200 if plan.namespaced else 3):
        try:
            os.kill(-1, _signal.SIGKILL)
        except OSError:
            return
        try:
            while plan.namespaced:
                os.waitpid(-1, 0)
        except ChildProcessError:
            continue
        time.sleep(0.005)


def main():
    control = Control()
    plan = Plan(control.take(int(control.line())).decode())
    if plan.replacements:
        replaced = confinement.replace_shared_folders(plan.replacements, plan.kept, plan.writable)
        if replaced or plan.may_share:
            plan.writable += [target for _source, target in plan.replacements]
    confinement.hide_from_tracers()
    if plan.namespaced and not plan.own_user_namespace:
        confinement.forbid_namespaces()
    try:
        if plan.copies:
            import image_folders

            image_folders.prepare(plan)
        lay_out(plan, control)
    except OSError as error:
        control.report(unfit=f"The files do not fit the sandbox: {error}")
        os._exit(0)
    for size in plan.archives:
        problem = unpack(plan, control.take(size))
        if problem:
            control.report(unfit=f"The bundle cannot be unpacked: {problem}")
            os._exit(0)
    job = Job(plan, control, control.take(max(0, plan.input_bytes)))
    if plan.relay_ports:
        import relay

        job.relay = relay.start(job, plan.relay_socket, plan.relay_ports)
    if plan.story_library:
        import story

        story.prepare(plan)
        job.story = story.Story(job, plan)
    job.start()
    job.run()
