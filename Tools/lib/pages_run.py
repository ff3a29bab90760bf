"""Runs stories and looks at pages: what check-pages does once it has a browser.

Several processes share the work, each with a server, a town and a browser of its own. A process takes the next check that nobody has
taken, so that all end at about the same time; the order of the checks in one process is that of the list.
"""

import fcntl
import glob
import importlib
import json
import os
import signal
import traceback

from playwright.sync_api import sync_playwright

import pages_coverage
import pages_times
from pages_sheets import dark_style, look_at
from pages_stage import ELSEWHERE, Server, Stage
from pages_town import Town

LIBRARY = os.path.dirname(os.path.abspath(__file__))
SLOWEST_SHOWN = 10
# The maximum seconds of one check: many times as long as the longest check takes on a busy machine.
CHECK_SECONDS_MAX = 300
# Bugs that a story must notice. They tell of the stories and not of the pages, so they are played only by name.
SEEDED = "story seeded bug"


def modules():
    """Every module with stories and pages; the public pages first, because their snapshots show the town before others open shops in it."""
    names = sorted(os.path.basename(path)[:-3] for path in glob.glob(os.path.join(LIBRARY, "pages_stories_*.py")))
    names.sort(key=lambda name: name != "pages_stories_public")
    return [importlib.import_module(name) for name in names]


def checks(only):
    """Every check but the seeded bugs, or each with a word of `only` in its name: its name, what to do, and what it counts for on the pages
    that it opens."""
    found = [("style in the dark", dark_style, set())]
    for module in modules():
        for sheet in getattr(module, "SHEETS", []):
            kind = {pages_coverage.LOOK} | ({pages_coverage.SNAPSHOT} if sheet.rests else set())
            found.append((f"page {sheet.name}", lambda stage, sheet=sheet: look_at(stage, sheet), kind))
        found += [(f"story {story.__name__.replace('_', ' ')}", story, {pages_coverage.STORY}) for story in getattr(module, "STORIES", [])]
    if not only:
        return [each for each in found if not each[0].startswith(SEEDED)]
    return [each for each in found if any(word in each[0] for word in only)]


class Queue:
    """The number of the next check, in a file that several processes share."""

    def __init__(self, path):
        self.file = open(path, "a+", encoding="ascii")

    def next(self):
        fcntl.flock(self.file, fcntl.LOCK_EX)
        try:
            self.file.seek(0)
            number = int(self.file.read() or 0)
            self.file.truncate(0)
            self.file.write(str(number + 1))
            self.file.flush()
            return number
        finally:
            fcntl.flock(self.file, fcntl.LOCK_UN)


def run(executable, browser, folder, options):
    """Does checks until none is left; how they went is written to `options.result` or returned."""
    tally, coverage, kinds = Tally(), {}, {}
    waiting, queue = checks(options.only), Queue(options.queue or os.path.join(folder, "queue"))
    server = Server(executable, folder)
    try:
        town = Town(server.url)
        with sync_playwright() as playwright:
            flags = ["--no-sandbox", f"--host-resolver-rules=MAP {ELSEWHERE} 127.0.0.1"]
            chromium = playwright.chromium.launch(executable_path=browser, args=flags)
            stage = Stage(chromium, server, town, options.screenshots)
            while (number := queue.next()) < len(waiting):
                limit(waiting[number][0], tally, stage)
                tally.take(*waiting[number], stage)
            signal.alarm(0)
            coverage, kinds = stage.coverage.told(), stage.costs.kinds
            chromium.close()
            stage.end()
        if options.stay:
            input(f"the town is at {server.url}; Enter ends it ")
        if server.process.poll() is not None:
            tally.fail("the server", f"it died with {server.process.returncode}")
    finally:
        server.stop()
    return {"passed": tally.passed, "failed": tally.failed, "coverage": coverage, "times": tally.costs.kinds, "kinds": kinds}


def limit(name, tally, stage):
    """Ends this process if a check takes far too long, as when a browser does not answer: nothing else ends a wait for it."""
    def end(*_):
        tally.fail(name, f"it has not ended after {CHECK_SECONDS_MAX} s, so this process gives up")
        stage.end()
        stage.server.stop()
        os._exit(1)

    signal.signal(signal.SIGALRM, end)
    signal.alarm(CHECK_SECONDS_MAX)


def told(results, all_times):
    """How many passed and failed in all processes, and what took longest: a few checks, or all and each kind of work."""
    checks = pages_times.added(result["times"] for result in results)
    for line in pages_times.table("check", checks if all_times else checks[:SLOWEST_SHOWN]):
        print(line)
    if all_times:
        for line in pages_times.table("work", pages_times.added(result["kinds"] for result in results)):
            print(line)
    print(f"{sum(processors for *_, processors in checks):.0f} s of processors in {len(checks)} checks")
    return sum(result["passed"] for result in results), sum(result["failed"] for result in results)


def uncovered(results):
    """A line for each page that lacks a check in all processes together."""
    coverage = pages_coverage.Coverage()
    for result in results:
        coverage.add(result["coverage"])
    return list(coverage.missing())


def keep(result, path):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(result, file)


def kept(path):
    """What a process has written; one that died has failed."""
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return {"passed": 0, "failed": 1, "coverage": {}, "times": {}, "kinds": {}}


def own_lines(error):
    """The lines of the project's scripts at which an error came, without those of libraries."""
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(LIBRARY)]
    return [f"{os.path.basename(frame.filename)}:{frame.lineno}: {frame.line}" for frame in own]


class Tally:
    """What passed, and what did not, told as it comes."""

    def __init__(self):
        self.passed, self.failed, self.costs = 0, 0, pages_times.Costs()

    def take(self, name, check, kind, stage):
        stage.coverage.now = kind
        try:
            with self.costs.of(name):
                remark = check(stage)
                stage.close()
        except Exception as error:  # noqa: BLE001
            lines = [] if isinstance(error, AssertionError) else own_lines(error) + stage.unanswered()
            stage.abandon(name)
            self.fail(name, "\n    ".join([str(error), *lines]))
            return
        self.passed += 1
        _, seconds, processors = self.costs.kinds[name]
        print(f"ok    {name} ({seconds:.1f} s, {processors:.1f} of processors){f': {remark}' if remark else ''}", flush=True)

    def fail(self, name, text):
        self.failed += 1
        print(f"FAIL  {name}: {text}", flush=True)
