// The common parts of the counter's pages: the choice of the shop at which a person works, the end of a session, a lost connection, and
// typed text, which is stored so that it is still there after a reload, and the question before stamps are taken back.

import { account, ApiError, chooseShop, chosenShop, get, load, now, onReached, save, send, wasSignedIn } from "./api.js";
import { t } from "./words.js";
import { byId, fill, h, icon, leaveIfSignedOut, openDialog, signInAddress, whenAccountChanges, written } from "./ui.js";

/** The link to the wallet for a person who works at no shop. */
export const toWallet = () => h("p", { class: "buttons centered" }, h("a", { class: "button", href: "/wallet" }, t("toWallet")));

/**
 * Shows the shop at which the person works, with a choice if there are several.
 * @param {Element} place
 * @param {() => void} changed called when another shop was chosen.
 * @returns {Promise<any>} the shop; null for somebody who works nowhere.
 */
export async function workplaces(place, changed) {
  const shops = (await get("/v1/me/shops")).items.map((/** @type {any} */ each) => each.shop && typeof each.shop === "object" ? { ...each.shop, role: each.role } : each);
  const chosen = shops.find((/** @type {any} */ each) => each.id === chosenShop()) ?? shops[0] ?? null;
  // From now on, a choice in another tab does not move this one to another shop.
  if (chosen) chooseShop(chosen.id);
  save("works", shops.length > 0 || null);
  if (shops.length < 2) {
    fill(place, chosen ? h("p", { class: "muted" }, written(chosen.name)) : null);
    return chosen;
  }
  const select = h("select", { id: "workplace-choice" }, shops.map((/** @type {any} */ each) =>
    h("option", { value: each.id, selected: each === chosen }, each.name)));
  select.addEventListener("change", () => {
    chooseShop(select.value);
    changed();
  });
  const isFocused = place.contains(document.activeElement);
  fill(place, h("div", { class: "field" }, h("label", { for: "workplace-choice" }, t("workplace")), select));
  // The control in which the person has just chosen a shop is no longer on the page. With a keyboard, the choice may go on.
  if (isFocused) select.focus();
  return chosen;
}

// MARK: The session is over

/**
 * Shows that the session has ended, if the error says so. If nobody was signed in here before, opens the sign-in page instead.
 * @param {unknown} error
 * @param {Element} place the element in which the message is shown.
 * @param {...HTMLElement} rest the elements to hide, because they cannot be used without a session.
 * @returns {boolean} whether the error says that nobody is signed in; the caller then must not show the error.
 */
export function saysOver(error, place, ...rest) {
  if (!(error instanceof ApiError) || error.code !== "signedOut") return false;
  // Nobody was signed in here before, so no session has ended.
  if (!wasSignedIn()) return leaveIfSignedOut(error);
  sayOver(place, rest);
  return true;
}

/**
 * @param {Element} place
 * @param {HTMLElement[]} rest
 */
function sayOver(place, rest) {
  forgetTyped();
  for (const each of rest) each.hidden = true;
  const title = h("h2", { tabindex: "-1" }, t("overTitle"));
  fill(place, h("div", { class: "empty", role: "alert" }, icon("exit"), title, h("p", {}, t("overText")),
    h("p", { class: "buttons centered" }, h("a", { class: "button large", href: signInAddress() }, t("signIn")))));
  title.focus();
}

/**
 * Shows that the session has ended when the person signs out in another tab. If another person signs in there, loads the page again.
 * @param {() => [Element, ...HTMLElement[]]} places
 */
export function watchSession(places) {
  whenAccountChanges(() => {
    if (account()) return location.reload();
    const [place, ...rest] = places();
    sayOver(place, rest);
  });
}

// MARK: The connection

/** Milliseconds between two attempts to reach the service while the connection is lost. */
const LOOK = 4_000;
/** Milliseconds for which the page says that it is connected again. */
const BACK = 6_000;
/** Milliseconds after which stored text is not filled in again: a reload takes less, and the next customer comes later. */
const TYPED_MAX = 60_000;

/** @type {ReturnType<typeof setInterval> | undefined} */
let attempts;

/** Sends a request to learn whether the service can be reached. Any answer shows that it can, even a refusal. */
const look = () => send("GET", "/v1/me").catch(() => null);

