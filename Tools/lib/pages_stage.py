"""A server with a town of its own, and a browser that complains about everything."""

import os
import subprocess
import time

from pages_coverage import Coverage
from pages_times import Costs
from pages_town import OPERATOR, Town

PHONE, TABLET = {"width": 320, "height": 640}, {"width": 1366, "height": 1024}
LANGUAGES = {"en": "en-GB", "zh-Hans": "zh-CN"}
WAIT_MS = 10_000
# Another host name for this machine, which only the browsers of this tool resolve.
ELSEWHERE = "tea.example"


class Server:
    """A development server on a free port."""

    def __init__(self, executable, folder, flags=()):
        self.executable = executable
        self.log = open(os.path.join(folder, "server.log"), "w", encoding="utf-8")
        command = [
            executable, "serve", "--dev", "--data", os.path.join(folder, "data"), "--listen", "127.0.0.1:0", "--operator", OPERATOR,
            *flags]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log, text=True)
        line = self.process.stdout.readline()
        words = [word for word in line.split() if word.startswith("http://")]
        if not words:
            self.stop()
            with open(self.log.name, encoding="utf-8") as file:
                raise SystemExit(f"the server did not start: {line}{file.read()[-2000:]}")
        self.url = words[0]

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()


class Stage:
    """Browser contexts for one check after the other.

    What the browser complains about fails the check: an exception, an error on the console, a violated policy, a request that failed, a
    request to another host. What a story provokes it excuses with `expect_faults`.
    """

    def __init__(self, chromium, server, town, screenshots=None):
        self.chromium, self.url, self.town, self.screenshots = chromium, server.url, town, screenshots
        self.contexts, self.faults = [], []
        # The requests that have no answer yet, each with the time at which it was sent.
        self.waiting = {}
        self.server, self.others = server, {}
        self.coverage, self.costs = Coverage(), Costs()
        # For each function that signs a person in: the time of the sign-in, and the cookies and storage that the browser then had.
        self.entered = {}
        if screenshots:
            os.makedirs(screenshots, exist_ok=True)

    def context(self, language="en", dark=False, size=PHONE, scripts=True, workers=False, **more):
        """Somebody's browser, which knows nobody yet. With `workers`, it has service workers, which take time to install."""
        context = self.chromium.new_context(
            base_url=self.url, locale=LANGUAGES[language], color_scheme="dark" if dark else "light", viewport=size,
            java_script_enabled=scripts, has_touch=size is PHONE, service_workers="allow" if workers else "block", **more)
        context.set_default_timeout(WAIT_MS)
        self.contexts.append(context)
        context.on("weberror", lambda error: self.faults.append(f"exception: {error.error}"))
        context.on("console", lambda message: message.type == "error" and self.faults.append(f"console: {message.text}"))
        context.on("requestfailed", self.note_failure)
        context.on("request", self.note_stranger)
        context.on("request", self.note_page)
        context.on("request", lambda request: self.waiting.update({request: time.monotonic()}))
        for event in ("response", "requestfailed"):
            context.on(event, lambda found: self.waiting.pop(getattr(found, "request", found), None))
        return context

    def unanswered(self):
        """A line for each request that has waited for its answer for more than a second."""
        now = time.monotonic()
        return [f"no answer after {now - since:.1f} s: {request.method} {request.url}"
                for request, since in self.waiting.items() if now - since > 1]

    def note_failure(self, request):
        # Leaving a page cancels its open requests.
        if request.failure != "net::ERR_ABORTED":
            self.faults.append(f"request: {request.url}: {request.failure}")

    def note_page(self, request):
        if request.resource_type == "document" and request.url.startswith(self.url):
            self.coverage.opened(request.url)

    def note_stranger(self, request):
        own = [self.url, *(town.url for _, town in self.others.values())]
        if not request.url.startswith((*own, "data:", "blob:")):
            self.faults.append(f"request to another host: {request.url}")

    def another(self, name, flags, furnish):
        """The town of another server with such flags, which runs until the end; `furnish` builds it."""
        if name not in self.others:
            folder = os.path.join(os.path.dirname(self.server.log.name), name)
            os.makedirs(folder)
            server = Server(self.server.executable, folder, flags)
            town = Town.empty(server.url)
            self.others[name] = (server, town)
            furnish(town)
        return self.others[name][1]

    def end(self):
        for server, _ in self.others.values():
            server.stop()

    def open(self, path, context=None, **kind):
        """A page, once it has come to rest."""
        page = (context or self.context(**kind)).new_page()
        self.go(page, path)
        return page

    @staticmethod
    def go(page, path):
        page.goto(path, wait_until="load")
        return page

    def expect_faults(self, *beginnings):
        """What the browser has complained about so far, all of which was expected."""
        strange = [fault for fault in self.faults if not fault.startswith(beginnings)]
        assert not strange, "\n    ".join(strange)
        self.faults.clear()

    def picture(self, page, name):
        if self.screenshots:
            page.screenshot(path=os.path.join(self.screenshots, name + ".png"), full_page=True)

    def close(self):
        """Ends a check: nobody may have complained."""
        faults = list(self.faults)
        self.abandon()
        assert not faults, "\n    ".join(faults)

    def abandon(self, name=None):
        for context in self.contexts:
            if name and self.screenshots:
                for number, page in enumerate(context.pages):
                    self.picture(page, f"failed-{name.replace(' ', '-')}-{number}")
            context.close()
        self.contexts, self.faults = [], []
        self.waiting.clear()
