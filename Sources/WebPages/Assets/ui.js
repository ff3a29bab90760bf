// The building blocks of pages: elements, messages, dialogs, and the states of every page (loading, empty, no connection, refused). Text
// that people wrote is inserted as text nodes and never parsed as HTML.

import { account, ApiError, load, onAccountChange, wasSignedIn } from "./api.js";
import { has, language, listed, t } from "./words.js";

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * An element: `h("button", { class: "primary", onclick: save }, t("save"))`.
 * @param {string} tag
 * @param {Record<string, any>} [attributes] functions become listeners, `true` an empty attribute; null and false are left out.
 * @param {...(Child | Child[])} children
 * @returns {any}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter(isShown).map((child) => (child instanceof Node ? child : String(child))));
  return element;
}

/** @param {Child} child @returns {child is Node | string | number} */
function isShown(child) {
  return child !== null && child !== undefined && child !== false;
}

/** @param {string} name */
export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `asset:icons.svg#${name}`);
  svg.append(use);
  return svg;
}

/**
 * Text that a person wrote. It keeps its own direction and does not affect the direction of the text around it.
 * @param {string | null | undefined} text
 * @param {string} [fallback]
 */
export function written(text, fallback = "") {
  return h("bdi", { class: "written" }, text || fallback);
}

/**
 * The sentence that names the shops, other than `shop`, at which a campaign is valid; empty if there are no other shops.
 * @param {any} campaign
 * @param {string} shop
 */
export function sayShared(campaign, shop) {
  const others = [campaign.shop, ...(campaign.shops ?? [])].filter((each) => each.id !== shop);
  return others.length ? t("alsoAt", { shops: listed(others.map((each) => each.name || t("unnamedShop"))) }) : "";
}

/**
 * The end of a card's id, by which the people at a counter tell cards apart and find them. It names nobody.
 * @param {string} card
 */
export const shortOf = (card) => `…${card.slice(-6).toUpperCase()}`;

/** @param {string} id @returns {any} */
export const byId = (id) => document.getElementById(id);

/**
 * @param {Element} parent
 * @param {...(Child | Child[])} children
 */
export function fill(parent, ...children) {
  parent.replaceChildren(...children.flat().filter(isShown).map((child) => (child instanceof Node ? child : String(child))));
}

/**
 * The fields of a request for a typed phone number. The service reads the number as people in the region write it.
 * @param {unknown} typed
 * @param {string | null | undefined} region two letters of ISO 3166; empty if unknown.
 */
export const phoneFields = (typed, region) => ({ phone: String(typed ?? "").trim(), ...(region ? { region } : {}) });

/**
 * A typed number for a question whether to go on, with the country in which the service reads it.
 * @param {{phone: string, region?: string}} typed
 */
export const sayTyped = ({ phone, region }) => region && !/^[+＋]/.test(phone) ? `${phone} (${regionName(region)})` : phone;

/** @param {string} region two letters of ISO 3166. */
export const regionName = (region) => new Intl.DisplayNames([language], { type: "region" }).of(region) ?? region;

/**
 * The hint at a field for a phone number, for a shop whose own number has a region or not.
 * @param {string | null} region
 */
export const phoneHint = (region) => region ? t("phoneHintIn", { country: regionName(region) }) : t("phoneHintShop");

/**
 * A phone number in E.164 form with its calling code set apart, so that staff see of which country it is, and with its other digits in
 * groups.
 * @param {string} phone
 * @param {string} codes all calling codes, none of which begins with another
 */
export function spaced(phone, codes) {
  const code = codes.split(" ").find((each) => phone.startsWith("+" + each));
  if (!code) return phone;
  const rest = phone.slice(1 + code.length);
  const gaps = rest.length === 8 || rest.length === 11 ? /\B(?=(\d{4}){1,2}$)/g : /\B(?=(\d{3})*\d{4}$)/g;
  return `+${code} ${rest.replace(gaps, " ")}`;
}

// MARK: Refusals in words

/**
 * The text for an error: the page's own sentence for the error's code if there is one, otherwise the common sentence of all pages or the
 * service's sentence. Any error other than an `ApiError` is a defect of the page, and all defects have the same text.
 * @param {unknown} error
 * @param {(code: string) => string} [own] returns the page's sentence for a code; empty if there is none. The code is passed to it with a
 *   capital as its first letter.
 */