/**
 * Tells staff that no stamps or rewards can be given now, what still works, and that typed text stays. From then on, sends requests
 * regularly until one is answered.
 */
function sayLost() {
  if (attempts) return;
  attempts = setInterval(look, LOOK);
  fill(byId("line"), h("div", { class: "note bad", role: "alert" }, icon("offline"), h("div", {}, h("strong", {}, t("lineLost")),
    h("p", {}, t("lineLostNothing")), h("p", {}, t("lineLostStill")), h("p", {}, t("lineLostTyped")))));
}

function sayBack() {
  if (!attempts) return;
  clearInterval(attempts);
  attempts = undefined;
  const news = h("div", { class: "note", role: "status" }, icon("check"), h("p", {}, t("lineBack")));
  fill(byId("line"), news);
  setTimeout(() => news.remove(), BACK);
}

onReached((isReached) => isReached ? sayBack() : sayLost());
// A browser's report about its connection is not reliable, so it only causes a request that shows whether the service answers.
addEventListener("offline", look);
addEventListener("online", look);

// MARK: Typed text

/**
 * Stores the text that is typed into fields until the form is reset, and fills the text in again after a reload.
 * @param {HTMLInputElement[]} fields
 */
export function keepTyped(fields) {
  const kept = load("counter-typed");
  for (const field of fields) {
    if (kept && now() - kept.at < TYPED_MAX && !field.value) field.value = kept.texts[field.name] ?? "";
    field.addEventListener("input", () => keep(fields));
    field.form?.addEventListener("reset", () => setTimeout(() => keep(fields)));
  }
}

/** @param {HTMLInputElement[]} fields */
function keep(fields) {
  const texts = Object.fromEntries(fields.filter(({ value }) => value).map(({ name, value }) => [name, value]));
  save("counter-typed", Object.keys(texts).length ? { at: now(), texts } : null);
}

/** Deletes the typed text, so that a person who signs in later does not find it. */
const forgetTyped = () => save("counter-typed", null);

// MARK: Taking back

const REASON_MAX = 200;

/**
 * How many of an act's stamps were taken back.
 * @param {number} all
 * @param {number} left
 */
export const sayPart = (all, left) =>
  all > left ? t("activityPartBack", { count: all - left, all }) : t("activityPartLeft", { count: left });

/**
 * Asks how many stamps are taken back, and why.
 * @param {{title: string, text: string, most: number, suggestions: string[]}} question `most`: the stamps that are left; one leaves no choice.
 * @returns {Promise<{reason: string, stamps?: number} | null>} the body of the request, without a number for all; null if it was cancelled.
 */
export function askTakeBack({ title, text, most, suggestions }) {
  return new Promise((resolve) => {
    /** @type {{reason: string, stamps?: number} | null} */
    let answer = null;
    const input = h("input", { id: "dialog-answer", required: true, maxlength: REASON_MAX, autocomplete: "off", enterkeyhint: "done" });
    const count = h("select", { id: "dialog-count" }, Array.from({ length: most }, (_, index) => most - index).map((each) =>
      h("option", { value: String(each) }, each === most ? t("takeBackAll", { count: each }) : String(each))));
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      const [reason, stamps] = [input.value.trim(), Number(count.value)];
      if (!reason) return input.focus();
      answer = stamps < most ? { reason, stamps } : { reason };
      dialog.close();
    };
    const choices = suggestions.map((each) =>
      h("button", { class: "chip", type: "button", onclick: () => { input.value = each; input.focus(); } }, each));
    const dialog = openDialog(title, [
      h("p", {}, text),
      h("form", { onsubmit: submit },
        most > 1 ? h("div", { class: "field" }, h("label", { for: "dialog-count" }, t("takeBackCount")), count) : null,
        h("div", { class: "chips" }, choices),
        h("div", { class: "field" }, h("label", { for: "dialog-answer" }, t("reason")), input),
        h("div", { class: "buttons" }, h("button", { class: "button secondary", type: "button", onclick: () => dialog.close() }, t("cancel")),
          h("button", { class: "button", type: "submit" }, t("takeBack")))),
    ]);
    (most > 1 ? count : input).focus();
    dialog.addEventListener("close", () => resolve(answer));
  });
}
