// The customer's cards. Full cards are first, and otherwise newer cards are before older ones. Without a network, the page shows the cards
// that it stored last, and says how old they are.

import { account, get, load, now, save } from "./api.js";
import { shopName, withNames } from "./card.js";
import { onLive, onStale } from "./live.js";
import { showWaiting } from "./queue.js";
import { moment, t } from "./words.js";
import { actionButton, byId, emptyState, fill, h, icon, leaveIfSignedOut, sayProblem, showLoading, showProblem, toast } from "./ui.js";

/** The maximum number of cards that are stored for reading without a network. */
const KEPT_MAX = 100;
const PAGE = 50;

const place = byId("cards");
const notice = byId("wallet-notice");
/** @type {import("./card.js").Card[]} */
let cards = [];
/** @type {string | null} */
let next = null;
/** The minimum number of cards that a read of the list asks for. It is more than a page once the reader has asked for more. */
let least = 0;
let shows = "current";
/** The number of events about cards that have arrived. */
let changes = 0;
/** The number of the last read, and the number of the read whose answer is on the page. */
let [reads, drawn] = [0, 0];

/** @returns {Promise<void>} */
async function refresh() {
  const wanted = shows;
  const before = changes;
  const read = ++reads;
  try {
    /** @type {import("./card.js").Card[]} */
    let found = [];
    /** @type {string | null} */
    let after = null;
    do {
      /** @type {any} */
      const page = await get(pageAfter(after));
      found = found.concat(await withNames(page.items));
      after = page.next;
      // The reader may have chosen the other list meanwhile, which has a request of its own.
      if (shows !== wanted) return;
    } while (after && found.length < least);
    // An event that arrived meanwhile may be newer than the list, which would be drawn over it.
    if (changes !== before) return refresh();
    // The answer to a later read may be on the page already.
    if (read < drawn) return;
    drawn = read;
    [cards, next] = [found, after];
    if (shows === "current") save("wallet", { at: now(), cards: cards.slice(0, KEPT_MAX) });
    fill(notice);
    draw();
  } catch (error) {
    if (leaveIfSignedOut(error) || shows !== wanted) return;
    if (!showKept(error)) showProblem(place, error, start);
  }
}

/**
 * The address of a page of the list.
 * @param {string | null} cursor the end of the page before it; null for the first page.
 */
function pageAfter(cursor) {
  const statuses = shows === "current" ? "collecting,full" : "redeemed,expired,discarded";
  return `/v1/me/cards?limit=${PAGE}&status=${statuses}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`;
}

/**
 * Shows the stored cards, the time at which they were stored, and an error. Returns false if nothing is stored, or if the reader has chosen
 * the list of cards that can no longer be used, which is not stored.
 * @param {unknown} error
 */
function showKept(error) {
  const kept = shows === "current" ? load("wallet") : null;
  if (!kept) return false;
  cards = kept.cards;
  next = null;
  const again = actionButton(t("tryAgain"), refresh, { class: "button secondary" });
  fill(notice, h("div", { class: "note warn", role: "status" }, icon("offline"),
    h("div", {}, h("p", {}, h("strong", {}, t("asOf", { time: moment(kept.at) })), sayProblem(error)), again)));
  draw();
  return true;
}

function draw() {
  if (cards.length === 0) {
    const [title, text] = shows === "current" ? [t("walletEmptyTitle"), t("walletEmptyText")] : [t("walletNoneOverTitle"), t("walletNoneOverText")];
    fill(place, emptyState("wallet", title, text, h("p", { class: "buttons centered" },
      h("a", { class: "button", href: "/scan" }, icon("scan"), t("enterCode")), h("a", { class: "button secondary", href: "/" }, t("findShops")))));
    return;
  }
  // Full cards come first, because their rewards can be redeemed now.
  const sorted = [...cards].sort((a, b) => Number(b.status === "full") - Number(a.status === "full"));
  fill(place, h("ul", { class: "card-list" }, sorted.map(item)), next ? actionButton(t("showMore"), more, { class: "button secondary" }) : null);
}

/** @param {import("./card.js").Card} card */
function item(card) {
  const shown = h("stamp-card", { linked: true });
  shown.card = card;
  return h("li", { "data-card": card.id }, shown, card.status === "full"
    ? h("p", { class: "buttons" }, h("a", { class: "button wide", href: `/wallet/${card.id}/redeem` }, icon("gift"), t("redeem"))) : null);
}

/** Adds the next page to the list. */
async function more() {
  const wanted = shows;
  try {
    while (next) {
      /** @type {string} */
      const after = next;
      const page = await get(pageAfter(after));
      const found = await withNames(page.items);
      if (shows !== wanted) return;
      // If the list was replaced meanwhile and ends at another card, its next page is another one.
      if (next !== after) continue;
      // A read of the list that ends later has this page too.
      least = cards.length + 1;
      // A card of this page that has changed while the list is shown is in the list already.
      cards = cards.concat(found.filter(({ id }) => !cards.some((each) => each.id === id)));
      next = page.next;
      return draw();
    }
  } catch (error) {
    if (!leaveIfSignedOut(error)) toast(sayProblem(error), { kind: "bad" });
  }
}

/** The stamps of one act: of a code that goes onto two cards, each card has an event of its own. */
let landed = { at: "", count: 0 };

/** @param {any} data */
async function changed(data) {
  changes += 1;
  landed = { at: data.at, count: data.added + (landed.at === data.at ? landed.count : 0) };
  const { count } = landed;
  const known = cards.find((each) => each.id === data.card.id);
  // The card in an event lacks the campaign's other shops, so the other shops that are already known are kept.
  const [card] = await withNames([{ shops: known?.shops, ...data.card }]);
  if (shows !== "current") return;
  // The list may have been replaced while the names were read.
  const index = cards.findIndex((each) => each.id === card.id);
  if (!["collecting", "full"].includes(card.status)) {
    cards = cards.filter((each) => each.id !== card.id);
    draw();
  } else if (index < 0) {
    cards = [card, ...cards];
    draw();
  } else {
    const wasFull = cards[index].status === "full";
    cards[index] = card;
    const shown = /** @type {any} */ (place.querySelector(`[data-card="${CSS.escape(card.id)}"] stamp-card`));
    if (shown && wasFull === (card.status === "full")) shown.card = card;
    else if (shown) {
      shown.card = card;
      setTimeout(draw, 2_000);
    }
  }
  save("wallet", { at: now(), cards: cards.slice(0, KEPT_MAX) });
  if (data.added > 0) toast(t("stampsLanded", { count, shop: shopName(card) || t("unnamedShop") }));
}

function start() {
  showLoading(place);
  // The stored cards are shown at once. The list from the service then replaces them.
  const kept = shows === "current" ? load("wallet") : null;
  [cards, next, least] = [kept?.cards ?? [], null, 0];
  if (cards.length > 0) draw();
  refresh();
}

for (const button of document.querySelectorAll("[data-shows]")) {
  button.addEventListener("click", () => {
    shows = /** @type {HTMLElement} */ (button).dataset.shows ?? "current";
    for (const each of document.querySelectorAll("[data-shows]")) each.setAttribute("aria-pressed", String(each === button));
    start();
  });
}

if (account()) {
  onLive((event) => {
    if (event.name === "card") changed(event.data);
  });
  onStale(refresh);
  showWaiting(byId("waiting"), refresh);
  // The page of the shops, which shows the offers, forgets the note once none is open.
  if (load("offers")) fill(byId("offers"), h("p", { class: "note" }, icon("shop"), h("a", { href: "/shops" }, t("offersWait"))));
}
start();
