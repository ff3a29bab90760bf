// The page with the customer's badge: a picture that identifies the customer at the counter. It renews itself while it is on the screen.

import { getVersion } from "./api.js";
import { shopName, withNames } from "./card.js";
import "./codes.js";
import { onLive } from "./live.js";
import { t } from "./words.js";
import { byId, fill, h, icon, showLoading, showProblem } from "./ui.js";

const place = byId("badge");
const news = byId("badge-news");
/** The log position at which this page read its first badge. */
let began = 0;
/** The stamps of one act: of stamps that go onto two cards, each card has an event of its own. */
let given = { at: "", count: 0 };

async function show() {
  try {
    const { body: badge, position } = await getVersion("/v1/me/badge");
    began ||= position;
    // A stamp may be given by the badge before the first stream opens, so this stream begins where the badge was read. The calls after a
    // renewal change nothing.
    onLive(landed, position);
    const code = h("shown-code");
    fill(place, h("section", { class: "bright" }, code));
    code.shown = badge;
    code.addEventListener("expired", renew);
  } catch (error) {
    showProblem(place, error, show);
  }
}

/** Renews the badge. On a hidden page this waits until the page is visible again. */
function renew() {
  if (!document.hidden) return show();
  document.addEventListener("visibilitychange", show, { once: true });
}

/**
 * Tells that stamps were given, and shows their card.
 * @param {import("./live.js").LiveEvent} event
 */
async function landed(event) {
  if (event.name !== "card" || !(event.data.added > 0)) return;
  // A stream that resumes also sends the stamps that were given before this page was opened.
  if (event.data.position <= began) return;
  given = { at: event.data.at, count: event.data.added + (given.at === event.data.at ? given.count : 0) };
  const { count } = given;
  const [card] = await withNames([event.data.card]);
  navigator.vibrate?.(80);
  const element = h("stamp-card", { linked: true });
  element.card = { ...card, stamps: Math.max(0, card.stamps - event.data.added), status: "collecting" };
  fill(news, h("div", { class: "note", role: "status" }, icon("check"),
    h("p", {}, t("stampsLanded", { count, shop: shopName(card) || t("unnamedShop") }))), element);
  // On a phone the picture fills the screen, and the message about new stamps would be below it.
  news.scrollIntoView({ block: "nearest" });
  requestAnimationFrame(() => requestAnimationFrame(() => {
    element.card = card;
  }));
}

showLoading(place);
show();
