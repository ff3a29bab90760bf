"""A build's progress is shown in one line, and its output if it fails."""
import os
import pty
import subprocess
import sys
import tempfile
import unittest

import build_progress

HERE = os.path.dirname(os.path.abspath(__file__))

# Prints the progress that SwiftPM prints on a terminal, where it rewrites its line, and what follows it.
FAKE = """#!{python}
import sys, time
print("building for " + " ".join(sys.argv[1:]))
for done in range(1, 11):
    print(f"\\x1b[2K\\r[{{done}}/1870] Compiling Part{{done}}.swift", end="", flush=True)
    time.sleep(0.1)
print()
print("error: no such module", file=sys.stderr)
sys.exit({status})
"""


class ProgressTests(unittest.TestCase):
    def line(self, *texts):
        """The line after these texts, each of which came ten seconds after the one before."""
        progress = build_progress.Progress()
        for number, text in enumerate(texts):
            progress.read(text, 10.0 * number)
        return progress.line(10.0 * (len(texts) - 1))

    def test_nothing_is_said_before_the_first_step(self):
        self.assertEqual(self.line("Building for production...\n[Planning]\n"), "")

    def test_steps_have_no_time_until_there_is_a_rate(self):
        self.assertEqual(self.line("[214/1870] Compiling A.swift\n"), "compiling 214 of 1,870")
        self.assertEqual(self.line("[0/1870] Write sources\n", "[2/1870] Compiling A.swift\n"), "compiling 2 of 1,870")

    def test_the_time_left_comes_from_the_rate_so_far(self):
        self.assertEqual(self.line("[10/1870] Compiling A\n", "[30/1870] Compiling B\n"), "compiling 30 of 1,870, about 15 min left")
        self.assertEqual(self.line("[10/70] Compiling A\n", "[30/70] Linking b\n"), "linking 30 of 70, about 20 s left")

    def test_time_without_a_step_makes_the_rate_lower(self):
        self.assertEqual(self.line("[10/70] Compiling A\n", "[30/70] Compiling B\n", ""), "compiling 30 of 70, about 40 s left")

    def test_compiling_has_a_rate_of_its_own(self):
        self.assertEqual(self.line("[1/9000] Fetching swift-nio\n", "[9000/9000] Fetching swift-nio\n", "[1/70] Compiling A\n"),
                         "compiling 1 of 70")

    def test_a_rewritten_line_is_read_piece_by_piece(self):
        self.assertEqual(self.line("\x1b[2K\r[1/70] Compiling A\r[2/7", "0] Compiling B\r"), "compiling 2 of 70")

    def test_other_steps_do_not_change_the_word(self):
        self.assertEqual(self.line("[1/70] Linking a\n[2/70] Write sources\n"), "linking 2 of 70")


class BuildTests(unittest.TestCase):
    """Tests of `building` in house.sh, with a swift that builds nothing."""

    def build(self, status, terminal=False):
        with tempfile.TemporaryDirectory() as folder:
            swift = os.path.join(folder, "swift")
            with open(swift, "w", encoding="utf-8") as script:
                script.write(FAKE.format(python=sys.executable, status=status))
            os.chmod(swift, 0o755)
            environment = os.environ | {"PATH": folder + os.pathsep + os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
            command = ["bash", "-c", 'source "$1/house.sh" && building swift build --product greentea', "Tools/run", HERE]
            if not terminal:
                ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
                self.assertEqual(ran.stdout, "")
                return ran.returncode, ran.stderr
            leader, follower = pty.openpty()
            with subprocess.Popen(command, env=environment, stderr=follower) as process:
                os.close(follower)
                said = self.read(leader)
            return process.returncode, said

    def read(self, leader):
        pieces = []
        try:
            while piece := os.read(leader, 4096):
                pieces.append(piece)
        except OSError:
            pass  # Linux reports the end of a terminal's output in this way.
        os.close(leader)
        return b"".join(pieces).decode()

    def test_a_short_build_says_nothing_outside_of_a_terminal(self):
        self.assertEqual(self.build(0), (0, ""))

    def test_a_failed_build_shows_its_whole_output_and_keeps_its_status(self):
        status, said = self.build(3)
        self.assertEqual(status, 3)
        self.assertTrue(said.startswith("building for build --product greentea\n"), said)
        self.assertIn("[1/1870] Compiling Part1.swift", said)
        self.assertIn("error: no such module\n", said)
        self.assertTrue(said.endswith("this failed with status 3: swift build --product greentea\n"), said)

    def test_a_terminal_has_one_line_that_is_rewritten_and_then_removed(self):
        status, said = self.build(0, terminal=True)
        self.assertEqual(status, 0)
        self.assertRegex(said, r"^\r\x1b\[Kcompiling \d of 1,870")
        self.assertTrue(said.endswith("\r\x1b[K"), said)
        self.assertNotIn("\n", said)

    def test_a_file_gets_a_line_a_minute(self):
        with tempfile.TemporaryFile("w+", encoding="utf-8") as out:
            display = build_progress.Display(out)
            began = display.printed
            for second in range(0, 200, 5):
                display.show(f"compiling {second} of 200", began + second)
            out.seek(0)
            self.assertEqual(out.read(), "compiling 60 of 200\ncompiling 120 of 200\ncompiling 180 of 200\n")

    def test_a_build_that_a_signal_ends_has_the_status_of_a_shell(self):
        with tempfile.TemporaryFile("w+", encoding="utf-8") as out:
            self.assertEqual(build_progress.run(["sh", "-c", "kill -TERM $$"], out), 143)


if __name__ == "__main__":
    unittest.main()
