// The page of a scanned stamp code. Opening it changes nothing; one button collects the stamps. If an answer was lost, the request is
// repeated automatically under the same key, even after a reload.

import { account, get, intend } from "./api.js";
import { waitingMilestones, withNames } from "./card.js";
import { actOf, collect as enter, collected as found, grouped, requestOf, sayRefusal, waitingFor } from "./queue.js";
import { t } from "./words.js";
import { actionButton, busy, byId, fill, h, icon, sayProblem, signInAddress } from "./ui.js";

const code = location.pathname.split("/")[2].toUpperCase().replace(/[^0-9A-Z]/g, "");
const act = actOf(code);
const place = byId("collect");

/** @param {boolean} isRunning whether the request was begun before the page was loaded, so that it now continues by itself. */
function draw(isRunning) {
  const button = actionButton(account() ? t("collectNow") : t("collectSignedOut"), collect, { class: "button wide large", id: "collect-button" });
  const hint = isRunning ? t("collectRuns") : account() ? t("collectHint") : t("collectSignInHint");
  fill(place, h("p", { class: "buttons" }, button), h("p", { class: "why", role: isRunning ? "status" : null }, hint));
  return button;
}

async function collect() {
  if (!account()) return leaveToSignIn();
  try {
    const answer = await enter(code);
    if (answer) collected(await withNames(answer.cards), answer.added);
    else if (!(await alreadyHere())) draw(false);
  } catch (error) {
    const { code: problem } = /** @type {any} */ (error);
    if (problem === "signedOut") return leaveToSignIn();
    // Another tab may have used the code meanwhile.
    if (problem !== "codeNotValid" || !(await alreadyHere())) refused(error);
  }
}

/** Sends the person to the sign-in page. The stamps are then collected automatically, because the button was pressed already. */
function leaveToSignIn() {
  intend(act, ...requestOf(code));
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
    // The card is first drawn without the new stamps, so that these then appear with an animation.
    const before = Math.max(0, card.stamps - (cards.length === 1 ? added : card.stamps));
    element.card = { ...card, stamps: before, status: "collecting" };
    requestAnimationFrame(() => requestAnimationFrame(() => {
      element.card = card;
    }));
    return element;
  });
  const full = cards.find((card) => card.status === "full");
  const ready = cards.flatMap((card) => waitingMilestones(card).map((each) => ({ ...each, id: card.id })));
  fill(place, ...shown, h("p", { class: "buttons" },
    ready.map(({ id, at, reward }) => h("a", { class: "button wide secondary", href: `/wallet/${id}/redeem?milestone=${at}` }, icon("gift"), t("milestoneGetReward", { reward }))),
    full ? h("a", { class: "button wide large", href: `/wallet/${full.id}/redeem` }, icon("gift"), t("redeem")) : null,
    h("a", { class: `button wide${full ? " secondary" : ""}`, href: "/wallet" }, icon("wallet"), t("toWallet"))));
  // The code was used. If it were still shown, it would only invite another try.
  byId("stamp-code").hidden = true;
  title.focus();
}

/**
 * If this person has used the code in this browser within the last day, shows the stamped cards and returns true. The service would report
 * the code as invalid.
 */
async function alreadyHere() {
  const before = found(code);
  if (!before) return false;
  const title = /** @type {HTMLElement} */ (document.querySelector("h1"));
  title.textContent = t("collectedAlready", { count: before.added });
  byId("stamp-code").hidden = true;
  fill(place, h("div", { id: "collected-cards" }), h("p", { class: "buttons" },
    h("a", { class: "button wide", href: "/wallet" }, icon("wallet"), t("toWallet")),
    h("a", { class: "button wide secondary", href: "/scan" }, t("otherCode"))));
  const answers = await Promise.all(before.cards.map((id) => get(`/v1/cards/${id}`).catch(() => null)));
  const cards = await withNames(answers.filter(Boolean));
  fill(byId("collected-cards"), cards.map((card) => {
    const element = h("stamp-card", { linked: true });
    element.card = card;
    return element;
  }));
  return true;
}

/** @param {unknown} error */
function refused(error) {
  const isLost = /** @type {any} */ (error).isLost;
  // A refusal is final if its reason does not pass with time. If the service could not answer at the moment, another try may succeed.
  const { status } = /** @type {any} */ (error);
  const isFinal = status >= 400 && status < 500 && status !== 429;
  const again = actionButton(isLost ? t("askAgain") : t("tryAgain"), collect, {
    class: `button wide${isFinal ? " secondary" : " large"}`, id: isLost ? "ask-again" : null,
  });
  const other = h("a", { class: `button wide${isFinal ? " large" : " secondary"}`, href: "/scan" }, t("otherCode"));
  const message = h("div", { class: `note ${isLost ? "warn" : "bad"}`, role: "alert", tabindex: "-1" }, icon(isLost ? "offline" : "alert"),
    h("p", {}, sayProblem(error, sayRefusal), isLost ? ` ${t("collectWaits")}` : null));
  fill(place, message, h("p", { class: "buttons" }, isFinal ? [other, again] : [again, other],
    h("a", { class: "quiet", href: "/wallet" }, t("toWallet"))));
  message.focus();
}

async function start() {
  // Without a network, the service worker shows a page from its cache, which was made without this code. So the code is filled in here.
  byId("stamp-code").textContent = grouped(code);
  if (await alreadyHere()) return;
  const isRunning = account() !== null && Boolean(waitingFor(code));
  const button = draw(isRunning);
  if (isRunning) busy(button, collect);
}

addEventListener("online", () => {
  const again = /** @type {HTMLButtonElement | null} */ (place.querySelector("#ask-again"));
  if (again && account() && waitingFor(code)) busy(again, collect);
});
start();
