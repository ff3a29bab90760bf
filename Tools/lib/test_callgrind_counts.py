"""Tests of the counts of instructions: `python3 -m unittest discover Tools/lib`."""

import os
import tempfile
import unittest

import callgrind_counts

# Two functions, of which one calls the other twice. The cost after `calls=` is that of the called function, which is counted in its own
# lines.
TEXT = """version: 1
events: Ir
fn=(1) run
0 10
cfn=(2) malloc
calls=2 0
0 500
+3 5
fn=(2)
0 400
* 100
"""


class CallgrindTests(unittest.TestCase):
    def setUp(self):
        with tempfile.NamedTemporaryFile("w", suffix=".out", delete=False) as file:
            file.write(TEXT)
        self.addCleanup(os.remove, file.name)
        self.instructions, self.calls = callgrind_counts.read(file.name)

    def test_each_instruction_is_counted_once_for_its_own_function(self):
        self.assertEqual(self.instructions, {"run": 15, "malloc": 500})

    def test_calls_of_malloc_are_allocations(self):
        counts = callgrind_counts.Counts()
        counts.instructions, counts.calls = self.instructions, self.calls
        self.assertEqual((counts.total, counts.allocations), (515, 2))


if __name__ == "__main__":
    unittest.main()
