#!/usr/bin/python3
# run: budget 20
"""Four files that belong together: whatever happens to a save, they are of one save."""

import json
import os
import shutil
from pathlib import Path

from support import main, untorn
from programs import (SPARSE, UNHURRIED, ProgramCase, files, joined_everywhere,
                      killed_everywhere, load, shows)

FILES = ("global_context.json", "messages.json", "metadata.json", "state.json")


def advance(context):
    """What belongs to the next save; each file tells its number."""
    number = len(context.messages) + 1
    context.add_message("user", f"{number} " + "long " * 2000)  # more than one write
    context.state = {"number": number}
    context.global_context = {"number": number, "text": "x" * 3000}
    return context


class Sessions:
    """One variant of the program, in the folder `context`."""

    def __init__(self, variant):
        self.module = load(variant, "context_manager")

    def load(self):
        context = self.module.ContextManager("context")
        context.load()
        return context

    def prepare(self, saves):
        """A program that has saved so often, and is about to save again."""
        shutil.rmtree("context", ignore_errors=True)
        context = self.module.ContextManager("context")
        for _ in range(saves):
            advance(context).save()
        return advance(context)

    def number(self):
        """Which save the files are of."""
        context = self.load()
        numbers = (len(context.messages), context.metadata["message_count"],
                   context.state.get("number", 0), context.global_context.get("number", 0))
        assert len({*numbers}) == 1, f"mixed: {numbers}"
        return numbers[0]

    def judge(self, saves):
        """One of both saves, whole; and the next one works, and clears up."""
        number = self.number()
        assert number in (saves, saves + 1), f"lost: {number}"
        advance(self.load()).save()
        assert self.number() == number + 1, "the next save does not work"
        shows("context", *FILES)

    def killed(self, saves, step=1):
        return killed_everywhere(lambda: self.prepare(saves), lambda context: context.save(),
                                 lambda: self.judge(saves), step)

    def read_meanwhile(self, patience, step=1):
        """Somebody loads at each call of a save."""
        def judge(number):
            assert number in (1, 2), f"lost: {number}"
        return joined_everywhere(lambda: self.prepare(1), lambda context: context.save(),
                                 self.number, judge, patience, step)


class Context(ProgramCase):
    def test_a_save_that_is_killed_anywhere_leaves_four_files_of_one_save(self):
        calls, problems = Sessions("after").killed(1)
        self.assertEqual(problems, [])
        self.assertGreater(calls, 100)
        print(f"    killed at each of {calls} calls of a save")

    def test_so_does_the_first_save(self):
        calls, problems = Sessions("after").killed(0, SPARSE)
        self.assertEqual(problems, [])
        self.assertGreater(calls, 20)

    def test_four_plain_files_saved_in_turn_are_caught(self):
        sessions = Sessions("before")
        for saves in (0, 1):
            _, problems = sessions.killed(saves)
            self.assertFound(problems, "mixed: ", "JSONDecodeError: ")

    def test_who_loads_during_a_save_gets_one_save(self):
        calls, problems = Sessions("after").read_meanwhile(0.02, SPARSE)
        self.assertEqual(problems, [])
        self.assertGreater(calls, 20)
        _, problems = Sessions("before").read_meanwhile(UNHURRIED)
        self.assertFound(problems, "mixed: ", "JSONDecodeError: ")

    def put_one_back(self, variant):
        sessions = Sessions(variant)
        context = sessions.prepare(1)
        old = Path("context/metadata.json").read_bytes()
        context.save()
        Path("context/metadata.json").write_bytes(old)
        return sessions

    def test_a_mixture_that_somebody_made_is_noticed(self):
        with self.assertRaises(untorn.MixedError):
            self.put_one_back("after").load()
        careless = self.put_one_back("before")
        careless.load()
        with self.assertRaisesRegex(AssertionError, "mixed"):
            careless.number()

    def test_there_is_a_way_back_to_the_save_before(self):
        sessions = Sessions("after")
        sessions.prepare(1).save()
        self.assertEqual(sessions.number(), 2)
        untorn.undo("context/state.json")
        self.assertEqual(sessions.number(), 1)

    def unwritable(self, variant):
        """What is left after a save that raised, of what JSON cannot have."""
        sessions = Sessions(variant)
        context = sessions.prepare(1)
        old = files("context")
        context.state = {"number": 2, "lock": object()}
        with self.assertRaises(TypeError):
            context.save()
        return files("context") == old

    def test_what_cannot_be_written_leaves_all_four(self):
        self.assertTrue(self.unwritable("after"))
        self.assertFalse(self.unwritable("before"))

    def test_the_files_stay_plain_json_for_others(self):
        Sessions("after").prepare(1)
        for name in FILES:
            self.assertIsNotNone(json.loads(Path("context", name).read_bytes()))
            self.assertEqual(os.stat(f"context/{name}").st_mode & 0o777, 0o644)


if __name__ == "__main__":
    os.umask(0o022)
    main()
