"""Looks at one page in every form that it has."""

import os
import re
import time

from axe_playwright_python.sync_playwright import Axe

from pages_stage import LANGUAGES, PHONE, TABLET

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Fixtures", "pages")
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"], "resultTypes": ["violations"]}
# In dark mode only colours differ (`dark_style` verifies that), so only rules about colours are checked again.
DARK_RULES = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}, "resultTypes": ["violations"]}
STYLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Sources", "WebPages", "Assets", "style.css")
AXE_RUN = "(rules) => axe.run(rules).then((found) => found.violations)"
SETTLE_MS = 500
# A phone upright and on its side, a laptop, and a phone on which text has twice its size.
SIZES = ((360, 740, 100), (740, 360, 100), (1180, 820, 100), (360, 740, 200))
# The largest part of the screen's height that the bars may take.
BARS_MAX = .2
# The maximum age in seconds at which a session is reused for other pages of the same person. At this age, the first access token of the
# session is still valid.
ENTERED_SECONDS = 300
REQUESTS_MAX, SCRIPT_BYTES_MAX, SHIFT_MAX = 15, 60_000, 0.1
# The conditions of a phone with bad reception: a round trip of 150 ms, 1.6 Mbit/s down and 0.75 Mbit/s up, and a quarter of this
# processor's speed.
SLOW = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 94_000}
SLOWER = 4


class Sheet:
    """A page to look at."""

    def __init__(self, name, path, ready="main", enter=None, rests=True, faults=(), masks=()):
        """
        path: of a town, or the path itself; ready: a selector that is there once the page is complete; enter: signs a context in, whose
        cookies and storage all forms of the page begin with; rests: whether its content is the same each time, so that a snapshot can be
        kept; faults: what the browser rightly complains about, by its beginning; masks: patterns, with what a snapshot has instead.
        """
        self.name, self.path, self.ready, self.enter, self.rests, self.faults = name, path, ready, enter, rests, faults
        self.masks = masks

    def entered(self, stage):
        """The cookies and the storage that the page needs; None for a page that needs none."""
        if not self.enter:
            return None
        made, state = stage.entered.get(self.enter, (0, None))
        if state and time.monotonic() - made < ENTERED_SECONDS:
            return state
        context = stage.context()
        self.enter(stage, context)
        state = context.storage_state()
        stage.entered[self.enter] = (time.monotonic(), state)
        context.close()
        stage.contexts.remove(context)
        return state

    def visit(self, stage, page):
        """Opens the page, which is complete then."""
        page.goto(self.path(stage.town) if callable(self.path) else self.path, wait_until="load")
        page.locator(self.ready).first.wait_for()

    def unfold(self, page):
        """Opens what is looked at, but is no part of a first visit, whose loading is measured."""


