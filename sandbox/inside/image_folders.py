"""Makes the folders of an image that a job may change: copies, in memory, of what the image has there."""

import os

CHUNK = 1 << 20


def prepare(plan):
    for source, target in plan.copies:
        copy_folder(source, target)
    for path in plan.emptied:
        empty(path)


def copy_folder(source, target):
    with os.scandir(source) as entries:
        for entry in entries:
            place = f"{target}/{entry.name}"
            if entry.is_symlink():
                os.symlink(os.readlink(entry.path), place)
            elif entry.is_dir(follow_symlinks=False):
                # Another writable folder may lie inside this one, and is there already.
                os.makedirs(place, mode=0o755, exist_ok=True)
                if not os.path.ismount(place):
                    copy_folder(entry.path, place)
            elif entry.is_file(follow_symlinks=False):
                copy_file(entry.path, place)


def copy_file(source, target):
    found = os.stat(source)
    with open(source, "rb", buffering=0) as origin, open(target, "wb", buffering=0) as copy:
        while chunk := origin.read(CHUNK):
            view = memoryview(chunk)
            while view:
                view = view[copy.write(view) :]
    os.chmod(target, 0o755 if found.st_mode & 0o100 else 0o644)
    os.utime(target, ns=(found.st_mtime_ns, found.st_mtime_ns))


def empty(path):
    os.makedirs(path, exist_ok=True)
    with os.scandir(path) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                empty(entry.path)
                os.rmdir(entry.path)
            else:
                os.unlink(entry.path)
