// A shop's messages to its customers: a form for a message that appears at once or later, and the author's own scheduled messages.

import { get, write } from "./api.js";
import { fieldForm, labelled, textField, timeField } from "./fields.js";
import { enter, own, shopID, withReason } from "./shop-frame.js";
import { dayAt, hourAt, t } from "./words.js";
import { actionButton, confirm, fill, h, leaveIfSignedOut, sayProblem, showProblem, toast, written } from "./ui.js";

const TITLE_MAX = 100;
const TEXT_MAX = 2_000;

enter("manager", async ({ shop, why, content }) => {
  const waiting = h("section", { id: "planned" });
  const fields = [
    textField("title", t("writeTitleLabel"), { maxlength: TITLE_MAX, required: true }),
    textField("text", t("writeTextLabel"), { lines: true, maxlength: TEXT_MAX, required: true }),
    audienceField(shop),
    timeField("publishAt", t("writeWhen"), shop.timeZone, t("writeWhenHint", { zone: shop.timeZone })),
  ];
  const drafted = new URLSearchParams(location.search);
  for (const each of fields.slice(0, 2)) each.show(drafted.get(each.name));
  const form = fieldForm(fields, t("writeSend"), async () => {
    const notice = asked(fields);
    const text = notice.publishAt ? t("writeSendLater", { time: timeAt(notice.publishAt, shop.timeZone) }) : t("writeSendNow");
    if (!(await confirm({ title: t("writeSendTitle"), text, yes: t("writeSend") }))) return;
    await write(`notice ${shopID}`, "POST", "/v1/notices", notice);
    for (const each of fields) each.show(null);
    // A reload must not offer the sent draft again.
    history.replaceState(null, "", location.pathname);
    toast(notice.publishAt ? t("writePlanned") : t("writeSent"));
    await list(waiting, shop);
  }, own);
  const button = /** @type {HTMLButtonElement} */ (form.querySelector("[type=submit]"));
  button.parentElement?.append(...withReason(button, why));
  fill(content, h("p", {}, t("writeText")), form, waiting);
  await list(waiting, shop);
});

/** @typedef {import("./fields.js").Field} Field */

/**
 * The field for the audience: the id of a campaign for the holders of its cards, or empty for all customers.
 * @param {any} shop
 * @returns {Field}
 */
function audienceField(shop) {
  const campaigns = [...shop.campaigns].reverse().filter((/** @type {any} */ each) => each.shop.id === shopID && each.kind !== "promotion");
  const control = h("select", { name: "campaign" }, h("option", { value: "" }, t("writeToAll")), campaigns.map((/** @type {any} */ each) =>
    h("option", { value: each.id }, t("writeToHolders", { campaign: each.title || t("unnamedCampaign") }))));
  return {
    name: "campaign", label: t("writeTo"), control, node: labelled("campaign", t("writeTo"), control),
    read: () => control.value, show: (value) => { control.value = value ?? ""; },
  };
}

/** @param {Field[]} fields */
function asked(fields) {
  const [title, text, campaign, publishAt] = fields.map((each) => each.read());
  const audience = campaign ? { audience: "holders", campaign } : { audience: "shop", shop: shopID };
  return { title, text, ...audience, ...(publishAt ? { publishAt } : {}) };
}

/** @param {string} time @param {string} zone */
const timeAt = (time, zone) => `${dayAt(time, zone)}, ${hourAt(time, zone)}`;

/**
 * Lists the author's scheduled messages, each with a button to withdraw it. A lost list is told in its place only: shown as the answer to
 * a message that was just sent, it would make the author send the message again.
 * @param {Element} place
 * @param {any} shop
 */
async function list(place, shop) {
  try {
    const { items } = await get("/v1/notices/scheduled?limit=100");
    draw(items, place, shop);
  } catch (error) {
    showProblem(place, error, () => list(place, shop), own);
  }
}

/**
 * @param {any[]} items
 * @param {Element} place
 * @param {any} shop
 */
function draw(items, place, shop) {
  const mine = items.filter((/** @type {any} */ each) => each.shop?.id === shopID);
  fill(place, mine.length ? [h("h2", {}, t("writeWaiting")), h("ul", { class: "list" }, mine.map((/** @type {any} */ each) =>
    h("li", {}, h("div", { class: "row" }, h("div", { class: "grow" },
      h("span", { class: "title" }, written(each.title)), h("span", { class: "meta" }, timeAt(each.publishAt, shop.timeZone)),
      h("p", { class: "lines" }, written(each.text))),
    actionButton(t("withdraw"), () => withdraw(each, place, shop), { class: "quiet danger", "aria-label": t("writeWithdraw", { title: each.title }) })))))] : []);
}

/**
 * @param {any} each
 * @param {Element} place
 * @param {any} shop
 */
async function withdraw(each, place, shop) {
  try {
    await write(`withdraw ${each.id}`, "DELETE", `/v1/notices/${each.id}`);
    toast(t("withdrawn"));
    await list(place, shop);
  } catch (error) {
    if (!leaveIfSignedOut(error)) toast(sayProblem(error, own), { kind: "bad", seconds: 10 });
  }
}