export function sayProblem(error, own) {
  if (!(error instanceof ApiError)) {
    console.error(error);
    return t("problemDefect");
  }
  const text = sayRefusal(error, own);
  return error.settlesDoubt ? `${text} ${t("nothingDone")}` : text;
}

/**
 * @param {ApiError} error
 * @param {(code: string) => string} [own]
 */
function sayRefusal(error, own) {
  const code = error.code.charAt(0).toUpperCase() + error.code.slice(1);
  const said = own?.(code);
  if (said) return said;
  if (error.code === "lost") return t("problemLost");
  if (error.code === "rateLimited" && error.retryAfter > 0) return t("problemWait", { count: Math.ceil(error.retryAfter / 60) });
  if (error.code === "signedOut") return t("problemSignedOut");
  const fields = error.errors.map((each) => each.detail).join(" ");
  if (fields) return fields;
  // A sentence of the pages is preferred, because the service's own sentence in `detail` is meant for programs.
  return has(`problem${code}`) ? t(`problem${code}`) : error.detail || t("problemDefect");
}

/**
 * The address of the sign-in page.
 * @param {string} [back] the address to which the reader returns from there; by default this page.
 * @param {boolean} [isOver] whether somebody was signed in here and the session has ended. The sign-in page then explains possible reasons.
 */
export function signInAddress(back = location.pathname + location.search + location.hash, isOver = false) {
  return `/sign-in?${isOver ? "over=1&" : ""}next=${encodeURIComponent(back)}`;
}

/**
 * Opens the sign-in page if the error says that nobody is signed in.
 * @param {unknown} error
 * @returns {boolean} whether the sign-in page opens; the caller then must not show the error.
 */
export function leaveIfSignedOut(error) {
  if (!(error instanceof ApiError) || error.code !== "signedOut") return false;
  keepDrafts();
  location.replace(signInAddress(undefined, wasSignedIn()));
  return true;
}

// MARK: States

/**
 * @param {Element} place
 * @param {string} [text]
 */
export function showLoading(place, text = t("loading")) {
  fill(place, h("p", { class: "unseen", role: "status" }, text), h("div", { class: "skeleton waiting", "aria-hidden": "true" }));
}

/**
 * Shows an error in place of the content, with a way to continue. Opens the sign-in page if the error says that nobody is signed in.
 * @param {Element} place
 * @param {unknown} error
 * @param {() => void} again
 * @param {(code: string) => string} [own] as for `sayProblem`.
 */
export function showProblem(place, error, again, own) {
  if (leaveIfSignedOut(error)) return;
  const isMissing = error instanceof ApiError && error.code === "notFound";
  fill(
    place,
    h(
      "div", { class: "empty", role: "alert" }, icon(error instanceof ApiError && error.isLost ? "offline" : "alert"),
      h("p", {}, sayProblem(error, own)),
      isMissing ? h("a", { class: "button", href: "/wallet" }, t("toWallet")) : h("button", { class: "button", type: "button", onclick: again }, t("tryAgain")),
    ),
  );
}

/**
 * @param {string} iconName
 * @param {string} title
 * @param {string} text
 * @param {...Child} actions
 */
export function emptyState(iconName, title, text, ...actions) {
  return h("div", { class: "empty" }, icon(iconName), h("h2", {}, title), h("p", {}, text), ...actions);
}

/** Moves the focus to the heading after the page was drawn again, because the button that had the focus no longer exists. */
export function focusHeading() {
  const heading = /** @type {HTMLElement} */ (document.querySelector("main h1"));
  heading.tabIndex = -1;
  heading.focus();
}

// MARK: Toasts

/** The icons of messages by their kinds. */
const SIGNS = { good: "check", bad: "alert", info: "info" };
/** The maximum duration, in seconds, of a message that a newer message replaces. A message with a longer duration is not replaced. */
const BRIEF = 10;
/** @type {HTMLElement | undefined} */
let toasts;

/**
 * Shows a short message at the lower edge of the page for some seconds. Screen readers read it out. A newer message replaces it, because
 * the two could contradict each other. A message with an action, or with more than `BRIEF` seconds, is not replaced.
 * @param {string} text
 * @param {{action?: string, onAction?: () => void, seconds?: number, kind?: "good" | "bad" | "info"}} [options] the kind `info` is for an
 *   action whose success the page cannot know.
 * @returns {() => void} removes the message.
 */
