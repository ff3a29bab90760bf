"""Tests of the table of slow tests: `python3 -m unittest discover Tools/lib`."""

import json
import unittest

import slow_tests


def declared(name, display=None, cases=False, kind="function"):
    """The record of a test, as the runner writes it before all events."""
    payload = {"kind": kind, "name": name, "id": "A/" + name, "isParameterized": cases}
    return json.dumps({"version": 0, "kind": "test", "payload": payload | ({"displayName": display} if display else {})})


def happened(moment, kind, name):
    payload = {"kind": kind, "instant": {"absolute": moment, "since1970": 0}, "testID": "A/" + name, "messages": []}
    return json.dumps({"version": 0, "kind": "event", "payload": payload})


def seconds(lines, at_once):
    return {name: each for each, name in slow_tests.Stream(lines, at_once).times()}


class SlowTests(unittest.TestCase):
    def test_a_wait_for_a_turn_does_not_count(self):
        lines = [declared(name) for name in "abc"] + [happened(0, "testStarted", name) for name in "abc"] + [
            happened(10, "testEnded", "a"), happened(14, "testEnded", "b"), happened(15, "testEnded", "c")]
        self.assertEqual(seconds(lines, 1), {"a": 10, "b": 4, "c": 1})
        self.assertEqual(seconds(lines, 2), {"a": 10, "b": 14, "c": 5})

    def test_a_test_that_starts_when_nobody_waits_has_its_turn_at_once(self):
        lines = [declared("a"), declared("b"), happened(0, "testStarted", "a"), happened(3, "testEnded", "a"),
                 happened(5, "testStarted", "b"), happened(6, "testEnded", "b")]
        self.assertEqual(seconds(lines, 1), {"a": 3, "b": 1})

    def test_cases_have_their_own_moments_and_are_summed(self):
        lines = [declared("a"), declared("p", cases=True), happened(0, "testStarted", "a"), happened(0, "testStarted", "p"),
                 happened(4, "testEnded", "a"), happened(4.5, "testCaseStarted", "p"), happened(6, "testCaseEnded", "p"),
                 happened(6, "testCaseStarted", "p"), happened(8, "testCaseEnded", "p"), happened(8, "testEnded", "p")]
        stream = slow_tests.Stream(lines, 1)
        self.assertEqual(dict(stream.seconds), {"A/a": 4, "A/p": 3.5})
        self.assertEqual(stream.errors, [0.5, 0])
        self.assertIn("2 that the runner records differ by 0.50 s (median), 0.50 s (p99)", slow_tests.table([stream])[-1])

    def test_a_turn_that_another_test_took_is_given_back(self):
        # The events of b and c were written in this order, but c came to the queue first.
        lines = [declared(name) for name in "abc"] + [happened(0, "testStarted", name) for name in "abc"] + [
            happened(10, "testEnded", "a"), happened(12, "testEnded", "c"), happened(15, "testEnded", "b")]
        self.assertEqual(seconds(lines, 1), {"a": 10, "c": 2, "b": 3})

    def test_a_wait_for_the_report_of_the_end_does_not_count(self):
        lines = [declared("a"), declared("p", cases=True), happened(0, "testStarted", "a"), happened(0, "testStarted", "p"),
                 happened(0, "testCaseStarted", "p"), happened(3, "testCaseEnded", "p"), happened(9, "testEnded", "a"),
                 happened(9.1, "testEnded", "p")]
        self.assertEqual(seconds(lines, 2), {"a": 3, "p": 3})

    def test_a_turn_does_not_begin_before_a_recorded_one_that_was_given_earlier(self):
        lines = [declared(name, cases=name == "p") for name in "abp"] + [
            happened(0, "testStarted", "a"), happened(0, "testStarted", "p"), happened(0, "testStarted", "b"),
            happened(4, "testCaseStarted", "p"), happened(5, "testCaseEnded", "p"), happened(5, "testEnded", "p"),
            happened(6, "testEnded", "a"), happened(7, "testEnded", "b")]
        self.assertEqual(seconds(lines, 2), {"a": 6, "p": 1, "b": 2})

    def test_suites_and_broken_lines_are_left_out(self):
        lines = [declared("s", kind="suite"), declared("a", "A used code is rejected"), happened(0, "testStarted", "s"),
                 happened(0, "testStarted", "a"), happened(1, "testEnded", "a"), happened(1, "testEnded", "s"), '{"version": 0, "ki']
        self.assertEqual(seconds(lines, 1), {"A used code is rejected": 1})

    def test_the_slowest_come_first_and_no_more_than_asked_for(self):
        lines = [declared(name) for name in "abc"]
        for began, ended, name in [(0, 1, "a"), (1, 7, "b"), (7, 10, "c")]:
            lines += [happened(began, "testStarted", name), happened(ended, "testEnded", name)]
        self.assertEqual(slow_tests.table([slow_tests.Stream(lines, 1)], shown=2), [
            "the slowest 2 of 3 tests: 90% of the 10 s of all tests, without waits for a turn", "     6.0 s  b", "     3.0 s  c"])

    def test_without_tests_there_is_no_table(self):
        self.assertEqual(slow_tests.table([slow_tests.Stream([], 12)]), [])


if __name__ == "__main__":
    unittest.main()
