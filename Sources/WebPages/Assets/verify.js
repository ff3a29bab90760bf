// The counter's page for a customer's redemption code. Staff preview the code and then redeem it. They can reverse a mistaken redemption.

import { ApiError, chosenShop, get, send, withSession, write } from "./api.js";
import { withNames } from "./card.js";
import { codeIn, groupAsTyped } from "./codes.js";
import { has, hour, t } from "./words.js";
import { actionButton, ask, byId, emptyState, fill, h, icon, onSubmit, sayProblem, showProblem, toast, written } from "./ui.js";
import { saysOver, toWallet, watchSession, workplaces } from "./workplace.js";

const place = byId("verify-result");
const form = byId("verify-form");
const input = form.elements.code;
const scanner = /** @type {HTMLElement | null} */ (document.querySelector("code-scanner"));

/** @param {string} code the refusal's code. */
const own = (code) => has(`verifyProblem${code}`) ? t(`verifyProblem${code}`) : "";

/** @param {unknown} error */
const isOver = (error) => saysOver(error, place, form);

/** The id of the shop that is chosen on the page; empty until it is known. */
let shop = "";

/**
 * Requests a preview of a redemption code for the shop that is chosen on the page. If the card is not valid at this shop, the request is
 * sent again without a shop. The service then takes the campaign's own shop, if the person works there. Otherwise it takes another shop of
 * the campaign at which the person works, if only one is possible.
 * @param {string} code
 * @returns {Promise<{body: any, place: {shop?: string}}>}
 *   `place.shop` is the shop to name when the code is redeemed; absent if the service found the shop itself.
 */
async function look(code) {
  const ask = (/** @type {{shop?: string}} */ place) => withSession(() => send("POST", "/v1/redemptions/preview", { body: { code, ...place } }));
  const isAboutShop = (/** @type {unknown} */ error) => error instanceof ApiError && error.errors.some(({ pointer }) => pointer === "/shop");
  try {
    return { body: (await ask({ shop })).body, place: { shop } };
  } catch (error) {
    if (!isAboutShop(error)) throw error;
  }
  try {
    return { body: (await ask({})).body, place: {} };
  } catch (error) {
    throw isAboutShop(error) ? new ApiError("otherShop", { status: 400 }) : error;
  }
}

/** @param {string} text */
async function preview(text) {
  const code = codeIn(text, "r").toUpperCase().replace(/[\s-]/g, "");
  const { body, place: at } = await look(code);
  const element = h("stamp-card");
  const title = h("h2", { tabindex: "-1" }, t("verifyFound"));
  fill(
    place, title, h("div", { class: "note" }, icon("gift"), h("p", {}, t("rewardLabel"), " ", h("strong", {}, written(body.reward)))),
    h("p", { class: "buttons" }, actionButton(t("redeemNow"), () => redeem(code, at, body.redemption.id), { class: "button large wide" }),
      h("button", { class: "button secondary wide", type: "button", onclick: clear }, t("cancel"))), element,
  );
  scans(false);
  // The focus moves before the names come: later, it could take the focus from a button that somebody has reached by then.
  title.focus();
  const [card] = await withNames([body.card]);
  element.card = card;
}

/**
 * @param {string} code
 * @param {{shop?: string}} at
 * @param {string} id of the redemption.
 */
async function redeem(code, at, id) {
  const shown = place.firstChild;
  // The next customer's code may be on the page before the answer comes. The answer must not seem to be about that code.
  const isLeft = () => place.firstChild !== null && place.firstChild !== shown;
  try {
    const { body, isReplay } = await write(`reward ${code}`, "POST", "/v1/redemptions", { code, ...at });
    navigator.vibrate?.([60, 60, 120]);
    const time = hour(body.redemption.redeemedAt);
    if (isLeft()) return toast(`${isReplay ? t("redeemedEarlier", { time }) : t("verifyDone")} · ${body.reward}`, { seconds: 10 });
    if (isReplay) return showEarlier(time, t("handOverOnce"), id);
    const title = h("h2", { tabindex: "-1" }, t("verifyDone"));
    fill(place, h("div", { class: "empty success", role: "status" }, icon("check"), title, h("p", {}, t("handOver"), " ", h("strong", {}, written(body.reward))),
      h("p", { class: "buttons centered" }, h("button", { class: "button", type: "button", onclick: clear }, t("nextCustomer")),
        actionButton(t("undo"), () => undo(body.redemption.id), { class: "button secondary" }))));
    title.focus();
  } catch (error) {
    if (isOver(error)) return;
    const time = await redeemedAt(error, id);
    if (time) return isLeft() ? toast(t("redeemedEarlier", { time }), { kind: "bad", seconds: 10 }) : showEarlier(time, t("handOverNot"), id);
    if (isLeft()) return toast(sayProblem(error, own), { kind: "bad", seconds: 10 });
    showProblem(place, error, () => redeem(code, at, id), own);
    // The form is hidden, so without this button the reader could only try this code again.
    const next = h("button", { class: "button secondary", type: "button", onclick: clear }, t("nextCustomer"));
    place.append(h("p", { class: "buttons centered" }, next));
    // The button that was pressed is no longer on the page.
    place.querySelector("button").focus();
  }
}

