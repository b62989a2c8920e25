"""Stops a function at its N-th system call: to kill it there, to interrupt it, or to let somebody
else in between.

    for run in every_call(prepare, act):     # N = 1, 2, 3 ... until act makes fewer calls
        run.kill()                           # or run.interrupt(), or anything, and run.finish()

prepare() and then act() run in a child that was forked, so it need not start anew each time; only
the calls of act() count. x86-64 or not does not matter: what a call is, is not looked at but for
`number`, which is for people.
"""

import ctypes
import os
import pickle
import select
import signal
import traceback
import unittest

TRACEME, SYSCALL, SETOPTIONS, DETACH = 0, 24, 0x4200, 17
TRACESYSGOOD, EXITKILL = 1, 0x100000

_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
_libc.ptrace.restype = ctypes.c_long


def _ptrace(request, pid=0, data=0):
    if _libc.ptrace(request, pid, None, data) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"ptrace: {os.strerror(number)}")


# ---- processes of their own ----

class Apart:
    """A function that runs in a forked child; result() is what it returns or raises."""

    def __init__(self, function, *arguments):
        self._reader, writer = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self._reader)
            _answer(writer, function, arguments)
        os.close(writer)
        self.status = None

    def wait_for(self, seconds):
        """Until it answers or ends, but no longer than this."""
        select.select([self._reader], [], [], seconds)

    def result(self):
        with open(self._reader, "rb") as file:
            answer = file.read()
        self.wait()
        if not answer:
            raise AssertionError(f"it ended with status {self.status}")
        good, value = pickle.loads(answer)
        if good:
            return value
        raise value

    def wait(self):
        if self.status is None:
            self.status = os.waitpid(self.pid, 0)[1]


def _answer(writer, function, arguments):
    try:
        try:
            answer = pickle.dumps((True, function(*arguments)))
        except BaseException as error:
            answer = failure(error)
        with open(writer, "wb") as file:
            file.write(answer)
    finally:
        os._exit(0)


def failure(error):
    """As it is, if it can be sent; else as text."""
    try:
        answer = pickle.dumps((False, error))
        pickle.loads(answer)
        return answer
    except Exception:
        text = "".join(traceback.format_exception_only(type(error), error)).strip()
        return pickle.dumps((False, AssertionError(text)))


def apart(function, *arguments):
    return Apart(function, *arguments).result()


def together(count, function):
    """What function(0), function(1), ... give, each in a process of its own, all at once."""
    gate, opened = os.pipe()

    def begin(number):
        os.close(opened)
        os.read(gate, 1)
        return function(number)
    started = [Apart(begin, number) for number in range(count)]
    os.close(opened)
    os.close(gate)
    return [one.result() for one in started]


# ---- one call after the other ----

class Run:
    """A child that stands before a system call."""

    def __init__(self, pid, position, number):
        self.pid, self.position, self.number = pid, position, number

    def __str__(self):
        return f"at call {self.position} (number {self.number})"

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)
        self._end()

    def interrupt(self, signal_number=signal.SIGINT):
        """The signal arrives here; its exit status."""
        os.kill(self.pid, signal_number)
        return self.finish()

    def finish(self):
        """Lets it go on alone; its exit status."""
        if self.pid:
            _ptrace(DETACH, self.pid)
        return self._end()

    def _end(self):
        pid, self.pid = self.pid, None
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def every_call(prepare, act, step=1):
    """A Run for each system call (or each `step`-th) of act(what prepare() gave), in a new child
    each time. Whoever takes one ends it; what is left is killed."""
    position = 1
    while (run := _run_to(position, prepare, act)) is not None:
        try:
            yield run
        finally:
            if run.pid:
                run.kill()
        position += step


def calls_of(prepare, act):
    """The numbers of all system calls of act(), in order."""
    numbers = []
    _run_to(float("inf"), prepare, act, lambda pid: numbers.append(_number_of(pid)))
    return numbers


def _run_to(position, prepare, act, look=lambda pid: None):
    pid = os.fork()
    if pid == 0:
        _be_traced(prepare, act)
    _, status = os.waitpid(pid, os.WUNTRACED)
    if not os.WIFSTOPPED(status):
        raise unittest.SkipTest("a process cannot be traced here") if _exit(status) == 77 \
            else AssertionError(f"preparing failed, {_exit(status)}")
    _ptrace(SETOPTIONS, pid, TRACESYSGOOD | EXITKILL)
    stops, passed_on = 0, 0
    while True:
        _ptrace(SYSCALL, pid, passed_on)
        _, status = os.waitpid(pid, 0)
        if not os.WIFSTOPPED(status):
            if status != 0:
                raise AssertionError(f"it failed undisturbed, {_exit(status)}")
            return None
        passed_on = os.WSTOPSIG(status)
        if passed_on != signal.SIGTRAP | 0x80:
            continue
        passed_on, stops = 0, stops + 1
        if stops % 2 == 1:  # a call stops it twice, at its begin and at its end
            look(pid)
            if stops == 2 * position - 1:
                return Run(pid, position, _number_of(pid))


def _exit(status):
    return os.waitstatus_to_exitcode(status)


def _number_of(pid):
    with open(f"/proc/{pid}/syscall") as file:
        return file.read().split()[0]


def _be_traced(prepare, act):
    status = 1
    try:
        try:
            _ptrace(TRACEME)
        except OSError:
            status = 77
            return
        prepared = prepare()
        os.kill(os.getpid(), signal.SIGSTOP)
        act(prepared)
        status = 0
    except (KeyboardInterrupt, SystemExit):
        status = 3
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)
