"""The only way out of a sandbox: carries connections to loopback over to the trial's gateway, byte for byte. It decides
nothing; what may be reached is decided by the gateway outside."""

import select

# The built-in half of `socket`: the whole module takes longer to import than everything else here to run.
import _socket

CONNECTIONS = 256
WAITING = 128
CHUNK = 65536
DIAL_SECONDS = 0.5


def start(job, gateway, ports):
    """Listens for as long as the process lives."""
    relay = Relay(job, gateway)
    relay.listen(ports)
    answer_names(job)
    return relay


class Relay:
    def __init__(self, job, gateway):
        self.job = job
        self.gateway = gateway
        self.open = 0

    def listen(self, ports):
        for port in ports:
            listener = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
            listener.setsockopt(_socket.SOL_SOCKET, _socket.SO_REUSEADDR, 1)
            listener.bind(("127.0.0.1", port))
            listener.listen(WAITING)
            listener.setblocking(False)
            self.job.watch(listener.fileno(), select.POLLIN, lambda _, at=listener: self.accept(at))

    def accept(self, listener):
        try:
            file, _ = listener._accept()
        except OSError:
            return
        near = _socket.socket(fileno=file)
        if self.open >= CONNECTIONS:
            near.close()
            return
        far = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        try:
            far.connect(self.gateway)
            near.setsockopt(_socket.IPPROTO_TCP, _socket.TCP_NODELAY, 1)
        except OSError:
            near.close()
            far.close()
            return
        self.open += 1
        Carriage(self, near, far)


    def dial(self, ticket, port):
        """Connects a port of the command with the gateway, which asked for it and knows the ticket; says 0 instead of 1
        where nothing listens there."""
        near = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
        far = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        try:
            far.connect(self.gateway)
        except OSError:
            near.close()
            far.close()
            return
        try:
            # A full backlog must not hold up the launcher for long.
            near.settimeout(DIAL_SECONDS)
            near.connect(("127.0.0.1", port))
            is_taken = self.open < CONNECTIONS
        except OSError:
            is_taken = False
        far.sendall(b"\0" + ticket + (b"1" if is_taken else b"0"))
        if is_taken:
            near.setsockopt(_socket.IPPROTO_TCP, _socket.TCP_NODELAY, 1)
            self.open += 1
            Carriage(self, near, far)
        else:
            near.close()
            far.close()


class Carriage:
    """Two ends and the bytes on their way. An end is read only while the other has taken everything, and watched only
    while something is wanted of it. One that takes no more may still have an answer to give."""

    def __init__(self, relay, near, far):
        self.relay = relay
        self.other = {near: far, far: near}
        self.waiting = {near: b"", far: b""}
        self.reading = {near: True, far: True}
        self.deaf = set()
        self.events = {near: 0, far: 0}
        for end in self.other:
            end.setblocking(False)
            self.listen(end)

    def act(self, end):
        if self.waiting[end]:
            self.flush(end)
        if self.reading[end] and not self.waiting[self.other[end]]:
            self.carry(end)
        if self.is_over():
            self.close()
        else:
            for each in self.other:
                self.listen(each)

    def is_over(self):
        silent = [end for end in self.other if not self.reading[end] and not self.waiting[self.other[end]]]
        return len(silent) == 2 or any(end in self.deaf for end in silent)

    def carry(self, end):
        other = self.other[end]
        try:
            chunk = end.recv(CHUNK)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        if not chunk:
            self.reading[end] = False
            try:
                other.shutdown(_socket.SHUT_WR)
            except OSError:
                self.deaf.add(other)
        elif other not in self.deaf:
            self.waiting[other] = chunk
            self.flush(other)

    def flush(self, end):
        """What cannot be sent now waits until the end is ready for more."""
        try:
            self.waiting[end] = self.waiting[end][end.send(self.waiting[end]) :]
        except BlockingIOError:
            pass
        except OSError:
            self.waiting[end] = b""
            self.deaf.add(end)

    def listen(self, end):
        wanted = select.POLLOUT if self.waiting[end] else 0
        if self.reading[end] and not self.waiting[self.other[end]]:
            wanted |= select.POLLIN
        job, file = self.relay.job, end.fileno()
        if not wanted and self.events[end]:
            job.forget(file)
        elif wanted != self.events[end]:
            job.watch(file, wanted, lambda _: self.act(end))
        self.events[end] = wanted

    def close(self):
        self.relay.open -= 1
        for end in self.other:
            if self.events[end]:
                self.relay.job.forget(end.fileno())
            end.close()


def answer_names(job):
    """Every name is on loopback, so that a client that ignores proxies still reaches the gateway, which then answers or
    refuses in words. Nothing is asked outside: a name that carries a secret goes nowhere."""
    server = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 53))
    server.setblocking(False)

    def reply(_file):
        try:
            question, asker = server.recvfrom(513)
            answer = name_answer(question)
            if answer:
                server.sendto(answer, asker)
        except OSError:
            pass

    job.watch(server.fileno(), select.POLLIN, reply)


def name_answer(question):
    if not 17 <= len(question) <= 512 or question[4:6] != b"\0\1":
        return None
    end = 12
    while end < len(question) and question[end] != 0:
        end += question[end] + 1
    if end + 5 > len(question):
        return None
    is_address = question[end + 1 : end + 3] == b"\0\1"
    count = b"\0\1" if is_address else b"\0\0"
    head = question[:2] + b"\x85\x80" + question[4:6] + count + b"\0\0\0\0" + question[12 : end + 5]
    if not is_address:
        return head
    return head + bytes([0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1])
