import contextlib
import io
import os
import stat
import tempfile
import unittest
from unittest import mock

import cluster_soak


class SoakTests(unittest.TestCase):
    def test_what_levels_off_does_not_grow_and_what_rises_does(self):
        self.assertFalse(cluster_soak.grew([10, 40, 80, 100, 104, 99, 103, 101]))
        self.assertFalse(cluster_soak.grew([100]))
        self.assertTrue(cluster_soak.grew([10 * number for number in range(1, 9)]))
        self.assertFalse(cluster_soak.grew([10 * number for number in range(1, 9)] + [80] * 8))

    def run_with(self, script, sizes):
        """The exit code and the output, with a load program of this script and a file of these sizes at the samples."""
        with tempfile.TemporaryDirectory() as folder:
            load, file = os.path.join(folder, "load"), os.path.join(folder, "db")
            with open(load, "w", encoding="ascii") as text:
                text.write("#!/bin/sh\n" + script)
            os.chmod(load, stat.S_IRWXU)
            with open(file, "wb"):
                pass
            lines = io.StringIO()
            with mock.patch.object(cluster_soak.os.path, "getsize", side_effect=sizes), contextlib.redirect_stdout(lines):
                code = cluster_soak.main(
                    ["--minutes", "0.001", "--owners", "0", "--load", load, "--nodes", "http://127.0.0.1:1,http://127.0.0.1:2",
                     f"a={os.getpid()}={file}"])
            return code, lines.getvalue()

    def test_every_sample_is_printed_and_all_is_well(self):
        code, lines = self.run_with("exit 0", [5 << 20] * cluster_soak.SAMPLES)
        self.assertEqual(code, 0, lines)
        self.assertEqual(lines.count("a "), cluster_soak.SAMPLES)
        self.assertIn("    5 MB file", lines)

    def test_a_file_that_grows_to_the_end_is_named(self):
        code, lines = self.run_with("exit 0", [number << 20 for number in range(cluster_soak.SAMPLES)])
        self.assertEqual(code, 1)
        self.assertIn("the file of a still grows", lines)

    def test_a_load_that_fails_is_named_with_its_words(self):
        code, lines = self.run_with("echo a rule was violated; exit 1", [5 << 20] * cluster_soak.SAMPLES)
        self.assertEqual(code, 1)
        self.assertIn("a rule was violated", lines)

    def test_a_member_that_has_ended_is_a_failure(self):
        with contextlib.redirect_stderr(io.StringIO()) as words:
            code, _ = self.run_with("exit 0", FileNotFoundError("db"))
        self.assertEqual(code, 1)
        self.assertIn("has ended", words.getvalue())


if __name__ == "__main__":
    unittest.main()
