// The stamps and rewards that a shop has given today, newest first. Staff can take back a stamp or a reward, and must give a reason.

import { account, get, load, now, save, write } from "./api.js";
import { onLive, onStale } from "./live.js";
import { has, hourAt, listed, t, wallClock } from "./words.js";
import { actionButton, ask, byId, emptyState, fill, h, sayProblem, shortOf, showLoading, showProblem, toast, written } from "./ui.js";
import { askTakeBack, sayPart, saysOver, toWallet, watchSession, workplaces } from "./workplace.js";

/** The number of items in a request of the list, and the number once the reader has asked for more, which is the service's maximum. */
const [PAGE, PAGE_MAX] = [50, 100];
const place = byId("today");
/** @type {any} */
let shop = null;
let kind = load("today") ?? "stamps";
/** The shop's time zone, in which the day begins and ends; empty until it is loaded. */
let zone = "";
/** @type {Map<string, string>} titles of campaigns by id. */
const titles = new Map();
/** @type {Map<string, string>} names of people who work at the shops, by their accounts. Only names that the reader may see are loaded. */
const names = new Map();
/** The id of the shop whose people's names were loaded last; empty before that. */
let named = "";

/** @param {string} code the refusal's code. */
const own = (code) => has(`todayProblem${code}`) ? t(`todayProblem${code}`) : "";

/**
 * A page of today's list. The day is that of the shop's time zone, and not that of this device.
 * @param {string | null} cursor the end of the page before it; null for the first page.
 */
function list(cursor) {
  const day = wallClock(now(), zone).slice(0, 10);
  // A longer list is read again after each event. Larger pages need fewer requests for it.
  const limit = String(least > 0 ? PAGE_MAX : PAGE);
  const query = new URLSearchParams({ from: day, to: day, timeZone: zone, limit, ...(cursor ? { cursor } : {}) });
  return get(`/v1/shops/${shop.id}/${kind}?${query}`);
}

/** A name for the list that is chosen: its kind and its shop. An answer for a list that is no longer chosen is not drawn. */
const choice = () => `${kind} ${shop?.id}`;

/** The number of calls of `start`. An error of an earlier call is not shown, because another list was chosen since. */
let starts = 0;

async function start() {
  const turn = ++starts;
  least = 0;
  showLoading(place);
  try {
    shop = await workplaces(byId("workplace"), start);
    if (!shop) return fill(place, emptyState("shop", t("noShopTitle"), t("noShopText"), toWallet()));
    const letters = byId("write-to-customers");
    letters.href = `/shop/${shop.id}/messages`;
    byId("all-activity").href = `/shop/${shop.id}/activity`;
    byId("all-activity").hidden = false;
    letters.hidden = shop.role === "counter";
    await learn();
    // The list that was chosen since has a call of its own. Its shop's time zone, and with it the day, may still be unknown here.
    if (turn === starts) await refresh();
  } catch (error) {
    showLoss(error, turn);
  }
}

/**
 * Shows an error at the place of the list, unless another list was chosen since.
 * @param {unknown} error
 * @param {number} turn the number of calls of `start` when the list was requested.
 */
function showLoss(error, turn) {
  if (!saysOver(error, place) && turn === starts) showProblem(place, error, start, own);
}

/**
 * Tells the reader an error, beside the list.
 * @param {unknown} error
 */
function tell(error) {
  if (!saysOver(error, place)) toast(sayProblem(error, own), { kind: "bad", seconds: 10 });
}

/** Loads the shop's time zone, and the names of its campaigns and of the campaigns shared with it. */
async function learn() {
  const { id } = shop;
  const found = await get(`/v1/shops/${id}`);
  for (const each of found.campaigns) titles.set(each.id, each.title);
  // Another shop, with another time zone, may have been chosen meanwhile.
  if (shop?.id !== id) return;
  zone = found.timeZone || "UTC";
  fill(byId("today-zone"), zoneHere() === zone ? null : t("todayZone", { zone }));
}

/**
 * Loads the names of the people who work at the shop, once while the shop is chosen. They are loaded only if somebody else, whose name is
 * not known yet, gave stamps or rewards of the list, and the reader may see the names. After a failure, the next call tries again.
 * @param {any[]} items
 * @returns {Promise<boolean>} whether the names were loaded now.
 */
