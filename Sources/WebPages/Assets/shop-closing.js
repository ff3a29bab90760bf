// Transfers a shop to another owner, and closes it for good.

import { get, now, write } from "./api.js";
import { fieldForm, instant, textField } from "./fields.js";
import { enter, own, shopID, withReason } from "./shop-frame.js";
import { day, moment, t, wallClock } from "./words.js";
import { actionButton, confirm, fill, h, icon, leaveIfSignedOut, phoneFields, phoneHint, sayProblem, sayTyped, toast } from "./ui.js";

const address = `/v1/shops/${shopID}`;
const DAY = 86_400_000;
/** Days for which full cards can be redeemed by default, the same as on the server. */
const REDEEM_DAYS = 30;
const REDEEM_DAYS_MAX = 90;

const start = () => enter("owner", async ({ shop, why, content }) => {
  if (shop.closedAt) return fill(content, h("p", {}, t("closedForGood")));
  const offers = await get(`${address}/invitations`);
  const transfer = offers.items.find((/** @type {any} */ each) => each.kind === "transfer");
  fill(content, h("section", {}, h("h2", {}, t("transferTitle")), transfer ? openTransfer(transfer) : null, transferForm(why, Boolean(transfer), shop.region)),
    h("section", {}, h("h2", {}, t("closeTitle")), ...closing(shop)));
});

// MARK: Transferring the shop

/** @param {any} offer */
function openTransfer(offer) {
  return h("div", { class: "note", id: "transfer" }, icon("people"), h("p", {}, t("transferOpen", { time: moment(offer.expiresAt) })),
    actionButton(t("withdraw"), async () => {
      try {
        await write(`withdraw transfer ${shopID}`, "DELETE", `${address}/transfer`);
        toast(t("withdrawn"));
        await start();
      } catch (error) {
        if (!leaveIfSignedOut(error)) toast(sayProblem(error, own), { kind: "bad", seconds: 10 });
      }
    }, { class: "button secondary" }));
}

/**
 * @param {string} why
 * @param {boolean} isOpen
 * @param {string | null} region the region of the shop's own number.
 */
function transferForm(why, isOpen, region) {
  const phone = textField("phone", t("transferPhone"), { type: "tel", inputmode: "tel", maxlength: 64, required: true, hint: phoneHint(region) });
  const form = fieldForm([phone], t("transferOffer"), async () => {
    const typed = phoneFields(phone.read(), region);
    if (!(await confirm({ title: t("transferConfirmTitle"), text: t("transferConfirmText", { phone: sayTyped(typed) }), yes: t("transferOffer"), isDanger: true }))) return;
    await write(`transfer ${shopID}`, "POST", `${address}/transfer`, typed);
    toast(t("transferOffered"), { seconds: 10 });
    await start();
  }, own);
  const button = /** @type {HTMLButtonElement} */ (form.querySelector("[type=submit]"));
  button.parentElement?.append(...withReason(button, why));
  form.prepend(h("p", {}, t("transferText")), isOpen ? h("p", { class: "hint" }, t("transferReplaces")) : "");
  return form;
}

// MARK: Closing the shop

/** @param {any} shop */
function closing(shop) {
  const word = t("closingWord");
  const date = (/** @type {number} */ days) => wallClock(now() + days * DAY, shop.timeZone).slice(0, 10);
  const control = h("input", { id: "field-until", type: "date", min: date(1), max: date(REDEEM_DAYS_MAX - 1), required: true, value: date(REDEEM_DAYS) });
  const until = { name: "redeemUntil", label: t("closingUntil"), control, read: () => control.value, show: () => {},
    node: h("div", { class: "field" }, h("label", { for: "field-until" }, t("closingUntil")), control, h("p", { class: "hint" }, t("closingUntilHint"))) };
  const reason = textField("reason", t("closingReason"), { maxlength: 500 });
  const typed = textField("typed", t("closingType", { word }), { maxlength: 40, autocapitalize: "off", spellcheck: "false" });
  const form = fieldForm([until, reason, typed], t("closeShop"), async () => {
    if (!isTyped()) return typed.control.focus();
    // Cards can be redeemed until the end of the entered day, which is the beginning of the next day.
    const redeemUntil = control.value ? instant(`${nextDay(control.value)}T00:00`, shop.timeZone) : null;
    await write(`close ${shopID}`, "POST", `${address}/closing`, { redeemUntil, ...(reason.read() ? { reason: reason.read() } : {}) });
    toast(t("shopClosedToast", { day: day(redeemUntil ?? now() + REDEEM_DAYS * DAY) }), { seconds: 10 });
    await start();
  }, own);
  const isTyped = () => String(typed.read()).normalize("NFKC").toLowerCase() === word.toLowerCase();
  const button = /** @type {HTMLButtonElement} */ (form.querySelector("[type=submit]"));
  button.className = "button danger";
  const [, reasonWhy] = withReason(button, t("closingWhy", { word }));
  button.parentElement?.after(/** @type {Node} */ (reasonWhy));
  typed.control.addEventListener("input", () => {
    button.disabled = !isTyped();
    /** @type {HTMLElement} */ (reasonWhy).hidden = isTyped();
  });
  return [
    h("p", {}, t("closingText")),
    h("div", { class: "prose" }, h("ul", {}, [t("closingCampaigns"), t("closingCodes"), t("closingStaff"), t("closingCards"), t("closingForEver")].map((each) => h("li", {}, each)))),
    form,
  ];
}

/** @param {string} date */
function nextDay(date) {
  return new Date(Date.parse(`${date}T00:00Z`) + DAY).toISOString().slice(0, 10);
}

start();