def look_at(stage, sheet):
    """All that holds for every page."""
    found, costs = [], stage.costs
    with costs.of("pages: signing in"):
        state = sheet.entered(stage)
    for language in LANGUAGES:
        page = stage.context(language=language, storage_state=state).new_page()
        # The first visit in English is measured. The checks below then use the page that it opened.
        if language == "en":
            with costs.of("pages: first visits"):
                remark, exceeded = first_visit(stage, sheet, page)
            found += exceeded
        else:
            with costs.of("pages: loading"):
                sheet.visit(stage, page)
        sheet.unfold(page)
        assert page.locator("html").get_attribute("lang") == language, "the page is in the other language"
        with costs.of("pages: snapshots"):
            found += compare(page, f"{sheet.name}.{language}", sheet)
        with costs.of("pages: loading axe"):
            page.evaluate(Axe().axe_script)
        # Words have no colours, so the dark scheme is looked at in one language.
        for dark in (False, True) if language == "en" else (False,):
            page.emulate_media(color_scheme="dark" if dark else "light", reduced_motion="reduce")
            with costs.of(f"pages: axe, {'dark' if dark else 'light'}"):
                for size, width in ((PHONE, "phone"), (TABLET, "tablet")):
                    page.set_viewport_size(size)
                    next_frame(page)
                    form = f"{language}, {'dark' if dark else 'light'}, {width}"
                    found += [f"{form}: {violation}" for violation in violations(page, DARK_RULES if dark else RULES)]
                    found += [f"{form}: {wide}" for wide in overflowing(page)]
                    stage.picture(page, f"{sheet.name}-{language}-{'dark' if dark else 'light'}-{width}")
        if language == "en":
            with costs.of("pages: walks by keyboard"):
                found += [f"by keyboard: {each}" for each in walk(page)]
        with costs.of("pages: sizes"):
            for width, height, percent in SIZES:
                page.set_viewport_size({"width": width, "height": height})
                page.evaluate("(percent) => { document.documentElement.style.fontSize = `${percent}%`; }", percent)
                next_frame(page)
                size = f"{width}x{height}{'' if percent == 100 else f'-{percent}'}"
                found += [f"{language}, {size}: {each}" for each in [*overflowing(page), *page.evaluate(UNREADABLE, BARS_MAX)]]
                stage.picture(page, f"{sheet.name}-{language}-{size}")
        page.set_viewport_size(PHONE)
        next_frame(page)
        found += [f"{language}, text at 200 %: {wide}" for wide in overflowing(page)]
        stage.picture(page, f"{sheet.name}-{language}-large-text")
    if sheet.faults:
        stage.expect_faults(*sheet.faults)
    assert not found, "\n    ".join(found)
    return remark


def next_frame(page):
    """Waits until the browser has applied another scheme or size, which it does with its next frame, and until transitions have ended.

    With less motion, each transition takes no time, but still another frame.
    """
    page.evaluate("""new Promise((done) => {
      const goesOn = () => document.getAnimations().some((each) => each instanceof CSSTransition && each.playState === "running");
      const look = () => goesOn() ? requestAnimationFrame(look) : done();
      requestAnimationFrame(() => requestAnimationFrame(look));
    })""")


def dark_style(stage):
    """In the dark the style sheet changes the values of colours and shadows, and nothing else."""
    with open(STYLE, encoding="utf-8") as file:
        style = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)
    blocks = re.findall(r"@media \(prefers-color-scheme: dark\) \{\s*:root \{([^{}]*)\}\s*\}", style)
    assert blocks and style.count("prefers-color-scheme") == len(blocks), "the dark scheme is in another place, too"
    names = [line.split(":")[0].strip() for block in blocks for line in block.split(";") if line.strip()]
    strange = [name for name in names if not re.fullmatch(r"--[a-z-]+", name)]
    assert not strange, f"in the dark this differs as well: {strange}"
    size = r"\b(?:width|height|padding|margin|font|gap|display)[\w-]*:[^;]*var\("
    sized = [name for name in names if re.search(size + name + r"\)", style)]
    assert not sized, f"these are no colours alone: {sized}"


def violations(page, rules=RULES):
    """What axe, which is in the page already, finds, and still finds a moment later: a busy machine is late with a new scheme's frame."""
    found = page.evaluate(AXE_RUN, rules)
    if found:
        page.wait_for_timeout(SETTLE_MS)
        found = page.evaluate(AXE_RUN, rules)
    for violation in found:
        places = [node["html"][:120] + " " + " ".join(node["target"]) for node in violation["nodes"][:3]]
        yield f"axe {violation['id']}: {violation['help']}: {' | '.join(places)}"


# Marks the elements that the keyboard must reach: all active elements, and one of each group of radio buttons. Then records each element
# that receives the focus, and whether its focus was visible.
MARK = """() => {
  const found = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")].filter((each) =>
    each.checkVisibility({ visibilityProperty: true }) && !each.disabled && each.type !== "hidden" && each.tabIndex >= 0);
  found.forEach((each, index) => { each.dataset.walk = each.type === "radio" ? `radio ${each.name}` : String(index); });
  document.activeElement?.blur();
  getSelection()?.removeAllRanges();
  globalThis.walked = [];
  document.addEventListener("focusin", ({ target }) => {
    const style = getComputedStyle(target);
    // An outline that has just begun to grow has no width yet.
    const isSeen = style.outlineStyle !== "none" && (style.outlineWidth !== "0px" || target.getAnimations().length > 0);
    if (target.dataset.walk) walked.push([target.dataset.walk, isSeen]);
  });
  return Object.fromEntries(found.map((each) => [each.dataset.walk, each.outerHTML.slice(0, 90)]));
}"""
STEPS_MORE = 12