export function toast(text, options = {}) {
  if (!toasts?.isConnected) {
    toasts = h("div", { class: "toasts", role: "status", "aria-live": "polite" });
    document.body.append(/** @type {HTMLElement} */ (toasts));
  }
  const remove = () => item.remove();
  clearToasts();
  const isBrief = !options.action && (options.seconds ?? 6) <= BRIEF;
  const item = h("div", { class: isBrief ? "toast brief" : "toast" }, icon(SIGNS[options.kind ?? "good"]), h("span", {}, text));
  if (options.action) {
    const act = () => {
      remove();
      options.onAction?.();
    };
    item.append(h("button", { type: "button", onclick: act }, options.action));
  }
  toasts?.append(item);
  setTimeout(remove, (options.seconds ?? 6) * 1_000);
  return remove;
}

/**
 * Removes the messages that a newer message would replace. Called before a new message is shown, and when stamps are about to be given,
 * because a new message follows.
 */
export function clearToasts() {
  for (const each of toasts?.querySelectorAll(".toast.brief") ?? []) each.remove();
}

// MARK: Dialogs

/**
 * A modal dialog. The browser keeps the focus inside, closes it with Escape, and gives the focus back.
 * @param {string} title
 * @param {Child[]} content
 * @param {string} [kind] a CSS class of the dialog.
 * @returns {HTMLDialogElement}
 */
export function openDialog(title, content, kind = "") {
  const heading = h("h2", { id: `dialog-${Math.random().toString(36).slice(2)}` }, title);
  const dialog = h("dialog", { class: kind || null, "aria-labelledby": heading.id }, heading, ...content);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/**
 * A white screen over the whole page, for codes that another person's camera reads.
 * @param {string} label
 * @param {() => void} closed called once when the screen is closed, in any way.
 * @param {string} [kind] further classes of the screen, behind a space.
 * @returns {{content: HTMLElement, news: HTMLElement, close: () => void}}
 */
export function openScreen(label, closed, kind = "") {
  const close = () => dialog.close();
  const content = h("div", { class: "screen" });
  const news = h("div", { class: "screen", role: "status" });
  const dialog = h("dialog", { class: `whole bright${kind}`, "aria-label": label },
    h("div", { class: "screen-bar" }, h("button", { class: "button secondary", type: "button", onclick: close }, icon("close"), t("close"))), content, news);
  dialog.addEventListener("close", () => {
    dialog.remove();
    closed();
  });
  document.body.append(dialog);
  dialog.showModal();
  return { content, news, close };
}

/**
 * Asks before an action that cannot easily be undone.
 * @param {{title: string, text: string | Child[], yes: string, no?: string, isDanger?: boolean}} question
 * @returns {Promise<boolean>}
 */
export function confirm({ title, text, yes, no = t("cancel"), isDanger = false }) {
  return new Promise((resolve) => {
    let answer = false;
    const finish = () => {
      answer = true;
      dialog.close();
    };
    const dialog = openDialog(title, [
      ...(typeof text === "string" ? [h("p", {}, text)] : text),
      h(
        "div", { class: "buttons" }, h("button", { class: "button secondary", type: "button", onclick: () => dialog.close() }, no),
        h("button", { class: `button${isDanger ? " danger" : ""}`, type: "button", onclick: finish }, yes),
      ),
    ]);
    dialog.addEventListener("close", () => resolve(answer));
  });
}

/**
 * Asks for a line of text, such as a reason.
 * @param {{title: string, text: string, label: string, yes: string, suggestions?: string[], max?: number, value?: string, mayBeEmpty?: boolean}} question
 * @returns {Promise<string | null>} null if it was cancelled.
 */
export function ask({ title, text, label, yes, suggestions = [], max = 200, value = "", mayBeEmpty = false }) {
  return new Promise((resolve) => {
    /** @type {string | null} */
    let answer = null;
    const input = h("input", { id: "dialog-answer", required: !mayBeEmpty, maxlength: max, autocomplete: "off", enterkeyhint: "done", value });
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      answer = input.value.trim();
      if (answer || mayBeEmpty) dialog.close();
      else input.focus();
    };
    const choices = suggestions.map((each) =>
      h("button", { class: "chip", type: "button", onclick: () => { input.value = each; input.focus(); } }, each));
    const dialog = openDialog(title, [
      h("p", {}, text),
      h(
        "form", { onsubmit: submit }, choices.length ? h("div", { class: "chips" }, choices) : null,
        h("div", { class: "field" }, h("label", { for: "dialog-answer" }, label), input),
        h("div", { class: "buttons" }, h("button", { class: "button secondary", type: "button", onclick: () => dialog.close() }, t("cancel")),
          h("button", { class: "button", type: "submit" }, yes)),
      ),
    ]);
    input.focus();
    dialog.addEventListener("close", () => resolve(answer));
  });
}

