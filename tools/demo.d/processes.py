"""Processes: made, asked, killed at a random moment or before a chosen system call.

All are forks of the one that has imported the program, so that a save is all they do.
"""

import ctypes
import json
import os
import signal
import sys
import traceback

_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_LIBC.ptrace.restype = ctypes.c_long
_TRACEME, _SYSCALL, _SETOPTIONS = 0, 24, 0x4200
_STOP_IS_A_CALL, _ENDS_WITH_ITS_TRACER = 1, 0x100000
_PARENT_DEATH_SIGNAL, _CHILD_SUBREAPER = 1, 36
_CALL = signal.SIGTRAP | 0x80
_MOST_CALLS = 100000


class NoTracing(Exception):
    """This machine lets no process be traced."""


def end_with_parent():
    """Whatever becomes of the demo, none of its processes goes on."""
    _LIBC.prctl(_PARENT_DEATH_SIGNAL, int(signal.SIGKILL), 0, 0, 0)


def adopt_orphans():
    """The processes of a child that has ended become ours, so that we can wait for them."""
    _LIBC.prctl(_CHILD_SUBREAPER, 1, 0, 0, 0)


def start(function, *arguments):
    """A process that runs the function and ends; its number."""
    child = os.fork()
    if child != 0:
        return child
    end_with_parent()
    status = 1
    try:
        function(*arguments)
        status = 0
    except BaseException:  # not even SystemExit may go on into the parent's code
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(status)


def finish(child):
    """Waits for its end; raises if it was not a good one."""
    status = os.waitpid(child, 0)[1]
    if status != 0:
        raise RuntimeError(f"a process of the demo ended with {status}")


def kill(child):
    """Returns whether it was this that ended it."""
    os.kill(child, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def ask(function, *arguments):
    """What the function returns, in a process that has nothing of it in memory before."""
    reading, writing = os.pipe()

    def answer():
        with open(writing, "w", encoding="utf-8") as file:
            json.dump(function(*arguments), file)

    child = start(answer)
    os.close(writing)
    with open(reading, encoding="utf-8") as file:
        text = file.read()
    finish(child)
    return json.loads(text)


class Gate:
    """Where processes wait until all are let go at once, or tell that they have arrived."""

    def __init__(self):
        self._reading, self._writing = os.pipe()

    def wait(self):
        os.close(self._writing)
        os.read(self._reading, 1)

    def open(self):
        os.close(self._writing)
        os.close(self._reading)

    def arrive(self):
        os.write(self._writing, b".")

    def wait_for_one(self):
        """Until one has arrived, or none is left that could."""
        os.close(self._writing)
        os.read(self._reading, 1)
        os.close(self._reading)


def crowd(count, function, *arguments):
    """Runs function(number, ...) in this many processes at once, until all have ended."""
    gate = Gate()

    def one(number):
        gate.wait()
        function(number, *arguments)

    children = [start(one, number) for number in range(count)]
    gate.open()
    for child in children:
        finish(child)


def _stopped_child(function):
    """A process under our trace that stands before the first system call of the function."""
    def traced():
        if _LIBC.ptrace(_TRACEME, 0, None, None) != 0:
            os._exit(3)
        os.kill(os.getpid(), signal.SIGSTOP)
        function()

    child = start(traced)
    status = os.waitpid(child, 0)[1]
    if not os.WIFSTOPPED(status):
        raise NoTracing
    if _LIBC.ptrace(_SETOPTIONS, child, None, _STOP_IS_A_CALL | _ENDS_WITH_ITS_TRACER) != 0:
        kill(child)
        raise NoTracing
    return child


def run_until_call(function, number):
    """Runs the function in a process that is killed instead of making its number-th system call.

    Returns how many calls it came to, and whether it was killed; if not, it has ended by itself.
    """
    child = _stopped_child(function)
    calls, entering, signalled = 0, True, 0
    while calls < _MOST_CALLS:
        _LIBC.ptrace(_SYSCALL, child, None, signalled)
        status = os.waitpid(child, 0)[1]
        if not os.WIFSTOPPED(status):
            return calls, False
        signalled = 0 if os.WSTOPSIG(status) == _CALL else os.WSTOPSIG(status)
        if signalled:
            continue
        if entering:
            calls += 1
            if calls == number:
                kill(child)
                return calls, True
        entering = not entering
    kill(child)
    raise RuntimeError("a save without an end")