def walk(page):
    """Tab after Tab through a page that is looked at already: everything is reached, and can be seen to be."""
    wanted = page.evaluate(MARK)
    reached = {}
    # Most pages need one Tab for each element. If a field has the focus at first, a page needs up to twice as many, because the first Tabs
    # lead from that field to the page's end, and only the following ones through the whole page.
    for steps in (len(wanted), STEPS_MORE, len(wanted)):
        for _ in range(steps):
            page.keyboard.press("Tab")
        for name, is_seen in page.evaluate("walked"):
            reached.setdefault(name, is_seen)
        if len(reached) == len(wanted):
            break
    found = [f"has the focus and nobody sees it: {wanted.get(name, name)}" for name, is_seen in reached.items() if not is_seen]
    return found + [f"is not reached: {text}" for name, text in wanted.items() if name not in reached]


def overflowing(page):
    """Whether one has to scroll sideways, and because of what."""
    return page.evaluate("""() => {
      const width = document.documentElement.clientWidth;
      if (document.documentElement.scrollWidth <= width) return [];
      const wide = [...document.querySelectorAll("body *")].filter((each) => each.getBoundingClientRect().right > width + 1);
      return ["wider than the screen: " + wide.slice(-3).map((each) => each.outerHTML.slice(0, 100)).join(" | ")];
    }""")


# Words of the page's own texts that a line's end breaks, and bars that take too much of the screen. Text that people wrote, codes and
# ids may break anywhere, and so may Chinese.
UNREADABLE = """(most) => {
  const found = [];
  const theirs = "bdi, pre, code, script, noscript, svg, .unseen, [translate=no]";
  const range = document.createRange();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    if (!/[a-z]{2}/i.test(node.data) || node.parentElement.closest(theirs)) continue;
    range.selectNodeContents(node);
    if (range.getClientRects().length < 2) continue;
    for (const { 0: word, index } of node.data.matchAll(/(?<![\\p{L}\\d_./-])\\p{Script=Latin}{2,24}(?![\\p{L}\\d_/]|\\.\\p{L})/gu)) {
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const parts = [...range.getClientRects()];
      // Lines of headings overlap.
      const isBroken = parts.some((each) => each.top > parts[0].top + parts[0].height / 2);
      if (isBroken) found.push(`a line's end breaks “${word}” in “${node.data.trim().slice(0, 60)}”`);
    }
  }
  const heights = [...document.querySelectorAll(".bar, .tabs")]
    .filter((each) => each.matches(".bar") || getComputedStyle(each).position === "fixed")
    .map((each) => each.getBoundingClientRect().height);
  const part = heights.reduce((sum, each) => sum + each, 0) / innerHeight;
  if (part > most) found.push(`the bars take ${Math.round(part * 100)} % of the screen's height`);
  return found.slice(0, 5);
}"""


# A pattern for the end of a card's id, and the text that replaces it in snapshots of pages that show cards.
ENDS = (r"…[0-9A-Z]{6}", "…<end>")
NAMES = [(re.compile(r"(?<![a-z])(acct|shop|camp|code|card|rdm|rev|ntc|img)_[0-9a-z]{26}\b"), r"<\1>"),
         (re.compile(r"(reviews|cursor)=[\w-]{16,}"), r"\1=<cursor>"), (re.compile(r"\bcustomer=[0-9a-z]{16}\b"), "customer=<handle>"),
         (re.compile(r"\b[0-9a-f]{16}\b"), "<hash>"), (re.compile(r"(Now it is|当前时间：).*"), r"\1 <time>"),
         (re.compile(r"127\.0\.0\.1:\d+"), "<host>"),
         (re.compile(r"\b\d{4}-\d\d-\d\d(T[\d:.]+Z?)?"), "<day>"), (re.compile(r"\b\d{1,2} [A-Z][a-z]{2,3} \d{4}\b"), "<day>"),
         (re.compile(r"\b[A-Z][a-z]{2} \d{1,2}, \d{4}\b"), "<day>"),
         (re.compile(r"\d{4}年\d{1,2}月\d{1,2}日"), "<day>"),
         (re.compile(r"<day>,? \d{1,2}:\d\d(\s[AP]M)?"), "<moment>")]


