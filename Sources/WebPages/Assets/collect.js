// The page of a scanned stamp code. Opening it changes nothing; one button collects. An answer that was lost is asked for again by itself,
// under the same key, also after a reload.

import { account, intend, isPending, write } from "./api.js";
import { withNames } from "./card.js";
import { has, t } from "./words.js";
import { actionButton, busy, byId, fill, h, icon, sayProblem, signInAddress } from "./ui.js";

const code = location.pathname.split("/")[2].toUpperCase().replace(/[^0-9A-Z]/g, "");
const act = `stamp ${code}`;
const place = byId("collect");

/** @type {[string, string, {code: string}]} */
const request = ["POST", "/v1/stamps", { code }];

function draw() {
  const button = actionButton(account() ? t("collectNow") : t("collectSignedOut"), collect, { class: "button wide large", id: "collect-button" });
  fill(place, h("p", { class: "buttons" }, button), h("p", { class: "why" }, account() ? t("collectHint") : t("collectSignInHint")));
  return button;
}

async function collect() {
  if (!account()) return leaveToSignIn();
  try {
    const { body } = await write(act, ...request);
    const cards = await withNames(body.cards);
    collected(cards, body.added);
  } catch (error) {
    if (/** @type {any} */ (error).code === "signedOut") return leaveToSignIn();
    refused(error);
  }
}

/** The act goes on by itself when the person comes back: they have pressed the button already. */
function leaveToSignIn() {
  intend(act, ...request);
  location.assign(signInAddress(location.pathname));
}

/**
 * @param {import("./card.js").Card[]} cards
 * @param {number} added
 */
function collected(cards, added) {
  const title = /** @type {HTMLElement} */ (document.querySelector("h1"));
  title.tabIndex = -1;
  title.textContent = t("collected", { count: added });
  const shown = cards.map((card) => {
    const element = h("stamp-card", { linked: true });
    // Drawn as it was before, so that the stamps land before the eyes.
    const before = Math.max(0, card.stamps - (cards.length === 1 ? added : card.stamps));
    element.card = { ...card, stamps: before, status: "collecting" };
    requestAnimationFrame(() => requestAnimationFrame(() => {
      element.card = card;
    }));
    return element;
  });
  const full = cards.find((card) => card.status === "full");
  fill(place, ...shown, h("p", { class: "buttons" },
    full ? h("a", { class: "button wide large", href: `/wallet/${full.id}/redeem` }, icon("gift"), t("redeem")) : null,
    h("a", { class: `button wide${full ? " secondary" : ""}`, href: "/wallet" }, icon("wallet"), t("toWallet"))));
  // It has done its work, and showing it longer would only invite another try.
  byId("stamp-code").hidden = true;
  title.focus();
}

/** @param {unknown} error */
function refused(error) {
  const isLost = /** @type {any} */ (error).isLost;
  // What the service has refused it will refuse again; what it could not do just now it may do in a moment.
  const { status } = /** @type {any} */ (error);
  const isFinal = status >= 400 && status < 500 && status !== 429;
  const again = actionButton(isLost ? t("askAgain") : t("tryAgain"), collect, { class: `button wide${isFinal ? " secondary" : " large"}` });
  const other = h("a", { class: `button wide${isFinal ? " large" : " secondary"}`, href: "/scan" }, t("otherCode"));
  const message = h("div", { class: `note ${isLost ? "warn" : "bad"}`, role: "alert", tabindex: "-1" }, icon(isLost ? "offline" : "alert"),
    h("p", {}, sayProblem(error, (name) => has(`collectProblem${name}`) ? t(`collectProblem${name}`) : "")));
  fill(place, message, h("p", { class: "buttons" }, isFinal ? [other, again] : [again, other],
    h("a", { class: "quiet", href: "/wallet" }, t("toWallet"))));
  message.focus();
}

const button = draw();
if (account() && isPending(act)) busy(button, collect);
