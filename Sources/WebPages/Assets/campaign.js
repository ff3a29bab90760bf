// Adds buttons to a campaign's page: keep it as a favourite, claim its coupon, share it. The page is complete without this script.

import { account, get, intend, resume, unanswered, write } from "./api.js";
import "./share.js";
import { has, t } from "./words.js";
import { busy, byId, fill, h, icon, sayProblem, signInAddress, toast } from "./ui.js";

const id = location.pathname.split("/")[2];
const path = `/v1/campaigns/${id}`;
const favorite = byId("favorite");
const claim = byId("claim");
const [keeping, claiming] = [`favorite ${id}`, `claim ${id}`];

/** @param {string} name */
const own = (name) => has(`claimProblem${name}`) ? t(`claimProblem${name}`) : "";

/** @param {boolean} isKept */
function draw(isKept) {
  favorite.setAttribute("aria-pressed", String(isKept));
}

/**
 * Sends the reader to the sign-in page. The write that was begun continues automatically after the sign-in.
 * @param {string} act
 * @param {string} method
 * @param {string} address
 */
function leaveToSignIn(act, method, address) {
  intend(act, method, address, undefined);
  location.assign(signInAddress());
}

async function toggle() {
  const isKept = favorite.getAttribute("aria-pressed") === "true";
  const method = isKept ? "DELETE" : "PUT";
  if (!account()) return leaveToSignIn(keeping, method, `${path}/favorite`);
  try {
    await write(keeping, method, `${path}/favorite`);
    draw(!isKept);
    toast(isKept ? t("keptNoMore") : t("kept"));
  } catch (error) {
    if (/** @type {any} */ (error).code === "signedOut") return leaveToSignIn(keeping, method, `${path}/favorite`);
    toast(sayProblem(error), { kind: "bad" });
  }
}

async function take() {
  if (!account()) return leaveToSignIn(claiming, "POST", `${path}/coupon`);
  try {
    const { body } = await write(claiming, "POST", `${path}/coupon`);
    claimed(body.card.id);
  } catch (error) {
    refused(error);
  }
}

/** @param {string} card */
function claimed(card) {
  const title = h("strong", {}, t("claimed"));
  const note = h("div", { class: "note", role: "status", tabindex: "-1" }, icon("check"), h("p", {}, title, t("claimedHow")),
    h("div", { class: "buttons" }, h("a", { class: "button", href: `/wallet/${card}/redeem` }, icon("gift"), t("redeem")),
      h("a", { class: "button secondary", href: "/wallet" }, icon("wallet"), t("toWallet"))));
  fill(byId("claimed"), note);
  claim.hidden = true;
  note.focus();
}

/**
 * Says that the reader has the coupon already, in place of the button.
 * @param {string} text
 * @param {string} address
 */
function had(text, address) {
  claim.hidden = true;
  fill(byId("claimed"), h("div", { class: "note", role: "status" }, icon("check"), h("p", {}, text),
    h("div", { class: "buttons" }, h("a", { class: "button", href: address }, icon("wallet"), t("claimedOpen")))));
}

/** @param {unknown} error */
function refused(error) {
  const { code } = /** @type {any} */ (error);
  if (code === "signedOut") return leaveToSignIn(claiming, "POST", `${path}/coupon`);
  if (code === "couponClaimed") return had(sayProblem(error, own), "/wallet");
  fill(byId("claimed"), h("div", { class: "note bad", role: "alert" }, icon("alert"), h("p", {}, sayProblem(error, own))));
}

/**
 * Asks again for the answer to an act that was begun here, before the sign-in or a reload.
 * @param {string} name
 */
async function goOn(name) {
  const [act] = unanswered(name);
  return act ? resume(act.key) : null;
}

async function start() {
  favorite.hidden = false;
  favorite.addEventListener("click", () => busy(favorite, toggle));
  if (claim) {
    claim.hidden = false;
    claim.addEventListener("click", () => busy(claim, take));
  }
  if (!account()) return;
  try {
    await goOn(keeping);
    const found = await get(path);
    draw(Boolean(found.isFavorite));
    if (claim && found.coupon && unanswered(claiming).length === 0) had(t("claimedBefore"), `/wallet/${found.coupon}`);
  } catch {
    // This failure is not reported. The page then does not show whether the campaign is a favourite, and a press of the button shows the
    // reason.
  }
  if (claim) await goOn(claiming).then((answer) => answer && claimed(answer.body.card.id), refused);
}

start();