/**
 * The time at which another screen has redeemed a code that is refused here; empty if none has.
 * @param {unknown} error
 * @param {string} id
 */
async function redeemedAt(error, id) {
  if (!(error instanceof ApiError) || error.code !== "redemptionNotValid") return "";
  const found = await get(`/v1/redemptions/${id}`).catch(() => null);
  return found?.status === "redeemed" ? hour(found.redeemedAt) : "";
}

/**
 * Says that a reward was redeemed before this answer came, so that it is handed over once.
 * @param {string} time
 * @param {string} what the advice about handing the reward over.
 * @param {string} id
 */
function showEarlier(time, what, id) {
  const title = h("h2", { tabindex: "-1" }, t("redeemedEarlier", { time }));
  fill(place, h("div", { class: "empty", role: "alert" }, icon("alert"), title, h("p", {}, what),
    h("p", { class: "buttons centered" }, h("button", { class: "button", type: "button", onclick: clear }, t("nextCustomer")),
      actionButton(t("undo"), () => undo(id), { class: "button secondary" }))));
  title.focus();
}

/** @param {string} id */
async function undo(id) {
  const reason = await ask({
    title: t("undoRedemption"), text: t("undoRedemptionText"), label: t("reason"), yes: t("takeBack"),
    suggestions: [t("reasonWrongCustomer"), t("reasonNotHandedOut")],
  });
  if (!reason) return;
  const shown = place.firstChild;
  try {
    await write(`reverse ${id}`, "POST", `/v1/redemptions/${id}/reversal`, { reason });
    toast(t("redemptionTakenBack"));
    // The reader may have gone on to the next customer's code.
    if (place.firstChild === shown) clear();
  } catch (error) {
    if (!isOver(error)) toast(sayProblem(error, own), { kind: "bad", seconds: 10 });
  }
}

/**
 * Shows or hides the scanner and the form. They are hidden while a code is handled, so that the buttons for this code stay visible.
 * @param {boolean} isOn
 */
function scans(isOn) {
  form.hidden = !isOn;
  if (scanner) scanner.hidden = !isOn;
}

function clear() {
  fill(place);
  scans(true);
  form.reset();
  input.focus();
}

groupAsTyped(input);
onSubmit(form, async (data) => {
  try {
    await preview(String(data.get("code")));
  } catch (error) {
    if (!isOver(error)) throw error;
  }
}, own);
scanner?.addEventListener("scanned", (event) => {
  input.value = codeIn(/** @type {CustomEvent} */ (event).detail, "r");
  form.requestSubmit();
});

/** Starts the page. A person who works at no shop is told so before typing a code. */
async function start() {
  try {
    const chosen = await workplaces(byId("workplace"), () => { shop = chosenShop() ?? ""; });
    shop = chosen?.id ?? "";
    if (!chosen) {
      form.hidden = true;
      fill(place, emptyState("shop", t("noShopTitle"), t("noShopText"), toWallet()));
      return;
    }
  } catch (error) {
    return isOver(error) ? undefined : showProblem(place, error, again);
  }
  // The code is behind the `#`, so that no server on the way logs it.
  const given = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  if (!given) return;
  input.value = given;
  form.requestSubmit();
}

/** Starts the page again. Only the problem is removed here: a code may be on the page before the shops come, and must stay. */
function again() {
  fill(place);
  scans(true);
  input.focus();
  start();
}
watchSession(() => [place, form]);
start();