def compare(page, name, sheet):
    """The accessibility tree against the one that was recorded, line by line."""
    if not sheet.rests:
        return []
    text = page.locator("body").aria_snapshot() + "\n"
    for pattern, replacement in [*NAMES, *sheet.masks]:
        text = re.sub(pattern, replacement, text)
    path = os.path.join(FOLDER, name + ".yml")
    if os.environ.get("GREENTEA_RECORD") == "1":
        os.makedirs(FOLDER, exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return []
    if not os.path.exists(path):
        return [f"no snapshot {name}.yml: GREENTEA_RECORD=1 writes it"]
    with open(path, encoding="utf-8") as file:
        recorded = file.read()
    if text == recorded:
        return []
    for number, (now, then) in enumerate(zip(text.splitlines(), recorded.splitlines()), 1):
        if now != then:
            return [f"{name}.yml, line {number}: {now.strip()} instead of {then.strip()}"]
    return [f"{name}.yml: {len(text.splitlines())} lines instead of {len(recorded.splitlines())}"]


MEASURE = """() => new Promise((resolve) => {
  let [shift, paint] = [0, 0];
  new PerformanceObserver((list) => { for (const each of list.getEntries()) if (!each.hadRecentInput) shift += each.value; })
    .observe({ type: "layout-shift", buffered: true });
  new PerformanceObserver((list) => { for (const each of list.getEntries()) paint = each.startTime; })
    .observe({ type: "largest-contentful-paint", buffered: true });
  setTimeout(() => resolve([shift, paint]), 300);
})"""


INTERACTION = """() => new Promise((resolve) => {
  let slowest = 0;
  new PerformanceObserver((list) => { for (const each of list.getEntries()) slowest = Math.max(slowest, each.duration); })
    .observe({ type: "event", buffered: true, durationThreshold: 16 });
  setTimeout(() => resolve(slowest), 200);
})"""


def first_visit(stage, sheet, page):
    """How much a first visit loads, on a slow phone that has kept nothing: a remark, and what is too much. Later the phone is fast."""
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", SLOW)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    requests, types, script = {}, {}, [0]

    def begun(event):
        # Pictures of the browser's own controls, such as a calendar, and the page's charts cause no network request.
        if event["request"]["url"].startswith(("data:", "blob:")):
            return
        requests[event["requestId"]] = event["request"]["url"]
        types[event["requestId"]] = event.get("type")

    def ended(event):
        if types.get(event["requestId"]) == "Script":
            script[0] += event["encodedDataLength"]

    session.on("Network.requestWillBeSent", begun)
    session.on("Network.loadingFinished", ended)
    sheet.visit(stage, page)
    shift, paint = page.evaluate(MEASURE)
    page.keyboard.press("Tab")
    answer = page.evaluate(INTERACTION)
    # Detaching the session also ends its simulation of a slow network and processor.
    session.detach()
    page.evaluate("document.activeElement?.blur()")
    found = []
    if len(requests) > REQUESTS_MAX:
        found.append(f"{len(requests)} requests, at most {REQUESTS_MAX}: {' '.join(requests.values())}")
    if script[0] > SCRIPT_BYTES_MAX:
        found.append(f"{script[0]} bytes of script, at most {SCRIPT_BYTES_MAX}")
    if shift > SHIFT_MAX:
        found.append(f"the layout shifts by {shift:.2f}, at most {SHIFT_MAX}")
    weight = f"{len(requests)} requests, {script[0] / 1000:.1f} kB of script"
    return f"{weight}; when slow, painted after {paint / 1000:.1f} s and a key answered in {answer:.0f} ms", found