// MARK: Buttons

/**
 * A button that does one thing at a time: a tap while the action still runs does nothing.
 * @param {string} text
 * @param {() => Promise<unknown>} action
 * @param {Record<string, any>} [attributes]
 * @returns {HTMLButtonElement}
 */
export function actionButton(text, action, attributes = {}) {
  const button = h("button", { class: "button", type: "button", ...attributes }, text);
  button.addEventListener("click", () => busy(button, action));
  return button;
}

/** Milliseconds after which a button says that its action still waits. */
const SLOW = 1_500;

/**
 * @param {HTMLButtonElement} button
 * @param {() => Promise<unknown>} action
 */
export async function busy(button, action) {
  if (button.getAttribute("aria-busy") === "true") return;
  button.setAttribute("aria-busy", "true");
  button.setAttribute("aria-disabled", "true");
  const note = h("p", { class: "why", role: "status" });
  const timer = setTimeout(() => {
    // While a dialog asks, the reader is waited for.
    if (document.querySelector("dialog[open]") !== button.closest("dialog")) return;
    button.after(note);
    note.textContent = t("stillWaiting");
  }, SLOW);
  try {
    await action();
  } finally {
    clearTimeout(timer);
    note.remove();
    button.removeAttribute("aria-busy");
    button.removeAttribute("aria-disabled");
  }
}

/**
 * Opens another page. The promise never ends, so that a button which waits for it stays busy until this page is gone. Otherwise a second
 * tap could send a form again that the service has accepted already, because the next page may take seconds on a slow connection.
 * @param {string} address
 * @returns {Promise<never>}
 */
export function leaveTo(address) {
  location.assign(address);
  return new Promise(() => {});
}

/**
 * Sends a form with `send` when the reader submits it, but not again before the answer. An error is shown in the form, read out, scrolled
 * into view and focused; in a form with one field, that field is focused, so that typing or a hand-held scanner goes on there.
 * @param {HTMLFormElement} form
 * @param {(data: FormData) => Promise<unknown>} send
 * @param {(code: string) => string} [own] as for `sayProblem`.
 */
export function onSubmit(form, send, own) {
  const message = h("p", { class: "error", role: "alert", tabindex: "-1", hidden: true });
  form.prepend(message);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = /** @type {HTMLButtonElement} */ (form.querySelector("[type=submit]"));
    await busy(button, async () => {
      message.hidden = true;
      const before = document.activeElement;
      try {
        await send(new FormData(form));
      } catch (error) {
        if (leaveIfSignedOut(error)) return;
        message.textContent = sayProblem(error, own);
        message.hidden = false;
        // The refusal may have led to what must be done first, such as the choice of a campaign.
        if (![before, document.body].includes(document.activeElement)) return;
        message.scrollIntoView({ block: "nearest" });
        const fields = form.querySelectorAll("input:not([type=hidden]), select, textarea");
        /** @type {HTMLElement} */ (fields.length === 1 ? fields[0] : message).focus({ preventScroll: true });
      }
    });
  });
}

/**
 * Adds the tab of the counter, and a link to the shops before the tabs, if the reader is known to work at a shop. An open offer adds only
 * the link. The page of the shops
 * calls this function again when it has learned whether its reader works at a shop.
 */
export function showWork() {
  const tabs = document.querySelector(".tabs");
  const isKnown = load("works");
  if (!tabs || !(isKnown || load("offers"))) return;
  const isAtShops = /^\/shops?(\/|$)/.test(location.pathname);
  if (!document.querySelector(".bar [href='/shops']")) tabs.before(h("a", { class: "quiet at-end", href: "/shops", "aria-current": isAtShops ? "page" : null }, icon("shop"), t("shopsTitle")));
  if (!isKnown || tabs.querySelector("[href='/counter']")) return;
  const isHere = location.pathname.startsWith("/counter");
  tabs.append(h("a", { href: "/counter", "aria-current": isHere ? "page" : null }, icon("counter"), h("span", {}, t("tabCounter"))));
}
showWork();

// MARK: Typed text when the page is left on purpose

/** @type {Set<() => void>} */
const keepers = new Set();
let isKept = false;

/**
 * Calls a function that stores a form's content when the page is left for another language or for the sign-in.
 * @param {() => void} callback
 */
export const onLeaveKept = (callback) => { keepers.add(callback); };

