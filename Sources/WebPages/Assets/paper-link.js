// The page of a paper card that was opened with a phone's camera. A customer can add the card to an account, once. Staff continue at the
// counter, with the card filled in. Opening the page changes nothing.

import { account, get, intend, resume, unanswered, write } from "./api.js";
import { withNames } from "./card.js";
import { plainCode } from "./codes.js";
import { has, t } from "./words.js";
import { actionButton, busy, byId, fill, h, icon, sayProblem, signInAddress, written } from "./ui.js";

const code = plainCode(decodeURIComponent(location.pathname.split("/")[2]));
const act = `take ${code}`;
/** @type {["POST", string, {code: string}]} */
const request = ["POST", "/v1/me/paper-cards", { code }];
const place = byId("paper");
/** Whether the reader came back from the counter page to add the card: staff of one shop may be customers of another. */
const isMine = location.hash === "#mine";

/** @param {string} name the refusal's code. */
const own = (name) => has(`paperProblem${name}`) ? t(`paperProblem${name}`) : "";

/** Refusals that pressing again cannot change. */
const FINAL = ["paperNotValid", "ownCampaign", "cardLimitReached", "shopClosed"];

function draw() {
  const button = actionButton(account() ? t("paperTake") : t("paperTakeSignedOut"), take, { class: "button wide large", id: "take-paper" });
  fill(place, h("p", { class: "buttons" }, button), h("p", { class: "why" }, account() ? t("paperTakeHint") : t("paperSignInHint")));
  return button;
}

async function take() {
  if (!account()) return leaveToSignIn();
  try {
    const [begun] = unanswered(act);
    const answer = begun ? await resume(begun.key, { isPatient: false }) : await write(act, ...request, { isPatient: false });
    if (answer) await taken(answer.body);
    else location.reload();
  } catch (error) {
    if (/** @type {any} */ (error).code === "signedOut") return leaveToSignIn();
    refused(error);
  }
}

/** Sends the person to the sign-in page. The card is then added to the account automatically, because the button was pressed already. */
function leaveToSignIn() {
  intend(act, ...request);
  location.assign(signInAddress(`${location.pathname}#mine`));
}

/** @param {any} body */
async function taken(body) {
  const title = /** @type {HTMLElement} */ (document.querySelector("h1"));
  title.tabIndex = -1;
  title.textContent = t("paperTaken");
  // Hides the parts about a paper card that is in nobody's account.
  for (const each of ["paper-how", "paper-staff"]) byId(each).hidden = true;
  byId("paper-what")?.remove();
  const cards = await withNames(body.cards);
  const shown = cards.map((card) => {
    const element = h("stamp-card", { linked: true });
    element.card = card;
    return element;
  });
  const full = cards.find((card) => card.status === "full");
  fill(place, h("p", { role: "status" }, body.added > 0 ? t("collected", { count: body.added }) : t("paperTakenBlank")), ...shown,
    h("p", { class: "hint" }, t("paperKeep")), h("p", { class: "buttons" },
      full ? h("a", { class: "button wide large", href: `/wallet/${full.id}/redeem` }, icon("gift"), t("redeem")) : null,
      h("a", { class: `button wide${full ? " secondary" : ""}`, href: "/wallet" }, icon("wallet"), t("toWallet"))));
  title.focus();
}

/**
 * Names what waits on the paper card. If it is in the reader's account already, the button to take it is gone.
 * @param {any} paper
 */
function describe({ shop, campaign, stamps, isMine }) {
  const how = byId("paper-how");
  const waits = isMine ? t("paperMine") : stamps > 0 ? t("paperWaitingHere", { count: stamps, goal: campaign.goal }) : t("paperBlank", { goal: campaign.goal });
  how.before(h("div", { id: "paper-what" }, h("p", { class: "lead" }, written(shop.name, t("unnamedShop")), " · ", written(campaign.title, t("unnamedCampaign"))),
    h("p", {}, h("strong", {}, waits), " ", `${t("rewardLabel")} `, written(campaign.reward))));
  if (!isMine) return;
  for (const each of [how, byId("paper-staff")]) each.hidden = true;
  fill(place, h("p", { class: "hint" }, t("paperKeep")), h("p", { class: "buttons" }, h("a", { class: "button wide", href: "/wallet" }, icon("wallet"), t("toWallet"))));
}

/** @param {unknown} error */
function refused(error) {
  const isLost = /** @type {any} */ (error).isLost;
  const again = actionButton(isLost ? t("askAgain") : t("tryAgain"), take, { class: "button wide", id: isLost ? "ask-again" : null });
  const message = h("div", { class: `note ${isLost ? "warn" : "bad"}`, role: "alert", tabindex: "-1" }, icon(isLost ? "offline" : "alert"),
    h("p", {}, sayProblem(error, own)));
  const isFinal = FINAL.includes(/** @type {any} */ (error).code);
  fill(place, message, h("p", { class: "buttons" }, isFinal ? null : again, h("a", { class: "quiet", href: "/wallet" }, t("toWallet"))));
  message.focus();
}

async function start() {
  byId("paper-staff").href = `/counter#${code}`;
  const button = draw();
  if (!account()) return;
  if (unanswered(act).length > 0) return busy(button, take);
  // Somebody who has pressed the button meanwhile is here as a customer. The button is gone once the answer is shown.
  const isPressed = () => button.getAttribute("aria-busy") === "true" || !button.isConnected;
  const works = isMine ? { items: [] } : await get("/v1/me/shops").catch(() => ({ items: [] }));
  if (works.items.length > 0 && !isPressed()) return location.replace(`/counter#${code}`);
  try {
    const paper = await get(`/v1/me/paper-cards/${code}`);
    if (!isPressed()) describe(paper);
  } catch (error) {
    // Any other failure leaves the button, whose press shows it.
    if (/** @type {any} */ (error).code === "paperNotValid" && !isPressed()) refused(error);
  }
}

start();
