"""The operator's walk through the log: pages, filters, and events that unfold."""

import re

from pages_people import REFUSED, Shop, require, signed_in, until
from pages_stage import TABLET
from pages_town import OPERATOR


def walks_the_log(stage):
    """Newest and older stay where they are, the walk has no gap, filters narrow it, and events unfold one by one and all at once."""
    shop = Shop(stage)
    for _ in range(14):
        shop.stamp()
    head = signed_in(stage, OPERATOR, size=TABLET, at="/operate/log")
    head.wait_for_selector(".events > li > details")
    first = positions(head)
    require(len(first) == 20 and first == list(range(first[0], first[0] - 20, -1)), f"the newest events are {first}")
    places = {name: head.locator(name).bounding_box() for name in ("#newest", "#older")}
    head.click("#older")
    until(lambda: positions(head)[0] == first[-1] - 1, "the older events do not follow the newest")
    second = positions(head)
    require(second == list(range(first[-1] - 1, first[-1] - 21, -1)), f"the older events are {second}")
    require({name: head.locator(name).bounding_box() for name in places} == places, "a button has moved")
    shop.stamp()
    require(positions(head) == second, "what is read has moved by itself")
    head.click("#newer")
    until(lambda: positions(head) == first, "newer does not lead back")
    head.click("#newest")
    until(lambda: positions(head)[0] > first[0], "the newest event is not shown")
    summary = head.locator(".events summary").first
    summary.focus()
    head.keyboard.press("Enter")
    require(head.locator(".events > li > details[open]").count() == 1, "Enter unfolds no event")
    require(head.locator(".events .facts").first.is_visible(), "an event shows no fields")
    require(not head.locator(".events pre").first.is_visible(), "raw JSON is not folded")
    head.click(".events .raw summary >> nth=0")
    require('"position"' in head.locator(".events pre").first.inner_text(), "an event is not readable JSON")
    head.click("#unfold")
    require(head.locator(".events > li > details:not([open])").count() == 0, "not all events are unfolded")
    head.click("#older")
    unfolded = head.locator(".events > li > details[open]")
    until(lambda: positions(head)[0] < first[0] + 20 and unfolded.count() == 20, "the next page is folded")
    narrow_down(head, shop)
    stage.expect_faults(*REFUSED)


def narrow_down(head, shop):
    """By type, by what is concerned, and by both, to the beginning."""
    head.fill("#type", "CardStamped")
    head.fill("#tag", f"campaign:{shop.campaign}")
    head.click("#filter [type=submit]")
    until(lambda: head.locator(".events .title").all_inner_texts() == ["CardStamped"] * 15, "not the stamps of the campaign")
    require("no older ones" in head.inner_text("#where"), "the beginning is not said")
    require(head.get_attribute("#older", "aria-disabled") == "true", "older leads behind the beginning")
    require(f"tag=campaign%3A{shop.campaign}" in head.url, "the address does not have the filter")
    head.reload()
    until(lambda: head.locator(".events > li > details").count() == 15, "the filter is lost when the page is loaded again")
    head.fill("#type", "no such type")
    head.click("#filter [type=submit]")
    head.wait_for_selector("#filter .error:not([hidden])")
    require(positions(head) == [], "a refused filter leaves events of another one")
    head.click("#everything")
    until(lambda: head.locator(".events > li > details").count() == 20, "everything is not shown again")


def walks_a_long_log_backwards(stage):
    """Filtered pages are complete wherever matches stand: the walk, run in the browser against logs made up for it."""
    page = stage.context().new_page()
    page.goto("/operate/log")
    page.wait_for_url("**/sign-in**")
    script = next(url for url in asset_urls(stage) if "log-walk" in url)
    wrong = page.evaluate(WALK, script)
    require(wrong == [], f"{wrong[:3]}")
    stage.expect_faults(*REFUSED)


def asset_urls(stage):
    # A signed-out page is led to the sign-in; a service worker is not.
    text = stage.context().request.get("/operate/log", headers={"Sec-Fetch-Dest": "empty"}).text()
    return re.findall(r'href="(/assets/[^"]+\.js)"', text)


WALK = """async (address) => {
    const { lastBefore } = await import(address);
    const [wrong, all] = [[], (count, position) => Array.from({ length: count }, (_, index) => position(index))];
    const logs = {
        empty: [], one: [1], dense: all(5000, (i) => i + 1), sparse: all(300, (i) => i * 9973 + 7), burst: all(3000, (i) => 500000 + i),
        ends: [1, 2, 3, 999999], hundred: all(100, (i) => i + 1), two: all(250, (i) => (i < 125 ? i + 1 : 800000 + i)),
    };
    const walk = async (log, width) => {
        let [end, asked, seen] = [1000001, 0, []];
        const read = async (after, limit) => {
            asked += 1;
            return log.filter((each) => each > after).slice(0, limit).map((position) => ({ position }));
        };
        for (;;) {
            asked = 0;
            const found = await lastBefore(read, end, 20, width);
            seen = found.items.map((each) => each.position).concat(seen);
            if (asked > 40) return `${asked} requests for a page before ${end}`;
            if (!found.hasOlder) break;
            if (found.items.length !== 20) return `a short page before ${end}`;
            end = found.items[0].position;
        }
        // What stands behind the end is none of the walk's.
        const expected = log.filter((each) => each < 1000001);
        return seen.join() === expected.join() ? null : `${seen.length} events instead of ${expected.length}`;
    };
    for (const [name, log] of Object.entries(logs)) {
        for (const width of [21, 2000]) {
            const fault = await walk(log, width);
            if (fault) wrong.push(`${name}, from ${width}: ${fault}`);
        }
    }
    return wrong;
}"""


def positions(page):
    return [int(text.lstrip("#")) for text in page.locator(".events summary .number").all_inner_texts()]


STORIES = [walks_the_log, walks_a_long_log_backwards]
