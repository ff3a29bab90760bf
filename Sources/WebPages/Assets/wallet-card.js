// The page of one card: its stamps, its rewards, the shops at which it is valid, its history with receipts for the stamps, and a button
// that discards it.

import { account, get, load, send, withSession, write } from "./api.js";
import { campaignOf, otherShops, shopName, shopOf, waitingMilestones, withNames } from "./card.js";
import { onLive, onStale } from "./live.js";
import { has, moment, t } from "./words.js";
import { actionButton, byId, confirm, fill, h, icon, leaveIfSignedOut, sayProblem, shortOf, showLoading, showProblem, toast, written } from "./ui.js";

const id = location.pathname.split("/")[2];
const place = byId("card");
/** @type {any} */
let element = null;

/** The number of reads that were begun. Only the answer to the last one is drawn, because an earlier answer may come later. */
let reads = 0;

async function refresh() {
  reads += 1;
  const read = reads;
  try {
    const [card] = await withNames([await get(`/v1/cards/${id}`)]);
    if (read === reads) draw(card);
  } catch (error) {
    if (read !== reads) return;
    const kept = load("wallet")?.cards.find((/** @type {any} */ each) => each.id === id);
    if (!kept || leaveIfSignedOut(error)) return showProblem(place, error, start);
    draw(kept, error);
  }
}

/** Whether the card is being read because of an event, and whether the answer may lack a later event. */
let [isFollowing, isBehind] = [false, false];

/**
 * Reads the card after an event. The read does not wait for an earlier one, which may hang. All events that arrive during the read lead to
 * one further read together.
 */
async function follow() {
  isBehind = true;
  if (isFollowing) return;
  isFollowing = true;
  while (isBehind) {
    isBehind = false;
    await refresh();
  }
  isFollowing = false;
}

/**
 * The milestones of a card, with a button for each reward that can be redeemed now.
 * @param {import("./card.js").Card} card
 */
function milestonesOf(card) {
  if (!card.milestones?.length) return null;
  const waiting = waitingMilestones(card);
  return h("section", {}, h("h2", {}, t("milestonesTitle")),
    h("ol", { class: "list" }, card.milestones.map((each) => h("li", { "data-milestone": each.at }, h("div", { class: "row" },
      h("div", { class: "grow" }, h("span", { class: "title" }, written(each.reward)), h("span", { class: "meta" }, sayMilestone(each))),
      waiting.includes(each) ? h("a", {
        class: "button secondary", href: `/wallet/${card.id}/redeem?milestone=${each.at}`,
        "aria-label": t("milestoneGetReward", { reward: each.reward }),
      }, icon("gift"), t("milestoneGet")) : null)))));
}

/** @param {import("./card.js").Milestone} milestone */
function sayMilestone(milestone) {
  if (milestone.status === "redeemed" && milestone.redeemedAt) return t("milestoneRedeemedAt", { time: moment(milestone.redeemedAt) });
  return t("milestoneAt", { count: milestone.at });
}

/**
 * @param {import("./card.js").Card} card
 * @param {unknown} [error] the error because of which there is no history.
 */
function draw(card, error) {
  if (!element) element = h("stamp-card");
  fill(
    place, element,
    card.status === "full" ? h("p", { class: "buttons" }, h("a", { class: "button wide large", href: `/wallet/${card.id}/redeem` }, icon("gift"), t("redeem"))) : null,
    milestonesOf(card),
    h("p", { class: "buttons" }, h("a", { class: "button secondary", href: `/s/${shopOf(card)}` }, icon("shop"), t("toShop")),
      h("a", { class: "button secondary", href: `/c/${campaignOf(card)}` }, icon("ticket"), t("toCampaign"))),
    wherever(card),
    h("h2", {}, t("history")), h("p", { class: "hint" }, t("cardAtCounter", { card: shortOf(card.id) })),
    error ? h("p", { class: "error", role: "status" }, icon("offline"), sayProblem(error)) : history(card),
    ["collecting", "full"].includes(card.status) && !error ? discarding(card) : null,
  );
  element.card = card;
}

