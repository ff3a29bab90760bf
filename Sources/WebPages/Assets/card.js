// A card with its stamps. Stamps that were added since the card was last drawn appear with an animation. A card that becomes full is
// celebrated once.

import { get, load, save } from "./api.js";
import { h, icon, logo, tint, written } from "./ui.js";
import { day, listed, t } from "./words.js";

/**
 * @typedef {object} Card a card as the service sends it. `campaign` and `shop` are objects in lists, and ids in other answers.
 * @property {string} id
 * @property {string | {id: string, title: string, reward?: string, endsAt?: string}} campaign
 * @property {string | {id: string, name: string, image?: string | null, color?: string, logo?: string}} shop
 * @property {"collecting" | "full" | "redeemed" | "discarded" | "expired"} status
 * @property {number} stamps
 * @property {number} goal
 * @property {string} reward
 * @property {string} openedAt
 * @property {string} [expiresAt]
 * @property {string} [redeemUntil]
 * @property {{at: string, kind: string, stamps: number, position: number, reason?: string, milestone?: number, reversedAt?: string}[]} [history]
 * @property {Milestone[]} [milestones]
 * @property {string[]} [shops] the other shops at which the card is stamped and redeemed.
 * @property {{shop?: string, title?: string, look?: import("./ui.js").Look, others?: Named[]}} [names] added by `withNames`.
 */

/** @typedef {{id: string, name: string}} Named a shop. */

/**
 * @typedef {object} Milestone a smaller reward that can be redeemed before the card is full.
 * @property {number} at
 * @property {string} reward
 * @property {"ahead" | "reached" | "requested" | "redeemed"} [status] only for a milestone of a card.
 * @property {string} [redeemedAt]
 */

/** @param {Card} card */
export const campaignOf = (card) => (typeof card.campaign === "string" ? card.campaign : card.campaign.id);
/** @param {Card} card */
export const shopOf = (card) => (typeof card.shop === "string" ? card.shop : card.shop.id);
/** @param {Card} card */
export const shopName = (card) => (typeof card.shop === "object" ? card.shop.name : card.names?.shop) ?? "";
/** @param {Card} card @returns {import("./ui.js").Look | undefined} */
export const lookOf = (card) => (typeof card.shop === "object" ? card.shop : card.names?.look);
/** @param {Card} card */
export const campaignTitle = (card) => (typeof card.campaign === "object" ? card.campaign.title : card.names?.title) ?? "";

/**
 * The other shops at which the card is stamped and redeemed, as far as their names are known.
 * @param {Card} card
 * @returns {Named[]}
 */
export const otherShops = (card) => card.names?.others ?? [];

/**
 * The line that names the other shops at which the card is valid. Empty if there are none, or if the card can no longer be used.
 * @param {Card} card
 */
function sayShops(card) {
  const others = ["collecting", "full"].includes(card.status) ? otherShops(card) : [];
  if (others.length === 0) return [];
  return [h("span", { class: "muted also-at" }, t("alsoAt", { shops: listed(others.map((each) => each.name || t("unnamedShop"))) }))];
}

/**
 * The sentence that tells how many stamps are missing, or that the card is full, redeemed, discarded or expired.
 * @param {Card} card
 */
export function sayProgress(card) {
  switch (card.status) {
    case "full": return card.goal === 0 ? t("couponReady") : t("cardFull");
    case "redeemed": return t("cardRedeemed");
    case "discarded": return t("cardDiscarded");
    case "expired": return t("cardExpired");
    default: return t("cardToGo", { count: card.goal - card.stamps });
  }
}

/**
 * The sentences about the last day of a card's validity and of its reward; empty for a card that can no longer be used.
 * @param {Card} card
 */
function sayEnds(card) {
  if (!["collecting", "full"].includes(card.status)) return [];
  const sentences = [card.expiresAt ? t("cardGoodUntil", { day: day(card.expiresAt) }) : "", card.redeemUntil ? t("cardRedeemUntil", { day: day(card.redeemUntil) }) : ""];
  return sentences.filter(Boolean).map((each) => h("span", { class: "muted ends" }, each));
}

/**
 * The smaller rewards that can be redeemed now, in the order of their numbers of stamps.
 * @param {Card} card
 */
export function waitingMilestones(card) {
  const isHeld = card.status === "collecting" || card.status === "full";
  return isHeld ? (card.milestones ?? []).filter((each) => each.status === "reached" || each.status === "requested") : [];
}

/**
 * The sentences about the milestones that can be redeemed now. If there are none, the sentence about the next milestone. Empty for a card
 * that can no longer be used.
 * @param {Card} card
 */
function sayMilestones(card) {
  const lines = waitingMilestones(card).map(({ reward }) => [t("milestoneWaits"), reward]);
  const next = card.status === "collecting" ? card.milestones?.find(({ at }) => at > card.stamps) : null;
  if (next && lines.length === 0) lines.push([t("milestoneNext", { count: next.at }), next.reward]);
  return lines.map(([text, reward]) => h("span", { class: "muted milestone" }, `${text} `, written(reward)));
}

/** The element `<stamp-card>` shows the card that is set as `card`. If the card is set again with more stamps, these are animated. */
export class StampCard extends HTMLElement {
  /** @type {Card | null} */
  #card = null;

  /** @param {Card} card */
  set card(card) {
    const before = this.#card?.id === card.id ? this.#card : null;
    this.#card = card;
    const landed = before ? Math.max(0, card.stamps - before.stamps) : 0;
    this.#draw(card, landed);
    if (before && before.status === "collecting" && card.status === "full") this.#celebrate();
  }

