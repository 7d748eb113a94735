"""Runs a command and waits for whatever it leaves behind, so that no one's processor time is lost.

A process whose parent ended belongs to the nearest ancestor that asked for it; bubblewrap ends before what it started.
"""

import ctypes
import os
import subprocess
import sys

PR_SET_CHILD_SUBREAPER = 36
ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
child = subprocess.Popen(sys.argv[1:])
while True:
    pid, status = os.wait()
    if pid == child.pid:
        sys.exit(os.waitstatus_to_exitcode(status))
