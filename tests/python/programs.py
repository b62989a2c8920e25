"""What the suites of the example programs share: the programs, by path; what is left of a folder;
a program that is disturbed at each of its system calls."""

import concurrent.futures
import importlib.util
import multiprocessing
import os
import shutil
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from support import Case
from stepping import Apart, apart, every_call, together

EXAMPLES = Path(os.environ["TESTS"]).parent / "examples/python"
NAMES = ("context_manager", "config_service", "skills_hub", "investigations")
UNHURRIED = 60.0  # seconds: for who waits for nobody
SPARSE = 1 if os.environ.get("UNTORN_LONG") else 5  # a step, where the same was done in full


def load(variant, name):
    """The program as a module: variant "before" or "after"."""
    spec = importlib.util.spec_from_file_location(f"{variant}_{name}",
                                                  EXAMPLES / variant / f"{name}.py")
    try:
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except ModuleNotFoundError as error:
        raise unittest.SkipTest(f"needs the Python package {error.name}") from None
    return module


class ProgramCase(Case):
    """Each test works in an empty folder of its own, in memory where possible."""

    def setUp(self):
        super().setUp()
        if os.access("/dev/shm", os.W_OK):
            folder = tempfile.mkdtemp(prefix="untorn-", dir="/dev/shm")
            self.addCleanup(shutil.rmtree, folder)
            os.chdir(folder)

    def assertFound(self, problems, *texts):
        """The negative control: each of these was among what went wrong."""
        for text in texts:
            self.assertTrue(any(text in problem for problem in problems), (text, problems))


# ---- what is left ----

def files(folder="."):
    """Name to content of everything that is not untorn's own."""
    found = {}
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".untorn")]
        for name in names:
            path = Path(place, name)
            found[str(path.relative_to(folder))] = path.read_bytes()
    return found


def shows(folder, *names):
    """Nothing but these files is there, and untorn left nothing unfinished."""
    assert sorted(files(folder)) == sorted(names), f"left over: {sorted(files(folder))}"
    stages = [str(path) for path in Path(folder).rglob(".untorn*/stage/*")
              if "history" not in path.parts]
    assert not stages, f"left over: {stages}"
    check = subprocess.run([os.environ["UNTORN"], "check", folder], stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True, check=False)
    assert check.returncode == 0, check.stdout


# ---- disturbed at each system call ----

def problem_of(function, *arguments):
    """What is wrong, as a list; each judgement is made by a process that knows nothing yet."""
    try:
        apart(function, *arguments)
        return []
    except Exception as error:
        return [f"{type(error).__name__}: {error}"]


def killed_everywhere(prepare, act, judge, step=1):
    """(at how many calls, what judge() finds wrong after a SIGKILL at each of them)."""
    calls, problems = 0, []
    for run in every_call(prepare, act, step):
        run.kill()
        calls += 1
        problems += [f"{run}: {problem}" for problem in problem_of(judge)]
    return calls, problems


def interrupted_everywhere(prepare, act, judge, signal_number, step=1):
    """The same with a signal, which becomes an exception."""
    calls, problems = 0, []
    for run in every_call(prepare, act, step):
        status = run.interrupt(signal_number)
        calls += 1
        problems += [] if status in (0, 3) else [f"{run}: status {status}"]
        problems += [f"{run}: {problem}" for problem in problem_of(judge)]
    return calls, problems


def joined_everywhere(prepare, act, other, judge, patience, step=1):
    """The same with somebody else who does other() at each call of act. He may have to wait for
    the lock: after `patience` seconds act goes on. judge() gets what other() gave."""
    calls, problems = 0, []
    for run in every_call(prepare, act, step):
        visitor = Apart(other)
        visitor.wait_for(patience)
        status = run.finish()
        calls += 1
        problems += [] if status == 0 else [f"{run}: status {status}"]
        try:
            answer = visitor.result()
        except Exception as error:
            problems.append(f"{run}: {type(error).__name__}: {error}")
            continue
        problems += [f"{run}: {problem}" for problem in problem_of(judge, answer)]
    return calls, problems


# ---- many at once ----

def processes(count):
    """(runs function(0), function(1), ... at once; a barrier for them)."""
    return (lambda function: together(count, function),
            multiprocessing.get_context("fork").Barrier(count, timeout=UNHURRIED))


def threads(count):
    def run(function):
        with concurrent.futures.ThreadPoolExecutor(count) as pool:
            return list(pool.map(function, range(count)))
    return run, threading.Barrier(count, timeout=UNHURRIED)


def after_all(barrier, function):
    """The function, which returns when all have called it. Nobody can do so who has a lock: it is
    for programs that take none, and makes sure that they get in each other's way."""
    def wait(*arguments):
        result = function(*arguments)
        barrier.wait()
        return result
    return wait