  /**
   * @param {Card} card
   * @param {number} landed
   */
  #draw(card, landed) {
    const isOver = ["redeemed", "discarded", "expired"].includes(card.status);
    this.className = `card${card.status === "full" ? " full" : ""}${isOver ? " over" : ""}${tint(lookOf(card))}`;
    // A coupon has no places for stamps: it is full from the start.
    const isCoupon = card.goal === 0;
    const title = written(campaignTitle(card) || shopName(card), t("unnamedShop"));
    this.replaceChildren(
      h("header", {}, logo(lookOf(card)),
        h("div", {},
          h("h2", {}, this.hasAttribute("linked") ? h("a", { class: "cover", href: `/wallet/${card.id}` }, title) : title),
          h("p", { class: "shop" }, written(shopName(card)))),
        !isCoupon && h("span", { class: "count", "aria-hidden": "true" }, `${card.stamps}/${card.goal}`)),
      ...(isCoupon ? [h("p", { class: "coupon" }, icon("gift"), written(card.reward))] : [
        h("p", { class: "unseen" }, t("stampsOf", { stamps: card.stamps, goal: card.goal })), this.#stamps(card, landed),
      ]),
      h("footer", {}, h("strong", {}, sayProgress(card)),
        isCoupon ? null : h("span", { class: "muted" }, `${t("rewardLabel")} `, written(card.reward)),
        ...sayMilestones(card), ...sayEnds(card), ...sayShops(card)),
    );
  }

  /**
   * @param {Card} card
   * @param {number} landed
   */
  #stamps(card, landed) {
    const places = Array.from({ length: card.goal }, (_, index) => {
      const isOn = index < card.stamps;
      const isNew = isOn && index >= card.stamps - landed;
      // The place of a milestone whose reward was handed out looks like every other stamp.
      const isMilestone = card.milestones?.some((each) => each.at === index + 1 && each.status !== "redeemed");
      const isReward = index === card.goal - 1 || isMilestone;
      const names = [isOn && "on", isNew && "new", isReward && "reward"].filter(Boolean).join(" ");
      const place = h("li", { class: names || null }, isReward ? icon("gift") : isOn ? icon("leaf") : index + 1);
      // The style is set by the script, because the pages' policy allows no style in HTML text.
      if (isNew) place.style.animationDelay = `${(index - card.stamps + landed) * 140}ms`;
      return place;
    });
    return h("ol", { class: `stamps${card.goal > 15 ? " many" : ""}`, "aria-hidden": "true" }, places);
  }

  /** Celebrates once, if the card becomes full while it is shown. After a reload, a full card is full from the beginning. */
  #celebrate() {
    this.classList.add("celebrates");
    // A page may not vibrate before its first tap, and browsers log an attempt as an error.
    if (/** @type {any} */ (navigator).userActivation?.hasBeenActive) navigator.vibrate?.([40, 60, 40]);
    setTimeout(() => this.classList.remove("celebrates"), 2_000);
  }
}

customElements.define("stamp-card", StampCard);

// MARK: Names of shops and campaigns

// Some answers contain only ids. Each name is requested once and kept, because names rarely change.
const NAMES_MAX = 200;
/** @type {Map<string, Promise<{shop: string, title: string, look?: import("./ui.js").Look, shops?: Record<string, string>} | null>>} */
const asked = new Map();

/**
 * Fills in `names` of the cards that need them.
 * @param {Card[]} cards
 */
export async function withNames(cards) {
  await Promise.all(cards.map(async (card) => {
    const isListed = typeof card.campaign === "object" && typeof card.shop === "object";
    if (isListed) renew(card);
    if (isListed && !card.shops?.length) return;
    const { shop, title, look, shops } = (await named(campaignOf(card), card.shops)) ?? {};
    card.names = { shop, title, look, others: card.shops?.map((id) => ({ id, name: shops?.[id] ?? "" })) };
  }));
  return cards;
}

/**
 * Keeps the shop's present looks, which a list has, for the pages that know only ids.
 * @param {Card} card
 */
function renew(card) {
  const [kept, { color, logo: picture }] = [load("names") ?? {}, lookOf(card) ?? {}];
  const known = kept[campaignOf(card)];
  if (!known || (known.look?.color === color && known.look?.logo === picture)) return;
  save("names", { ...kept, [campaignOf(card)]: { ...known, look: { color, logo: picture } } });
}

/**
 * @param {string} campaign
 * @param {string[]} [shops] whose names are needed as well.
 */
function named(campaign, shops = []) {
  const kept = (load("names") ?? {})[campaign];
  // Names that an earlier version kept have no looks.
  if (kept?.look && shops.every((id) => kept.shops?.[id] !== undefined)) return kept;
  if (!asked.has(campaign)) asked.set(campaign, ask(campaign));
  return asked.get(campaign);
}

/** @param {string} campaign */
async function ask(campaign) {
  try {
    const found = await get(`/v1/campaigns/${campaign}`);
    /** @type {Named[]} */
    const others = found.shops ?? [];
    const { color, logo: picture } = found.shop;
    const names = { shop: found.shop.name ?? "", title: found.title ?? "", look: { color, logo: picture }, ...(others.length ? { shops: Object.fromEntries(others.map(({ id, name }) => [id, name ?? ""])) } : {}) };
    const kept = Object.entries(load("names") ?? {}).slice(-NAMES_MAX);
    save("names", { ...Object.fromEntries(kept), [campaign]: names });
    return names;
  } catch {
    asked.delete(campaign);
    return null;
  }
}
