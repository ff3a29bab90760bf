"""Whether every page has all that is asked of it: a story that opens it, a look in every form with a walk by keyboard, and a snapshot.

The addresses of pages are read from the sources that make their routes, so a new page without its checks is noticed. What was opened is
noted while stories and looks run, in whatever way they get there.
"""

import os
import re
import urllib.parse

PAGES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Sources", "WebPages")
ID = "{id}"
# The routes of pages that are not cases of the enumerations in SignedInPage.swift and OperatePage.swift.
OTHERS = ["/", "/c/{id}", "/s/{id}", "/r/{id}", "/b/{id}", "/p/{id}", "/proof", "/shop/{id}/numbers/what-if"]
# The routes of pages whose snapshots would differ in every run, each with the content that changes.
RESTLESS = {
    "/proof": "a checkpoint that every run signs anew", "/operate": "times and loads", "/operate/log": "the newest events",
    "/operate/feedback": "what stories have written",
}
STORY, LOOK, SNAPSHOT = "a story", "a look in every form, and a walk by keyboard", "a snapshot"


def routes():
    """The addresses of all pages, with `{id}` in place of each id."""
    found = list(OTHERS)
    for name in ("SignedInPage.swift", "OperatePage.swift"):
        with open(os.path.join(PAGES, name), encoding="utf-8") as file:
            found += re.findall(r'case \.\w+: \("(/[^"]*)"', file.read())
    return found


class Coverage:
    """Records for each page whether a story, a look and a snapshot have covered it."""

    def __init__(self, known=None):
        self.done = {route: set() for route in known or routes()}
        self.forms = [(re.compile("^" + re.escape(route).replace(re.escape(ID), "[^/]+") + "$"), route) for route in self.done]
        self.now = None

    def opened(self, address):
        """Records that a page was opened while a story ran or while a page was looked at."""
        path = urllib.parse.urlsplit(address).path
        # If several routes match, the route with the fewest ids is the opened page. At present, no two routes match the same path.
        found = [route for form, route in self.forms if form.match(path)]
        if self.now and found:
            self.done[min(found, key=lambda route: route.count(ID))] |= self.now

    def told(self):
        """The record in a form that can be passed to another process."""
        return {route: sorted(done) for route, done in self.done.items()}

    def add(self, told):
        """Adds the record of another process."""
        for route, done in told.items():
            self.done[route] |= set(done)

    def missing(self):
        """A line for each page that lacks a story, a look or a snapshot."""
        for route, done in self.done.items():
            wanted = [STORY, LOOK] + ([] if route in RESTLESS else [SNAPSHOT])
            lacking = [each for each in wanted if each not in done]
            if lacking:
                yield f"{route} lacks {' and '.join(lacking)}"
