// The frame around a page of one shop: the shop's name, the reader's role, links to the pages that this role may open, and the reason if
// the shop cannot be changed.

import { chooseShop, get, getVersion } from "./api.js";
import { day, has, t } from "./words.js";
import { byId, emptyState, fill, focusHeading, h, icon, showLoading, showProblem, written } from "./ui.js";

export const shopID = location.pathname.split("/")[2];
const place = byId("shop-page");
const ROLES = ["counter", "manager", "owner"];
/** @type {{path: string, word: string, role: string}[]} */
const PLACES = [
  { path: "", word: t("digestTitle"), role: "manager" }, { path: "/campaigns", word: t("campaignsTitle"), role: "counter" }, { path: "/activity", word: t("activityTitle"), role: "counter" },
  { path: "/customers", word: t("customersTitle"), role: "manager" }, { path: "/edit", word: t("shopEditTitle"), role: "owner" },
  { path: "/numbers", word: t("numbersTitle"), role: "manager" }, { path: "/staff", word: t("staffTitle"), role: "manager" },
  { path: "/papers", word: t("papersTitle"), role: "manager" }, { path: "/messages", word: t("placeMessages"), role: "manager" },
  { path: "/closing", word: t("placeClosing"), role: "owner" },
];

/** @param {string} code the refusal's code. */
export const own = (code) => has(`shopProblem${code}`) ? t(`shopProblem${code}`) : "";
/** @param {string} role */
export const roleName = (role) => t(`roleName${role.charAt(0).toUpperCase() + role.slice(1)}`);
/**
 * The name of a customer at this shop; the whole handle is only where it is copied.
 * @param {{handle: string, nickname: string | null}} who
 */
export const nameOf = (who) => who.nickname || t("personNamed", { handle: who.handle.slice(0, 4) });
/** @param {string} role @param {string} needed */
export const reaches = (role, needed) => ROLES.indexOf(role) >= ROLES.indexOf(needed);

/**
 * @typedef {object} Visit
 * @property {any} shop
 * @property {import("./api.js").Answer} found the shop with its version.
 * @property {string} role
 * @property {any[]} mine the shops at which the reader works, each with the reader's role.
 * @property {string} why the reason why the shop cannot be changed, such as its closing; empty if it can be changed.
 * @property {HTMLElement} content
 */

/**
 * Draws the page if the reader's role may open it. Otherwise, a message says which role may.
 * @param {"counter" | "manager" | "owner"} needed
 * @param {(visit: Visit) => unknown} draw fills in the content. It returns `false` if the content is outdated and must not be shown.
 * @param {boolean} [isQuiet] whether a timer and not the reader caused the call: then a failure is not shown, and the focus is not moved.
 */
export async function enter(needed, draw, isQuiet = false) {
  // If the page is drawn again after an action, its old content stays until the new one is complete.
  const isFirst = place.children.length === 0;
  if (isFirst) showLoading(place);
  try {
    const [mine, found] = await Promise.all([get("/v1/me/shops"), getVersion(`/v1/shops/${shopID}`)]);
    const shop = found.body;
    const role = mine.items.find((/** @type {any} */ each) => each.id === shopID)?.role;
    if (!role) return fill(place, emptyState("shop", t("notMyShopTitle"), t("notMyShopText"), toShops()));
    chooseShop(shopID);
    const content = h("div");
    const why = shop.closedAt ? t("whyClosed") : shop.suspended ? t("whySuspended") : "";
    const visit = { shop, found, role, mine: mine.items, why, content };
    if (!reaches(role, needed)) fill(content, emptyState("shield", t("roleTooLowTitle"), needed === "owner" ? t("onlyOwner") : t("onlyManager")));
    else if (await draw(visit) === false) return;
    fill(place, ...head(shop, role), content);
    showCurrent();
    if (!isFirst && !isQuiet) focusHeading();
  } catch (error) {
    if (isQuiet) return;
    showProblem(place, error, () => enter(needed, draw), own);
  }
}

const toShops = () => h("p", { class: "buttons centered" }, h("a", { class: "button", href: "/shops" }, t("shopsTitle")));

/**
 * @param {any} shop
 * @param {string} role
 */
function head(shop, role) {
  const here = location.pathname.slice(`/shop/${shopID}`.length);
  // On the page of one campaign, the navigation marks the list of campaigns, because it has no entry for a single campaign.
  const over = here === "/campaign" ? "/campaigns" : null;
  const places = PLACES.filter((each) => reaches(role, each.role));
  return [
    h("p", { class: "muted" }, written(shop.name, t("unnamedShop")), " ", h("span", { class: "badge" }, roleName(role))),
    places.length > 1 ? h("nav", { class: "segments places", "aria-label": t("shopPlaces") }, places.map((each) =>
      h("a", { href: `/shop/${shopID}${each.path}`, "aria-current": each.path === here ? "page" : each.path === over ? "true" : null }, each.word))) : null,
    shop.closedAt ? note(t("shopIsClosed", { day: day(shop.closedAt), until: day(shop.redeemUntil) })) : shop.suspended ? note(t("shopProblemSuspended")) : null,
  ];
}

/** Scrolls the row of places sideways to the current one. */
function showCurrent() {
  const [row, current] = [place.querySelector(".places"), place.querySelector(".places > [aria-current]")];
  if (row && current) row.scrollLeft = current.offsetLeft - (row.clientWidth - current.offsetWidth) / 2;
}

/** @param {string} text */
const note = (text) => h("p", { class: "note warn" }, icon("alert"), h("span", {}, text));

/**
 * Disables a button, and shows the reason beside it.
 * @param {HTMLButtonElement} button
 * @param {string} why empty for a button that works.
 */
export function withReason(button, why) {
  if (!why) return [button];
  const reason = h("p", { class: "why", id: `why-${Math.random().toString(36).slice(2)}` }, why);
  button.disabled = true;
  button.setAttribute("aria-describedby", reason.id);
  return [button, reason];
}
