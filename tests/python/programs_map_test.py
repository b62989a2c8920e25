#!/usr/bin/python3
# run: budget 20
"""A map that the whole machine shares: one investigation for each target, and none is lost."""

import contextlib
import json
import os
import shutil
from pathlib import Path
from unittest import mock

from support import main, untorn
from programs import (SPARSE, UNHURRIED, ProgramCase, after_all, files, joined_everywhere,
                      killed_everywhere, load, processes, shows)

PATH = "cache/investigations.json"
OLD = [f"/srv/old.{number}" for number in range(200)]  # more than one write
NAME = "01234567-89ab-cdef-0123-456789abcdef"


class Sessions:
    """One variant of the program, with its map in the folder `cache`."""

    def __init__(self, variant):
        self.module = load(variant, "investigations")
        self.locks = variant == "after"
        self.patience = 0.02 if self.locks else UNHURRIED

    def ask(self, target):
        return self.module.investigation_for(target, PATH)

    def load(self):
        return self.module.load_investigations(PATH)

    def prepare(self):
        """A map with old investigations, of which the first has its folder."""
        shutil.rmtree("cache", ignore_errors=True)
        os.makedirs(f"cache/{NAME}")
        self.module.save_investigations(PATH, {target: NAME for target in OLD})

    def judge(self):
        """All are there, each can be resumed, and who asks next is served."""
        found = self.load()
        assert {*OLD} <= found.keys(), f"lost: {len(found)} are left"
        assert found.keys() <= {*OLD, "/srv/new"}
        if "/srv/new" in found:
            assert found["/srv/new"] == self.ask("/srv/new"), "two answers"
        made = {"/srv/new": self.ask("/srv/new")}
        assert self.load() == {**{target: NAME for target in OLD}, **made}, "the next is not there"
        shows("cache", "investigations.json")

    def killed(self):
        return killed_everywhere(self.prepare, lambda _: self.ask("/srv/new"), self.judge)

    def joined(self, target, step=1):
        """Two ask, the other one at each call of the first."""
        def judge(answer):
            assert answer == self.load().get(target), "two answers"
            self.judge_all("/srv/new", target)
        return joined_everywhere(self.prepare, lambda _: self.ask("/srv/new"),
                                 lambda: self.ask(target), judge, self.patience, step)

    def judge_all(self, *targets):
        """The map has these beside the old ones, and each has its folder."""
        found = self.load()
        missing = {*OLD, *targets} - found.keys()
        assert not missing, f"lost: {len(missing)}"
        for target in targets:
            assert os.path.isdir(f"cache/{found[target]}"), "no folder"

    def deleted(self, delete, path, step=1):
        """Somebody deletes the map or all of the cache, and then asks, at each call of another
        one who asks."""
        def delete_and_ask():
            delete(path)
            return self.ask("/srv/new")

        def judge(answer):
            assert answer == self.load()["/srv/new"] == self.ask("/srv/new"), "two answers"
            assert path == PATH or self.load().keys() == {"/srv/new"}, "what was deleted is back"
            shows("cache", "investigations.json")
        # With all of the cache its lock is gone, and there is nothing to wait for.
        return joined_everywhere(self.prepare, lambda _: self.ask("/srv/new"), delete_and_ask,
                                 judge, self.patience if path == PATH else UNHURRIED,
                                 step)

    def crowd(self, count, targets_of):
        """What each of so many processes got, which ask for all of their targets at once."""
        run, barrier = processes(count)
        self.prepare()
        with contextlib.ExitStack() as stack:
            if not self.locks:
                stack.enter_context(mock.patch.object(
                    self.module, "load_investigations",
                    after_all(barrier, self.module.load_investigations)))
            answers = run(lambda number: {target: self.ask(target)
                                          for target in targets_of(number)})
        return answers, self.load()


