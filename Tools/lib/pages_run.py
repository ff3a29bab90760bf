"""Runs stories and looks at pages: what check-pages does once it has a browser."""

import glob
import importlib
import os
import time
import traceback

from playwright.sync_api import sync_playwright

import pages_coverage
from pages_sheets import look_at
from pages_stage import Server, Stage
from pages_town import Town

LIBRARY = os.path.dirname(os.path.abspath(__file__))


def modules():
    """Every module with stories and pages; the public pages first, because their snapshots show the town before others open shops in it."""
    names = sorted(os.path.basename(path)[:-3] for path in glob.glob(os.path.join(LIBRARY, "pages_stories_*.py")))
    names.sort(key=lambda name: name != "pages_stories_public")
    return [importlib.import_module(name) for name in names]


def run(executable, browser, folder, options):
    """How many passed and failed."""
    tally = Tally(options.only)
    server = Server(executable, folder)
    try:
        town = Town(server.url)
        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
            stage = Stage(chromium, server.url, town, options.screenshots)
            for module in modules():
                for sheet in getattr(module, "SHEETS", []):
                    kind = {pages_coverage.LOOK} | ({pages_coverage.SNAPSHOT} if sheet.rests else set())
                    tally.take(f"page {sheet.name}", lambda sheet=sheet: look_at(stage, sheet), stage, kind)
                for story in getattr(module, "STORIES", []):
                    tally.take(f"story {story.__name__.replace('_', ' ')}", lambda story=story: story(stage), stage, {pages_coverage.STORY})
            tally.cover(stage.coverage)
            chromium.close()
        if options.stay:
            input(f"the town is at {server.url}; Enter ends it ")
        if server.process.poll() is not None:
            tally.fail("the server", f"it died with {server.process.returncode}")
    finally:
        server.stop()
    return tally.passed, tally.failed


class Tally:
    """What passed, and what did not, told as it comes."""

    def __init__(self, only):
        self.only, self.passed, self.failed = only, 0, 0

    def take(self, name, check, stage, kind):
        if self.only and not any(word in name for word in self.only):
            return
        stage.coverage.now = kind
        began = time.monotonic()
        try:
            remark = check()
            stage.close()
        except Exception as error:  # noqa: BLE001
            stage.abandon(name)
            lines = traceback.format_exc().splitlines()[-12:] if not isinstance(error, AssertionError) else []
            self.fail(name, "\n    ".join([str(error), *lines]))
            return
        self.passed += 1
        print(f"ok    {name} ({time.monotonic() - began:.1f} s){f': {remark}' if remark else ''}", flush=True)

    def cover(self, coverage):
        """Every page has its checks; asked only where all of them have run."""
        if self.only:
            return
        lacking = list(coverage.missing())
        if lacking:
            self.fail("coverage", "\n    ".join(lacking))
        else:
            self.passed += 1
            print(f"ok    coverage: {len(coverage.done)} pages, each with a story, a look, a walk by keyboard, and a snapshot if it rests")

    def fail(self, name, text):
        self.failed += 1
        print(f"FAIL  {name}: {text}", flush=True)
