"""Bugs put into the scripts on their way to the browser: each must turn the story red that is there for it."""

from playwright.sync_api import Error

import pages_stories_nasty as nasty
from pages_people import require

# What the bug does, the script, what stands there and what instead, and the story that notices.
MUTANTS = [
    ("a key is made anew for the same act", "api", "if (all[act]?.content !== content) all[act] =", "all[act] =",
     nasty.reload_in_the_middle),
    ("what was kept stays after signing out", "api", "if (key.startsWith(PREFIX)) localStorage.removeItem(key);", "", nasty.signed_out),
    ("each tab refreshes for itself", "api", "if (await isSignedIn()) return;", "", nasty.two_tabs),
    ("the device's clock is believed", "api", "return Date.now() + clockLead;", "return Date.now();", nasty.wrong_clock),
    ("a second tap counts", "ui", 'if (button.getAttribute("aria-busy") === "true") return;', "", nasty.double_tap),
    ("names are read as markup", "ui", 'return h("bdi", { class: "written" }, text || fallback);',
     'const shown = h("bdi", { class: "written" }); shown.innerHTML = text || fallback; return shown;', nasty.hostile_names),
    ("the sign-in page leads anywhere", "sign-in", "return isOurs ? resolved.pathname + resolved.search + resolved.hash : \"/wallet\";",
     "return asked;", nasty.open_redirect),
]


def changing(old, new, found):
    """Answers for a script with the bug in it; notes whether its place was there."""
    def answer(route):
        text = route.fetch().text()
        found.append(old in text)
        route.fulfill(body=text.replace(old, new), content_type="text/javascript; charset=utf-8")
    return answer


def with_bug(plain, script, answer):
    """A stage's `context` whose pages get the script with the bug."""
    def context(**kind):
        made = plain(**kind)
        made.route(lambda address: f"/assets/{script}." in address, answer)
        return made
    return context


def seeded_bugs(stage):
    """Every bug is noticed by its story."""
    plain = stage.context
    for what, script, old, new, story in MUTANTS:
        found, survived = [], False
        stage.context = with_bug(plain, script, changing(old, new, found))
        try:
            story(stage)
            survived = True
        except (AssertionError, Error):
            pass
        finally:
            stage.context = plain
            stage.abandon()
        require(found and all(found), f"the place of a bug has changed: {what}")
        require(not survived, f"nobody has noticed: {what}")


STORIES = [seeded_bugs]
