"""Tests that hang are ended, whatever they wait for."""
import io
import sys
import unittest

import watch_tests


def watched(script, seconds=60):
    out = io.BytesIO()
    status = watch_tests.Watch([sys.executable, "-c", script], seconds, out).run()
    return status, out.getvalue().decode()


class WatchTests(unittest.TestCase):
    def test_output_and_status_are_passed_on(self):
        status, said = watched("import sys; print('◇ Test a() started.'); print('err', file=sys.stderr); sys.exit(3)")
        self.assertEqual(status, 3)
        self.assertEqual(sorted(said.splitlines()), ["err", "◇ Test a() started."])

    def test_a_run_that_says_nothing_is_ended_and_its_tests_are_named(self):
        script = """
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print('◇ Test run started.')
print('◇ Test "a name" started.'); print('◇ Test ended() started.')
print('✔ Test ended() passed after 0.1 seconds.', flush=True)
time.sleep(3600)
"""
        watch_tests.KILL_SECONDS = 0.2
        status, said = watched(script, seconds=2)
        self.assertEqual(status, 124)
        self.assertTrue(said.endswith('Under way: "a name"\n'), said)

    def test_lines_keep_a_run_alive(self):
        status, said = watched("import time\nfor i in range(8): print(i, flush=True); time.sleep(0.5)", seconds=2)
        self.assertEqual((status, len(said.splitlines())), (0, 8))


if __name__ == "__main__":
    unittest.main()
