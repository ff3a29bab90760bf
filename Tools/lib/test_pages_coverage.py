"""Tests of the check that every page is covered: `python3 -m unittest discover Tools/lib`."""

import os
import re
import unittest

from pages_coverage import LOOK, SNAPSHOT, STORY, Coverage, routes


LIBRARY = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.join(LIBRARY, "..", "..", "Tests")


class UniqueTests(unittest.TestCase):
    """Every story and test that the table of unique features names must exist."""

    def setUp(self):
        with open(os.path.join(TESTS, "README.md"), encoding="utf-8") as file:
            section = file.read().split("## What no other product has")[1].split("\n## ")[0]
        self.rows = [line.split("|")[1:-1] for line in section.splitlines() if line.startswith("| ") and "---" not in line][1:]

    def test_each_row_has_a_story_that_runs(self):
        self.assertEqual(len(self.rows), 7)
        for what, stories, _ in self.rows:
            named = re.findall(r"`(pages_stories_\w+)\.(\w+)`", stories)
            self.assertTrue(named, what)
            for module, story in named:
                with open(os.path.join(LIBRARY, module + ".py"), encoding="utf-8") as file:
                    text = file.read()
                self.assertIn(f"def {story}(stage):", text, what)
                self.assertRegex(text.split("STORIES = [")[1], rf"\b{story}\b", what)

    def test_the_tests_below_exist(self):
        for what, _, below in self.rows:
            for name in re.findall(r"`([\w/]+)`", below):
                path = os.path.join(TESTS, name)
                self.assertTrue(os.path.isdir(path) or os.path.exists(path + ".swift") or self.has_suite(path), f"{what}: {name}")

    @staticmethod
    def has_suite(path):
        """Whether a folder contains a file of this test suite."""
        folder = os.path.dirname(path)
        return any(os.path.basename(path) in name for name in os.listdir(folder))


class CoverageTests(unittest.TestCase):
    def test_every_list_of_pages_is_read(self):
        for route in ("/sign-in", "/wallet/{id}/redeem", "/shop/{id}/numbers", "/operate/log", "/proof"):
            self.assertIn(route, routes())

    def test_a_page_needs_everything(self):
        coverage = Coverage(["/wallet", "/wallet/{id}"])
        coverage.now = {STORY}
        coverage.opened("http://127.0.0.1:1/wallet?x=1")
        coverage.now = {LOOK, SNAPSHOT}
        coverage.opened("http://127.0.0.1:1/wallet/card_1#top")
        self.assertEqual(
            list(coverage.missing()), [f"/wallet lacks {LOOK} and {SNAPSHOT}", f"/wallet/{{id}} lacks {STORY}"])
        coverage.opened("http://127.0.0.1:1/wallet")
        coverage.now = {STORY}
        coverage.opened("http://127.0.0.1:1/wallet/card_2")
        self.assertEqual(list(coverage.missing()), [])

    def test_the_most_exact_page_counts(self):
        coverage = Coverage(["/shop/{id}", "/shop/new"])
        coverage.now = {STORY, LOOK, SNAPSHOT}
        coverage.opened("http://127.0.0.1:1/shop/new")
        self.assertEqual([each.split()[0] for each in coverage.missing()], ["/shop/{id}"])

    def test_what_nobody_runs_counts_nothing(self):
        coverage = Coverage(["/proof"])
        coverage.opened("http://127.0.0.1:1/proof")
        self.assertEqual(len(list(coverage.missing())), 1)


if __name__ == "__main__":
    unittest.main()
