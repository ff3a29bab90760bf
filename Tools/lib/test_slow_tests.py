"""Tests of the table of slow tests: `python3 -m unittest discover Tools/lib`."""

import unittest

import slow_tests

LINES = [
    '◇ Test "A used code is rejected" started.\n',
    '✔ Test "A used code is rejected" passed after 0.250 seconds.\n',
    "✔ Test everyRuleHolds(_:) with 3 test cases passed after 12.5 seconds.\n",
    '✘ Test "A test of \\"quotes\\" after 3 seconds" failed after 3.000 seconds with 1 issue.\n',
    "✔ Suite CodeTests passed after 99.0 seconds.\n",
    "✔ Test run with 3 tests in 1 suite passed after 99.0 seconds.\n",
    "✔ Test quick() passed after 0.001 seconds.\n",
]


class SlowTests(unittest.TestCase):
    def test_names_and_times_are_read_and_suites_are_not(self):
        self.assertEqual(list(slow_tests.times(LINES)), [
            (0.25, "A used code is rejected"), (12.5, "everyRuleHolds(_:)"), (3.0, 'A test of \\"quotes\\" after 3 seconds'),
            (0.001, "quick()")])

    def test_the_slowest_come_first_and_no_more_than_asked_for(self):
        table = slow_tests.table(LINES, shown=2)
        self.assertEqual(table[0], "the slowest 2 of 4 tests: 98% of the seconds that all tests took one by one")
        self.assertEqual([line.split("s  ")[1] for line in table[1:]], ["everyRuleHolds(_:)", 'A test of \\"quotes\\" after 3 seconds'])

    def test_without_tests_there_is_no_table(self):
        self.assertEqual(slow_tests.table(LINES[4:6]), [])


if __name__ == "__main__":
    unittest.main()
