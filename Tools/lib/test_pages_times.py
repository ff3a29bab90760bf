"""Tests of the times of checks: python3 -m unittest in this folder."""

import subprocess
import sys
import unittest

from pages_times import Costs, added, processor_seconds, table

# A program that computes until it has used 0.3 seconds of processor time.
BUSY = "import time\nwhile time.process_time() < 0.3: pass"


class ProcessorTests(unittest.TestCase):
    def test_children_count_while_they_run_and_once_they_have_ended(self):
        before = processor_seconds()
        child = subprocess.Popen(
            [sys.executable, "-c", BUSY + "\nprint(flush=True)\ninput()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        child.stdout.readline()
        running = processor_seconds()
        child.communicate(b"\n")
        ended = processor_seconds()
        self.assertGreaterEqual(running - before, 0.25)
        self.assertGreaterEqual(ended - before, 0.25)

    def test_grandchildren_count(self):
        before = processor_seconds()
        subprocess.run([sys.executable, "-c", f"import subprocess, sys; subprocess.run([sys.executable, '-c', {BUSY!r}])"], check=True)
        self.assertGreaterEqual(processor_seconds() - before, 0.25)


class CostTests(unittest.TestCase):
    def test_work_that_fails_is_counted(self):
        costs = Costs()
        with self.assertRaises(ValueError), costs.of("loading"):
            raise ValueError
        with costs.of("loading"):
            pass
        self.assertEqual(costs.kinds["loading"][0], 2)

    def test_processes_are_added_and_the_longest_comes_first(self):
        rows = added([{"axe": [1, 2.0, 1.0], "walks": [1, 5.0, 0.5]}, {"axe": [2, 4.0, 3.0]}])
        self.assertEqual(rows, [("axe", 3, 6.0, 4.0), ("walks", 1, 5.0, 0.5)])
        self.assertEqual(list(table("work", rows))[1].split(), ["axe", "3", "6.0", "4.0"])


if __name__ == "__main__":
    unittest.main()