/**
 * The section with all shops at which the card can be stamped and redeemed; null for a card of one shop only.
 * @param {import("./card.js").Card} card
 */
function wherever(card) {
  const others = otherShops(card);
  if (others.length === 0) return null;
  const all = [{ id: shopOf(card), name: shopName(card) }, ...others];
  return h("section", { id: "card-shops" }, h("h2", {}, t("cardShopsTitle")), h("p", { class: "hint" }, t("cardShopsText")),
    h("ul", { class: "list" }, all.map(({ id, name }) => h("li", {}, h("a", { class: "row", href: `/s/${id}` },
      h("span", { class: "grow" }, h("span", { class: "title" }, written(name, t("unnamedShop")))), icon("next"))))));
}

/** @param {import("./card.js").Card} card */
function history(card) {
  const entries = [...(card.history ?? [])].reverse();
  return h("ol", { class: "list" }, entries.map((entry) => h("li", {}, h("div", { class: "row" },
    h("div", { class: "grow" }, h("span", { class: "title" }, sayEntry(entry), entry.reversedAt ? [" ", h("span", { class: "badge warn" }, t("isTakenBack"))] : null), h("span", { class: "meta" }, moment(entry.at)),
      entry.reason ? h("span", { class: "meta" }, `${t("reason")}: `, written(entry.reason)) : null),
    entry.kind === "stamped" ? actionButton(t("receipt"), () => offerReceipt(entry), {
      class: "quiet", "aria-label": t("receiptOf", { time: moment(entry.at) }),
    }) : null))));
}

/** @param {{kind: string, stamps: number}} entry */
function sayEntry(entry) {
  const kind = `${entry.kind.charAt(0).toUpperCase()}${entry.kind.slice(1)}`;
  return has(`entry${kind}`) ? t(`entry${kind}`, { count: Math.abs(entry.stamps) }) : t("somethingElse");
}

/** @param {{at: string, position: number}} entry */
async function offerReceipt({ at, position }) {
  if (await confirm({ title: t("receiptTitle"), text: t("receiptText", { time: moment(at) }), yes: t("receiptSave") })) await receipt(position);
}

/** Removes the message about the receipt that was saved last. */
let removeReceiptSaved = () => {};

/**
 * Downloads a stamp's receipt, with which anybody can check that the log contains the stamp.
 * @param {number} position
 */
async function receipt(position) {
  try {
    const { body } = await withSession(() => send("GET", `/v1/stamps/${position}/receipt`, { asText: true }));
    const address = URL.createObjectURL(new Blob([body], { type: "text/plain" }));
    h("a", { href: address, download: `stamp-${position}.tlog-proof` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
    removeReceiptSaved();
    removeReceiptSaved = toast(t("receiptSaved"), { action: t("howToCheck"), onAction: () => location.assign("/proof"), seconds: 12 });
  } catch (error) {
    if (!leaveIfSignedOut(error)) toast(sayProblem(error), { kind: "bad" });
  }
}

/** @param {import("./card.js").Card} card */
function discarding(card) {
  return h("p", { class: "buttons" }, actionButton(t("discardCard"), async () => {
    const isSure = await confirm({
      title: t("discardTitle"), text: t("discardText", { count: card.stamps }), yes: t("discardCard"), no: t("keepCard"), isDanger: true,
    });
    if (!isSure) return;
    try {
      await write(`discard ${id}`, "DELETE", `/v1/cards/${id}`);
      location.replace("/wallet");
    } catch (error) {
      if (!leaveIfSignedOut(error)) toast(sayProblem(error), { kind: "bad" });
    }
  }, { class: "quiet danger" }));
}

function start() {
  showLoading(place);
  refresh();
}

if (account()) {
  onLive((event) => {
    if (event.name === "card" && event.data.card.id === id) follow();
  });
  onStale(refresh);
}
start();
