#!@PYTHON@ -IS
"""Starts a run of `premise-suggest` in a process that is forked, and ends as that does (tests/forked.py)."""

import array
import json
import os
import resource
import signal
import socket
import sys

_PASSED_ON = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2)
_LIMITS = (resource.RLIMIT_AS, resource.RLIMIT_DATA, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE)


def main() -> int:
    try:
        streams = [os.dup(number) for number in range(3)]
        forker = socket.socket(socket.AF_UNIX)
        forker.connect("@ADDRESS@")
    except OSError:  # a stream is closed, or the session has ended
        os.execv("@SCRIPT@", ["@SCRIPT@", *sys.argv[1:]])
    umask = os.umask(0)
    os.umask(umask)
    request = {
        "command": ["@SCRIPT@", *sys.argv[1:]],
        "environment": dict(os.environ),
        "umask": umask,
        "limits": {int(kind): resource.getrlimit(kind) for kind in _LIMITS},
    }
    body = json.dumps(request).encode()
    folder = os.open(".", os.O_PATH)
    signal.pthread_sigmask(signal.SIG_BLOCK, _PASSED_ON)
    socket.send_fds(forker, [array.array("I", [len(body)]).tobytes()], [*streams, folder])
    forker.sendall(body)
    for number in _PASSED_ON:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda number, _: forker.send(bytes([number])))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _PASSED_ON)
    for handle in (0, 1, 2, *streams):
        os.close(handle)  # who reads them waits for the run alone
    answer = forker.recv(4)
    if len(answer) < 4:
        return 1
    (code,) = array.array("i", answer)
    if code < 0:
        signal.signal(-code, signal.SIG_DFL) if -code not in (signal.SIGKILL, signal.SIGSTOP) else None
        os.kill(os.getpid(), -code)
    return code


sys.exit(main())