async function learnNames(items) {
  const { id, role } = shop;
  const isNeeded = items.some((each) => !each.label && each.staff !== account()?.id && !names.has(each.staff));
  if (!isNeeded || role === "counter" || named === id) return false;
  const found = await get(`/v1/shops/${id}/staff`).catch(() => null);
  if (!found) return false;
  named = id;
  for (const each of found.items) names.set(each.account, each.label || each.nickname || t("personNamed", { handle: each.handle }));
  return true;
}

/**
 * Loads the titles of the shop's campaigns, if the list has a campaign whose title is not known yet.
 * @param {any[]} items
 * @returns {Promise<boolean>} whether the titles were loaded now.
 */
async function learnTitles(items) {
  if (items.every((each) => titles.has(each.campaign))) return false;
  return learn().then(() => true, () => false);
}

const zoneHere = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The number of the last request, and the number of the request whose list is on the page. */
let [turns, drawn] = [0, 0];
/** The minimum number of items that a request of the list asks for. It is more than a page once the reader has asked for more. */
let least = 0;

/**
 * Requests the list and draws it. If missing titles or names are then loaded, draws it again. An answer is not drawn if the list on the
 * page is newer.
 */
async function refresh() {
  const [asked, turn] = [choice(), ++turns];
  /** @type {any[]} */
  let items = [];
  /** @type {string | null} */
  let next = null;
  do {
    /** @type {any} */
    const page = await list(next);
    if (choice() !== asked || turn < drawn) return;
    [items, next] = [items.concat(page.items), page.next];
  } while (next && items.length < least);
  drawn = turn;
  draw(items, next);
  const learned = await Promise.all([learnTitles(items), learnNames(items)]);
  if (learned.includes(true) && choice() === asked && turn === drawn) draw(items, next);
}

/**
 * Adds the next page to the list. The pages before it are read again too, because a list that was read meanwhile may end elsewhere.
 * @param {number} shown the number of items that are shown.
 */
async function more(shown) {
  least = shown + 1;
  await refresh().catch(tell);
}

/**
 * Draws the list, and gives the focus back to the button or entry that had it. Otherwise a person who uses the keyboard would have to start
 * again at the first button whenever a colleague gives a stamp. If the button for more is gone, the first new entry gets the focus.
 * @param {any[]} items
 * @param {string | null} next
 */
function draw(items, next) {
  const focused = place.contains(document.activeElement) ? nameOf(document.activeElement) : null;
  const known = new Set([...place.querySelectorAll("li")].map(nameOf));
  drawRows(items, next);
  if (!focused) return;
  const rows = [...place.querySelectorAll("li")];
  const same = [...rows, ...place.querySelectorAll("button")].find((each) => nameOf(each) === focused);
  // The first new entry is the one after the last known entry. New entries may stand above the known ones, too. If the events of the last
  // page all belong to a known entry, no entry is new.
  const lastKnown = rows.map((each) => known.has(nameOf(each))).lastIndexOf(true);
  const first = focused === t("showMore") ? rows[lastKnown + 1] ?? rows.at(-1) : null;
  const found = same ?? first;
  if (rows.includes(found)) found.tabIndex = -1;
  found?.focus();
}

/** @param {Element | null} each a button, or an entry of the list, whose text may change when names are loaded. */
const nameOf = (each) => each?.getAttribute("data-entry") ?? each?.getAttribute("aria-label") ?? each?.textContent;

/**
 * @param {any[]} items
 * @param {string | null} next
 */
function drawRows(items, next) {
  if (items.length === 0) return fill(place, emptyState(kind === "stamps" ? "leaf" : "gift", t("todayEmptyTitle"), t("todayEmptyText")));
  const button = next ? actionButton(t("showMore"), () => more(items.length), { class: "button secondary" }) : null;
  const rows = kind === "stamps" ? givings(items) : items.map((each) => ({ ...each, cards: each.card ? [each.card] : [] }));
  fill(place, h("ul", { class: "list" }, rows.map(item)), button);
}

/**
 * Combines the events of each code into one entry, because all stamps of a code are taken back together. A code has several events if its
 * stamps were added to several cards.
 * @param {any[]} items
 * @returns {any[]}
 */
function givings(items) {
  /** @type {Map<string, any>} */
  const found = new Map();
  for (const each of items) {
    const cards = each.card ? [each.card] : [];
    const known = found.get(each.code);
    // The newest event is the first in `items`, so `each` is earlier than `known`, and its card received stamps earlier. The cards of an
    // entry are in the order in which they received stamps.
    const both = known && { stamps: known.stamps + each.stamps, cards: [...cards, ...known.cards], isRedeemed: known.isRedeemed || each.isRedeemed };
    found.set(each.code, { ...each, cards, ...both });
  }
  return [...found.values()];
}