class Map(ProgramCase):
    def test_who_is_killed_anywhere_leaves_a_whole_map(self):
        calls, problems = Sessions("after").killed()
        self.assertEqual(problems, [])
        self.assertGreater(calls, 20)
        print(f"    killed at each of {calls} calls")
        _, problems = Sessions("before").killed()
        self.assertFound(problems, "lost: 0 are left")

    def test_who_asks_in_between_gets_the_same_answer_and_loses_nothing(self):
        for target, step in (("/srv/new", 1), ("/srv/other", SPARSE)):
            calls, problems = Sessions("after").joined(target, step)
            self.assertEqual(problems, [])
            self.assertGreater(calls, 5)
            _, problems = Sessions("before").joined(target)
            self.assertFound(problems, "two answers")

    def test_a_map_that_is_deleted_underneath_is_begun_anew_by_all(self):
        for delete, path, step in ((os.remove, PATH, SPARSE), (shutil.rmtree, "cache", 1)):
            calls, problems = Sessions("after").deleted(delete, path, step)
            self.assertEqual(problems, [])
            self.assertGreater(calls, 5)
            _, problems = Sessions("before").deleted(delete, path)
            self.assertFound(problems, "two answers")

    def test_of_200_mappings_that_eight_processes_make_at_once_none_is_lost(self):
        def targets_of(number):
            return [f"/srv/{number}/target-{i}" for i in range(25)]
        answers, found = Sessions("after").crowd(8, targets_of)
        made = {target: name for answer in answers for target, name in answer.items()}
        self.assertEqual(found, {**{target: NAME for target in OLD}, **made})
        self.assertEqual(len({*made.values()}), 200)
        for name in made.values():
            self.assertTrue(os.path.isdir(f"cache/{name}"))
        answers, found = Sessions("before").crowd(8, lambda number: targets_of(number)[:1])
        self.assertEqual(len(found) - len(OLD), 1)

    def test_64_who_ask_for_one_target_get_one_uuid(self):
        for variant, different in (("after", 1), ("before", 64)):
            answers, _ = Sessions(variant).crowd(64, lambda number: ["/srv/one"])
            self.assertEqual(len({answer["/srv/one"] for answer in answers}), different)

    def damaged(self, variant):
        """Which damaged maps are replaced, of one cut off at each length and of others."""
        sessions = Sessions(variant)
        whole = json.dumps({"/srv/a": NAME, "/srv/b": NAME}, indent=2).encode()
        contents = [whole[:size] for size in range(len(whole))]
        contents += [b"\0" * 50, b"null\n{", b"\xff\xfe"]
        replaced = []
        for content in contents:
            shutil.rmtree("cache", ignore_errors=True)
            os.mkdir("cache")
            for save in (lambda: sessions.ask("/srv/new"),
                         lambda: sessions.module.save_investigations(PATH, sessions.load())):
                self.put(PATH, content)
                with contextlib.suppress(untorn.DamagedError, ValueError):
                    save()
                    replaced.append(content)
                if files("cache")["investigations.json"] != content:
                    replaced.append(content)
        return replaced

    def test_a_damaged_map_is_never_replaced(self):
        self.assertEqual(self.damaged("after"), [])
        self.assertGreater(len(self.damaged("before")), 50)

    def test_the_last_whole_map_is_at_hand(self):
        sessions = Sessions("after")
        sessions.prepare()
        sessions.ask("/srv/new")
        self.put(PATH, "")
        with self.assertRaises(untorn.DamagedError) as caught:
            sessions.ask("/srv/new")
        self.assertEqual({*json.loads(caught.exception.last_good)}, {*OLD})

    def test_targets_may_have_any_name(self):
        sessions = Sessions("after")
        names = ["/a.b/c[0]", '/a "quoted" \\ path', "/ü/\u2028", "/" + "x" * 3000,
                 os.fsdecode(b"/caf\xe9"), os.fsdecode(b"/\xed\xa0\x80")]
        answers = [sessions.ask(name) for name in names]
        self.assertEqual([sessions.ask(name) for name in names], answers)
        self.assertEqual(sessions.load(), dict(zip(names, answers)))
        os.symlink("elsewhere", "link")
        self.assertEqual(sessions.ask("link"), sessions.ask(Path("elsewhere").absolute()))


if __name__ == "__main__":
    main()
