// Redeems a full card or a milestone. After a confirmation, the page shows a bright redemption code for the counter. The code disappears
// once the counter has used it.

import { account, get, now, pause, resume, unanswered, write } from "./api.js";
import { lookOf, withNames } from "./card.js";
import "./codes.js";
import { onLive } from "./live.js";
import { has, t } from "./words.js";
import { actionButton, byId, fill, h, icon, leaveIfSignedOut, logo, openScreen, showLoading, showProblem, tint, written } from "./ui.js";

/** Milliseconds between two checks whether the code was used. The stream usually reports the use earlier. */
const LOOK = 4_000;

const id = location.pathname.split("/")[2];
/** The requested milestone, by its number of stamps; null for the full card. */
const milestone = Number(new URLSearchParams(location.search).get("milestone")) || null;
const act = milestone ? `redeem ${id} ${milestone}` : `redeem ${id}`;
const place = byId("redeem");
/** @type {import("./card.js").Card | null} */
let card = null;
/** The redemption whose code is on the screen. */
let shownID = "";

async function start() {
  showLoading(place);
  try {
    [card] = await withNames([await get(`/v1/cards/${id}`)]);
    drawQuestion();
  } catch (error) {
    showProblem(place, error, start);
  }
}

/** The requested milestone of the card, or undefined. */
const asked = () => card?.milestones?.find((each) => each.at === milestone);
const reward = () => milestone ? asked()?.reward : card?.reward;

/** The reason why the reward cannot be redeemed now; empty if it can. */
function refusal() {
  if (!card) return "";
  if (milestone) {
    if (asked()?.status === "redeemed") return t("milestoneAlready");
    const isHeld = card.status === "collecting" || card.status === "full";
    return isHeld && card.stamps >= (asked()?.at ?? Infinity) ? "" : t("redeemProblemMilestoneNotOpen");
  }
  if (card.status === "full") return "";
  return card.status === "redeemed" ? t("redeemAlready") : t("redeemNotYet", { count: card.goal - card.stamps });
}

function drawQuestion() {
  if (!card) return;
  const element = h("stamp-card");
  element.card = card;
  const text = refusal();
  if (text) {
    fill(place, element, h("div", { class: "note", role: "status" }, icon("info"), h("p", {}, text)),
      h("p", { class: "buttons" }, h("a", { class: "button", href: "/wallet" }, t("toWallet"))));
    return;
  }
  fill(
    place, element,
    milestone ? h("h2", {}, written(reward())) : null,
    h("p", { class: "lead" }, t("redeemAsk")),
    h("p", { class: "buttons" }, actionButton(t("showCode"), show, { class: "button wide large" })),
    h("p", { class: "buttons" }, h("a", { class: "button secondary wide", href: `/wallet/${id}` }, t("notYet"))),
  );
}

async function show() {
  try {
    const body = await lateCode() ?? (await write(act, "POST", `/v1/cards/${id}/redemption`, milestone ? { milestone } : undefined)).body;
    shownID = body.id;
    drawCode(body);
    watch(body.id);
  } catch (error) {
    closeScreen();
    showProblem(place, error, start, (code) => has(`redeemProblem${code}`) ? t(`redeemProblem${code}`) : "");
  }
}

/** The valid code whose answer was lost, asked for again with its key; null if there is none. Otherwise, each tap requests a new code. */
async function lateCode() {
  const begun = unanswered(act).find(({ name }) => name === act);
  const answer = begun ? await resume(begun.key) : null;
  return answer && Date.parse(answer.body.expiresAt) > now() ? answer.body : null;
}

/** @type {ReturnType<typeof openScreen> | null} */
let screen = null;

/** @param {any} redemption */
function drawCode(redemption) {
  screen ??= openScreen(t("redeemTitle"), closed, tint(card && lookOf(card)));
  const code = h("shown-code");
  const renew = actionButton(t("newCode"), show, { class: "button secondary wide" });
  const hint = h("p", { class: "lead centered" }, t("redeemShow"));
  fill(screen.content, logo(card && lookOf(card)), h("h2", { class: "centered" }, written(reward())), code, hint, h("p", { class: "buttons" }, renew));
  code.shown = redemption;
  code.addEventListener("expired", () => {
    hint.textContent = t("redeemExpired");
    renew.focus();
  });
}

/** Handles the closing of the screen. The code stays valid until it expires or is replaced, and closing changes nothing on the card. */
function closed() {
  [screen, shownID] = [null, ""];
}

/** Closes the screen with the code, and stops checking whether the code was used. */
function closeScreen() {
  shownID = "";
  screen?.close();
}

/**
 * Checks repeatedly whether the code was used, so that the page also works without the stream of live events.
 * @param {string} redemption
 */
async function watch(redemption) {
  while (shownID === redemption) {
    await pause(LOOK);
    if (shownID === redemption && !document.hidden) await look(redemption);
  }
}

/** @param {string} redemption */
async function look(redemption) {
  const found = await get(`/v1/redemptions/${redemption}`).catch(() => null);
  if (found?.status === "redeemed") celebrate(redemption);
  if (found?.status === "replaced") replaced(redemption);
}

/** @param {string} redemption */
function celebrate(redemption) {
  if (shownID !== redemption) return;
  closeScreen();
  navigator.vibrate?.([60, 60, 120]);
  const title = h("h2", { tabindex: "-1" }, t("redeemedTitle"));
  fill(place, h("div", { class: "empty success", role: "status" }, icon("gift"), title, h("p", {}, milestone ? t("milestoneRedeemedText") : t("redeemedText"), " ", h("strong", {}, written(reward()))),
    h("p", { class: "buttons centered" }, h("a", { class: "button", href: "/wallet" }, t("toWallet")))));
  title.focus();
}

/**
 * Shows that a newer code was requested elsewhere, so that this code is no longer valid.
 * @param {string} redemption
 */
function replaced(redemption) {
  if (shownID !== redemption) return;
  closeScreen();
  fill(place, h("div", { class: "note warn", role: "alert" }, icon("alert"), h("p", {}, t("redeemReplaced"))),
    h("p", { class: "buttons" }, actionButton(t("newCode"), show, { class: "button wide" })));
}

if (account()) {
  onLive((event) => {
    if (event.name !== "card" || event.data.card.id !== id) return;
    if (["redeemed", "milestoneRedeemed"].includes(event.data.kind) && event.data.redemption === shownID) celebrate(shownID);
    if (["redemptionRequested", "milestoneRequested"].includes(event.data.kind) && shownID && event.data.redemption !== shownID) look(shownID);
  });
}
start();