/** @param {any} each */
function item(each) {
  const isBack = each.status === "reversed";
  // The reward for these stamps was already handed out, so the service refuses to take the stamps back.
  const isSpent = kind === "stamps" && each.isRedeemed;
  const isOver = isBack || each.status === "taken" || isSpent;
  const part = each.left ? isSpent ? t("activityPartKept", { count: each.left }) : sayPart(each.stamps, each.left) : "";
  const badge = isBack ? t("isTakenBack") : part ? part : isSpent ? t("activityCardRedeemed") : isOver ? t("isLapsed") : "";
  const what = kind === "stamps" ? t("counterStamps", { count: each.stamps }) : each.milestone ? t("oneMilestone", { count: each.milestone }) : t("oneReward");
  const cards = listed(each.cards.map(shortOf));
  // Stamps that were given in the same minute are told apart by their cards.
  const which = cards ? t("whatOnCards", { what, cards }) : what;
  return h("li", { "data-entry": kind === "stamps" ? each.code : each.id }, h("div", { class: "row" }, h("div", { class: "grow" },
    h("span", { class: "title" }, what, badge ? [" ", h("span", { class: "badge warn" }, badge)] : null),
    h("span", { class: "meta" }, hourAt(each.at, zone), " · ", each.paper ? [t("onPaper"), " · "] : null,
      written(titles.get(each.campaign), t("unnamedCampaign"))),
    h("span", { class: "meta" }, giver(each.staff, each.label), cards ? [" · ", t("onCards", { cards })] : null)),
  isOver ? null : actionButton(t("takeBack"), () => takeBack(each, which), { class: "quiet", "aria-label": `${t("takeBack")}: ${which}, ${hourAt(each.at, zone)}` })));
}

/**
 * @param {string} staff the account of the person who gave the stamps or the reward.
 * @param {string} [label] the name that the shop gave that person.
 */
function giver(staff, label) {
  if (staff === account()?.id) return t("givenByYou");
  const name = label || names.get(staff);
  return name ? written(t("givenByNamed", { name })) : t("givenByColleague");
}

/**
 * @param {any} each
 * @param {string} what
 */
async function takeBack(each, what) {
  const text = kind !== "stamps" ? t("undoRedemptionText") : each.paper ? t("takeBackPaperText") : t("takeBackStampsText");
  const title = t("takeBackTitle", { what });
  const most = each.paper ? 1 : each.left ?? each.stamps;
  const body = kind === "stamps"
    ? await askTakeBack({ title, text, most, suggestions: [t("reasonRefund"), t("reasonWrongCustomer"), t("reasonTooMany")] })
    : await ask({ title, text, label: t("reason"), yes: t("takeBack"), suggestions: [t("reasonWrongCustomer"), t("reasonNotHandedOut")] })
      .then((reason) => reason ? { reason } : null);
  if (!body) return;
  const path = kind === "stamps" ? `/v1/stamps/${each.position}/reversal` : `/v1/redemptions/${each.id}/reversal`;
  try {
    await write(`reverse ${path}`, "POST", path, body);
  } catch (error) {
    return tell(error);
  }
  toast(t("isTakenBack"));
  // What was taken back stays so if the list is lost, so the loss is shown at the place of the list, and not as the answer to the reader.
  const turn = starts;
  await refresh().catch((error) => showLoss(error, turn));
}

for (const button of document.querySelectorAll("[data-kind]")) {
  const name = /** @type {HTMLElement} */ (button).dataset.kind ?? "stamps";
  button.setAttribute("aria-pressed", String(name === kind));
  button.addEventListener("click", () => {
    kind = name;
    save("today", kind);
    for (const each of document.querySelectorAll("[data-kind]")) each.setAttribute("aria-pressed", String(each === button));
    start();
  });
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let soon;
onLive((event) => {
  if (event.name !== "code" && event.name !== "redemption") return;
  // After several events in quick succession, the list is requested once and not for each event.
  clearTimeout(soon);
  soon = setTimeout(() => shop && refresh().catch(() => null), 800);
});
onStale(() => {
  // If no list was requested yet, the first one will contain the events that were missed.
  if (turns > 0 && shop) refresh().catch(() => null);
});
watchSession(() => [place]);
start();
