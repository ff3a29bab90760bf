// A card, found by its id: its events in the log, and a correction with a reason, which the card's holder can read.

import { get } from "./api.js";
import { t } from "./words.js";
import { byId, fill, h, icon, onSubmit } from "./ui.js";
import { change, enter, eventLine, idIn, logLink, ownProblem, withReason } from "./operate.js";

const place = byId("found");
const search = byId("search");
const adjustment = byId("adjust");
let card = "";

/** Shows all events of the card, newest first, and the number of stamps that follows from them. */
async function show() {
  /** @type {any[]} */
  let events = [];
  for (let next = ""; next !== null;) {
    const query = new URLSearchParams({ tag: `card:${card}`, limit: "100", ...(next ? { cursor: next } : {}) });
    const page = await get(`/v1/admin/events?${query}`);
    events = events.concat(page.items);
    next = page.next;
  }
  adjustment.hidden = events.length === 0;
  if (events.length === 0) return fill(place, h("p", { class: "note warn", role: "status" }, t("operateNoCard")));
  const opened = events.find((each) => each.type === "CardOpened")?.event;
  fill(
    place, h("h2", {}, t("operateCardHistory")),
    opened ? h("p", {}, t("stampsOf", { stamps: stampsAfter(events), goal: opened.goal }), ". ", t("operateLogOnly"), " ", logLink(opened.holder), ", ", logLink(opened.shop), ", ", logLink(opened.campaign)) : null,
    h("ul", { class: "list events" }, events.reverse().map((each) => eventLine(each, false))),
  );
}

/**
 * The number of stamps on a card after its events.
 * @param {any[]} events
 */
function stampsAfter(events) {
  const changes = { CardStamped: 1, CardAdjusted: 1, StampReversed: -1 };
  return events.reduce((sum, { type, event }) => sum + (changes[/** @type {keyof typeof changes} */ (type)] ?? 0) * event.stamps, 0);
}

onSubmit(search, async (data) => {
  [card, adjustment.hidden] = [idIn(String(data.get("card") ?? ""), "card"), true];
  fill(place);
  if (!card) return fill(place, h("p", { class: "note warn", role: "status" }, t("operateNoCardID")));
  await show();
}, ownProblem);

onSubmit(adjustment, async (data) => {
  const stamps = Number(String(data.get("stamps") ?? "").normalize("NFKC").replace(/[\u2212\u2013]/, "-").trim());
  if (!Number.isInteger(stamps) || stamps === 0) return fillNote(t("operateAdjustNumber"));
  const count = Math.abs(stamps);
  const text = stamps < 0 ? t("operateAdjustTakes", { count }) : t("operateAdjustGives", { count });
  /** @type {any} */
  let now = null;
  const isDone = await withReason({
    title: t("operateAdjustTitle"), text: `${text} ${t("operateAdjustText")}`, yes: t("operateAdjustGo"), done: t("operateAdjusted"),
    suggestions: [t("reasonWrongCustomer"), t("reasonTooMany")],
  }, async (reason) => {
    now = (await change("POST", `/v1/admin/cards/${card}/adjustments`, { stamps, reason })).body.card;
  });
  if (!isDone) return;
  adjustment.reset();
  await show();
  fillNote(t("stampsOf", { stamps: now.stamps, goal: now.goal }));
}, ownProblem);

/** @param {string} text */
function fillNote(text) {
  place.querySelector(".note")?.remove();
  place.prepend(h("div", { class: "note", role: "status" }, icon("info"), h("p", {}, text)));
}

enter(() => {
  const asked = idIn(new URLSearchParams(location.search).get("card") ?? "", "card");
  if (!asked) return byId("card").focus();
  search.elements.card.value = asked;
  search.requestSubmit();
});
