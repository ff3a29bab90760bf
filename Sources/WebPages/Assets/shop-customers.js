// A shop's customers: how many are in each segment, and a list of one segment, each with visits and cards. The segment, the order and the
// search are in the address, so that the page can be loaded again and returned to.

import { get } from "./api.js";
import { labelled } from "./fields.js";
import { enter, nameOf, own, shopID } from "./shop-frame.js";
import { dayAt, listed, number, t } from "./words.js";
import { actionButton, emptyState, fill, h, leaveIfSignedOut, sayProblem, showLoading, showProblem, toast, written } from "./ui.js";

const LIMIT = 20;
const SEARCH_MAX = 100;
const SEGMENTS = ["all", "new", "regular", "nearlyFull", "full", "lapsed"];
const SORTS = ["lastVisit", "visits", "firstVisit"];

/** What the address asks for. */
const asked = new URLSearchParams(location.search);
/** @param {string} name @param {string[]} known */
const chosen = (name, known) => known.find((each) => each === asked.get(name)) ?? known[0];

/**
 * @typedef {object} Shown
 * @property {any[]} items
 * @property {string | null} next
 */

/** The number of the last request. An answer to an earlier one is not drawn. */
let requests = 0;
/** @type {HTMLElement} */
const chips = h("div", { class: "chips", role: "group", "aria-label": t("customersSegments") });
const place = h("section", { id: "customers" });

enter("manager", async ({ content }) => {
  const search = h("input", { id: "field-q", name: "q", type: "search", maxlength: SEARCH_MAX, value: asked.get("q") ?? "" });
  const sort = h("select", { name: "sort", onchange: () => ask("sort", sort.value) }, SORTS.map((each) =>
    h("option", { value: each, selected: each === chosen("sort", SORTS) }, t(`customersBy${big(each)}`))));
  const form = h("form", { role: "search", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); ask("q", search.value.trim()); } },
    labelled("q", t("customersSearch"), search, t("customersSearchHint")), labelled("sort", t("customersSort"), sort),
    h("p", { class: "buttons" }, h("button", { class: "button secondary", type: "submit" }, t("customersFind"))));
  fill(content, h("p", {}, t("customersText")), chips, form, place);
  await list();
});

/** @param {string} name */
const big = (name) => name.charAt(0).toUpperCase() + name.slice(1);

/**
 * Puts a choice into the address and reads the list again.
 * @param {string} name @param {string} value
 */
function ask(name, value) {
  if (value && value !== "all") asked.set(name, value);
  else asked.delete(name);
  const query = asked.toString();
  history.replaceState(null, "", query ? `?${query}` : location.pathname);
  return list();
}

/** @param {string | null} [cursor] */
function address(cursor) {
  const query = new URLSearchParams({ limit: String(LIMIT), sort: chosen("sort", SORTS) });
  const segment = chosen("segment", SEGMENTS);
  if (segment !== "all") query.set("segment", segment);
  if (asked.get("q")) query.set("q", asked.get("q") ?? "");
  if (cursor) query.set("cursor", cursor);
  return `/v1/shops/${shopID}/customers?${query}`;
}

async function list() {
  const request = ++requests;
  showLoading(place);
  try {
    const page = await get(address());
    if (request !== requests) return;
    drawChips(page.segments);
    draw({ items: page.items, next: page.next }, request);
  } catch (error) {
    if (request === requests) showProblem(place, error, list, own);
  }
}

/** @param {Record<string, number>} counts */
function drawChips(counts) {
  const focused = document.activeElement?.getAttribute("data-segment");
  fill(chips, SEGMENTS.map((each) => h("button", {
    class: "chip", type: "button", "data-segment": each, "aria-pressed": String(each === chosen("segment", SEGMENTS)),
    onclick: () => ask("segment", each),
  }, t(`customersAre${big(each)}`), " ", h("strong", {}, number(counts[each])))));
  if (focused) /** @type {HTMLElement | null} */ (chips.querySelector(`[data-segment="${focused}"]`))?.focus();
}

/** @param {Shown} shown @param {number} request */
function draw(shown, request) {
  const segment = chosen("segment", SEGMENTS);
  const meaning = segment === "all" ? null : h("p", { class: "hint", id: "meaning" }, t(`customersMean${big(segment)}`));
  const more = async () => {
    try {
      const page = await get(address(shown.next));
      if (request === requests) draw({ items: shown.items.concat(page.items), next: page.next }, request);
    } catch (error) {
      if (!leaveIfSignedOut(error)) toast(sayProblem(error, own), { kind: "bad" });
    }
  };
  const isFiltered = segment !== "all" || asked.get("q");
  const none = shown.items.length > 0 ? null : shown.next ? h("p", { class: "muted" }, t("customersNoneHere"))
    : isFiltered ? h("p", { class: "muted" }, t("customersNoneSuch")) : emptyState("people", t("customersNoneTitle"), t("customersNoneText"));
  fill(place, meaning, none,
    shown.items.length ? h("ul", { class: "list events", "aria-label": t("customersTitle") }, shown.items.map(customer)) : null,
    h("p", { class: "buttons" }, shown.next ? actionButton(t("showMore"), more, { class: "button secondary" }) : null,
      h("a", { class: "button quiet", href: `/shop/${shopID}/messages` }, t("customersWrite"))),
    h("p", { class: "hint" }, t("customersWriteHint")));
}

/** @param {string} date */
const dateOf = (date) => dayAt(date, "UTC");

/** @param {any} each */
function customer(each) {
  const name = nameOf(each);
  return h("li", {}, h("details", {},
    h("summary", {}, h("span", { class: "title" }, written(name)), " ",
      each.cards.some((/** @type {any} */ card) => card.status === "full") ? h("span", { class: "badge good" }, t("customersHasReward")) : null,
      h("span", { class: "meta" }, t("customersVisits", { count: each.visits }), " · ", t("customersLast", { day: dateOf(each.lastVisit) }))),
    h("div", { class: "unfolded" }, h("dl", { class: "facts" },
      h("dt", {}, t("customersHandle")), h("dd", {}, h("code", {}, each.handle)),
      h("dt", {}, t("customersFirst")), h("dd", {}, dateOf(each.firstVisit)),
      h("dt", {}, t("customersLastVisits")), h("dd", {}, listed(each.lastVisits.map(dateOf))),
      h("dt", {}, t("customersCards")), h("dd", {}, each.cards.length ? h("ul", {}, each.cards.map(card)) : t("customersNoCards"))),
    h("p", {}, h("a", { href: `/shop/${shopID}/activity?customer=${each.handle}`, "aria-label": `${t("customersActivity")}: ${name}` }, t("customersActivity"))))));
}

/** @param {any} each */
const card = (each) => h("li", {}, written(each.campaign.title, t("unnamedCampaign")), ": ",
  each.status === "full" ? t("customersCardFull") : t("customersCardStamps", { stamps: each.stamps, goal: each.goal }));
