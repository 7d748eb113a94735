"""Starts commands by hand, one after the other, and says how long that took: what a trial is held against.

Reads lines of `how many, how many at once` and answers each with its seconds. It is a separate small process, since
starting a process costs a large one far more.
"""

import json
import subprocess
import sys
import threading
import time

commands = json.loads(sys.argv[1])
# A thread's exception is printed and forgotten, and a start that failed is quick: it would flatter the baseline.
failed = []


def take(left):
    while left:
        try:
            left.pop()
        except IndexError:
            return
        for command in commands:
            status = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL).returncode
            if status != 0:
                failed.append(f"{command[0]} … {' '.join(command[-3:])} ended with {status}")
                return


for line in sys.stdin:
    count, at_once = map(int, line.split())
    began = time.perf_counter()
    left = list(range(count))
    threads = [threading.Thread(target=take, args=(left,)) for _ in range(at_once)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        sys.exit(f"the baseline does not start: {failed[0]}")
    print(time.perf_counter() - began, flush=True)
