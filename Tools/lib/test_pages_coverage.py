"""Tests of what notices a page without its checks: python3 -m unittest in this folder."""

import unittest

from pages_coverage import LOOK, SNAPSHOT, STORY, Coverage, routes


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
