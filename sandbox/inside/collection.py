"""Sends back what a command left in its work folder."""

import os

REFUSALS = 100
DEEPEST = 16
MOST_NAME = 1024


class Collection:
    """What lies in the work folder, within limits; everybody who could change it is gone by now."""

    def __init__(self, plan, control):
        self.plan = plan
        self.control = control
        self.files = 0
        self.bytes = 0
        self.entries = 0
        self.refused = 0
        self.truncated = False

    def send(self):
        self.visit(self.plan.work, "", 0)
        for path in self.plan.brought:
            self.bring(path)
        self.control.report(collected=True, truncated=self.truncated)

    def bring(self, path):
        """A file or a folder of the image, under its full path there; nothing where the command left neither."""
        name = f"image{path}"
        if os.path.islink(path):
            self.refuse(name, "link")
        elif os.path.isdir(path):
            self.visit(path, name, 0)
        elif os.path.isfile(path):
            self.take_file(path, name)

    def refuse(self, path, reason):
        self.refused += 1
        if self.refused <= REFUSALS:
            self.control.report(refused=path[:MOST_NAME], reason=reason)
        else:
            self.truncated = True

    def visit(self, folder, prefix, depth):
        try:
            entries = os.scandir(folder)
        except OSError:
            return self.refuse(prefix, "folder cannot be read")
        with entries:
            for entry in entries:
                self.entries += 1
                if self.entries > self.plan.collect_files * 4 or self.files >= self.plan.collect_files:
                    self.truncated = True
                    return None
                self.take(entry, f"{prefix}/{entry.name}" if prefix else entry.name, depth)
        return None

    def take(self, entry, path, depth):
        if not is_plain(entry.name) or len(path) > MOST_NAME:
            self.refuse(path, "name")
        elif entry.is_symlink():
            self.refuse(path, "link")
        elif entry.is_dir(follow_symlinks=False):
            if depth < DEEPEST:
                self.visit(entry.path, path, depth + 1)
            else:
                self.refuse(path, "folder too deep")
        elif not entry.is_file(follow_symlinks=False):
            self.refuse(path, "not a regular file")
        else:
            self.take_file(entry.path, path)

    def take_file(self, full, path):
        try:
            file = os.open(full, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            return self.refuse(path, "cannot be read")
        with open(file, "rb", buffering=0) as source:
            found = os.fstat(file)
            if found.st_nlink > 1:
                return self.refuse(path, "link")
            if self.bytes + found.st_size > self.plan.collect_bytes:
                return self.refuse(path, "too large")
            content = source.read(found.st_size)
        if len(content) < found.st_size:
            return self.refuse(path, "cannot be read")
        self.control.report(file=path, size=len(content))
        self.control.write(content)
        self.files += 1
        self.bytes += len(content)
        return None


def is_plain(name):
    """A name that would mean something else in a log, a header or another system is left behind."""
    return "\\" not in name and all(32 <= ord(unit) != 127 and not 0xD800 <= ord(unit) < 0xE000 for unit in name)