function keepDrafts() {
  for (const each of keepers) each();
  isKept = keepers.size > 0;
}

const TYPED = "greentea.typed";
/** Milliseconds for which a page that comes in another language waits for its fields. */
const FIELDS_MAX = 20_000;

/** @returns {any[]} the fields outside of forms that keep their content themselves, and not of secrets. */
const plainFields = () => [...document.querySelectorAll("main :is(input, textarea, select)[id]")].filter((each) =>
  !each.matches("[type=password], [type=file], [autocomplete=one-time-code]") && !each.closest("[data-draft]"));

/** @param {any} field */
const isTyped = (field) => field.type === "checkbox" || field.type === "radio" ? field.checked !== field.defaultChecked
  : field.value !== (field.defaultValue ?? [...field.options].find((each) => each.defaultSelected)?.value ?? field.options[0]?.value);

/** Stores what was typed, for the same page in another language and the same person. */
function keepTyped() {
  keepDrafts();
  const values = plainFields().filter(isTyped).map((each) => [each.id, each.checked ?? null, each.value]);
  try {
    sessionStorage.setItem(TYPED, JSON.stringify({ by: account()?.id ?? null, page: location.pathname + location.search, values }));
  } catch {
    // Without storage, the page comes as it is.
  }
}

/** Fills in again what was typed before another language was chosen, also in fields that a script adds later. */
function fillTyped() {
  let kept = null;
  try {
    kept = JSON.parse(sessionStorage.getItem(TYPED) ?? "null");
    sessionStorage.removeItem(TYPED);
  } catch {
    // As above.
  }
  if (kept?.page !== location.pathname + location.search || kept.by !== (account()?.id ?? null)) return;
  let left = kept.values;
  const look = () => {
    left = left.filter((/** @type {[string, boolean | null, string]} */ [id, checked, value]) => {
      const field = plainFields().find((each) => each.id === id);
      if (!field || (field.options && ![...field.options].some((each) => each.value === value))) return true;
      if (checked !== null) field.checked = checked;
      if (field.type !== "checkbox" && field.type !== "radio") field.value = value;
      for (const name of ["input", "change"]) field.dispatchEvent(new Event(name, { bubbles: true }));
      return false;
    });
    if (left.length === 0) watcher.disconnect();
  };
  const watcher = new MutationObserver(look);
  watcher.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => watcher.disconnect(), FIELDS_MAX);
  look();
}
document.querySelector(".foot form")?.addEventListener("submit", keepTyped);
// The page's own script comes first, with what it does when something is typed.
setTimeout(fillTyped);

// MARK: Another person

/** Whether this page is left because another tab has changed the account. */
let isOthers = false;

/** Called when another tab has signed out, or has signed in as another person. */
let accountChanged = () => {
  isOthers = true;
  location.reload();
};

// A form with changes would ask whether to leave, and the page would stay until somebody answers. Its text is of the person before, or was
// kept. This listener is added before those of forms, so it is called before them.
addEventListener("beforeunload", (event) => {
  if (isOthers || isKept) event.stopImmediatePropagation();
});

/**
 * Replaces what this page does when another tab has signed out, or has signed in as another person. Otherwise the page is loaded again: it
 * may show data of the person before, and it would send what that person has typed in the name of the next one.
 * @param {() => void} callback
 */
export function whenAccountChanges(callback) {
  accountChanged = callback;
}

if (account()) onAccountChange(() => accountChanged());

/** Stops showing what belongs to the person whose session has ended, as if another tab had ended it. */
export const leaveAccount = () => accountChanged();

/** A page that the browser's "back" restores from memory may show data of a person who has signed out since. So it is loaded again. */
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

// MARK: The looks of a shop

/** @typedef {{color?: string, logo?: string}} Look what a shop chose; nothing is absent. */

/**
 * The classes by which an element shows a shop's color, behind a space; empty without a color.
 * @param {Look | null | undefined} look
 */
export const tint = (look) => look?.color ? ` tinted tint-${look.color}` : "";

/**
 * A shop's logo, which adds nothing to the shop's name beside it; null without one. A logo that was taken down leaves no gap.
 * @param {Look | null | undefined} look
 */
export function logo(look) {
  if (!look?.logo) return null;
  const image = h("img", { class: "logo", alt: "", width: 48, height: 48 });
  image.addEventListener("error", () => image.remove(), { once: true });
  image.src = `/v1/images/${look.logo}?width=160`;
  return image;
}
