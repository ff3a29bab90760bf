// The page of one campaign: the form that publishes or edits it, a preview of its card, and buttons that end the campaign or reopen an
// ended one.

import { ApiError, getVersion, now, write } from "./api.js";
import "./card.js";
import { bonusField, editForm, fieldForm, guardChanges, milestonesField, numberField, picturesField, shopsField, textField, timeField } from "./fields.js";
import { enter, own, shopID, withReason } from "./shop-frame.js";
import { day, moment, t } from "./words.js";
import { actionButton, confirm, fill, h, icon, leaveIfSignedOut, leaveTo, sayProblem, sayShared, toast, written } from "./ui.js";

const DAY = 86_400_000;
const VALID_DAYS_MAX = 1827;
const campaignID = new URLSearchParams(location.search).get("id");
/** The kinds of campaigns. `without` names the fields that a kind does not have. A coupon has no goal, because it is full when opened. */
const KINDS = [
  { kind: "stampCard", word: t("campaignKindCard"), without: [] },
  { kind: "coupon", word: t("campaignKindCoupon"), without: ["goal", "welcomeStamps", "repeats", "bonuses", "milestones"] },
  { kind: "promotion", word: t("campaignKindNews"), without: ["goal", "reward", "welcomeStamps", "repeats", "bonuses", "milestones", "redeemUntil", "cardValidDays", "shops"] },
];
/** @param {string} kind @param {Field} field */
const has = (kind, field) => !KINDS.find((each) => each.kind === kind)?.without.some((name) => name === field.name);
/** @typedef {import("./fields.js").Field} Field */

const start = () => enter("manager", async (visit) => {
  // Only an owner is told which shops belong to the same person.
  const others = visit.role === "owner" ? visit.mine.filter((each) => each.role === "owner" && each.id !== shopID && !each.closedAt) : [];
  if (!campaignID) return publishForm(visit, others);
  const found = await getVersion(`/v1/campaigns/${campaignID}`);
  if (found.body.shop.id !== shopID) return leaveToHome(found.body);
  if (Date.parse(found.body.endsAt) <= now()) drawOver(visit, found.body);
  else drawEditor(visit, found, others);
});

/**
 * Opens the editor at the campaign's own shop, because a shared campaign is edited only there.
 * @param {any} campaign
 */
function leaveToHome(campaign) {
  const isShared = campaign.shops?.some((/** @type {any} */ each) => each.id === shopID);
  if (!isShared) throw new ApiError("notFound", { status: 404 });
  location.replace(`/shop/${campaign.shop.id}/campaign?id=${campaignID}`);
}

/** @typedef {{id: string, name: string}[]} Others the owner's other shops. */

/** @param {any} shop @param {Others} others @returns {Field[]} */
const campaignFields = ({ id, name, timeZone: zone }, others) => [
  ...(others.length ? [shopsField({ id, name }, others)] : []),
  textField("title", t("campaignTitleLabel"), { maxlength: 100, required: true }),
  textField("details", t("detailsLabel"), { lines: true, maxlength: 2000 }),
  numberField("goal", t("goalLabel"), { min: 1, max: 50, required: true, hint: t("goalHint") }),
  textField("reward", t("rewardField"), { maxlength: 100, required: true }),
  timeField("startsAt", t("startsLabel"), zone, t("inShopTime", { zone })),
  timeField("endsAt", t("endsLabel"), zone, t("endsHint")),
  numberField("welcomeStamps", t("welcomeLabel"), { min: 1, max: 10, hint: t("welcomeHint") }),
  numberField("repeats", t("repeatsLabel"), { min: 1, max: 100, hint: t("repeatsHint") }),
  numberField("cardValidDays", t("validDaysLabel"), { min: 1, max: VALID_DAYS_MAX, hint: t("validDaysHint") }),
  bonusField("bonuses"),
  timeField("redeemUntil", t("redeemUntilLabel"), zone, t("redeemUntilHint")),
  milestonesField(),
  picturesField("image", 1),
];

// MARK: Preview of the card

let previews = 0;

/**
 * The dates that the preview shows: when a card that is opened now expires, and until when its reward can be redeemed.
 * @param {number | null} days
 * @param {string | null} until
 */
function previewEnds(days, until) {
  // With more days than the service allows, the date may be beyond the range of `Date`, and `toISOString` would throw.
  const isGood = days !== null && days >= 1 && days <= VALID_DAYS_MAX;
  return { ...(isGood ? { expiresAt: new Date(now() + days * DAY).toISOString() } : {}), ...(until ? { redeemUntil: until } : {}) };
}

/**
 * The value of a field; null while the typed value is incomplete or invalid. The preview does not report that as an error.
 * @param {Field | undefined} field
 */
function typed(field) {
  try {
    return field?.read() ?? null;
  } catch {
    return null;
  }
}

/**
 * Shows a card of the campaign as it is after a customer's first code, and redraws it after each change of the form.
 * @param {HTMLFormElement} form
 * @param {Field[]} fields
 * @param {string} shopName
 * @param {() => string} kind
 */
function preview(form, fields, shopName, kind) {
  const card = h("stamp-card");
  const draw = () => {
    const value = (/** @type {string} */ name) => typed(fields.find((each) => each.name === name));
    const isCoupon = kind() === "coupon";
    const goal = isCoupon ? 0 : Math.min(50, Math.max(1, Math.floor(value("goal") || 1)));
    previews += 1;
    card.card = {
      id: `preview-${previews}`, campaign: { id: "", title: value("title") || t("campaignTitleLabel") }, shop: { id: "", name: shopName },
      status: isCoupon ? "full" : "collecting", openedAt: "",
      stamps: Math.max(0, Math.min(goal - 1, 1 + (value("welcomeStamps") ?? 0))), goal, reward: value("reward") || t("rewardUnnamed"),
      milestones: value("milestones") ?? [],
      ...previewEnds(value("cardValidDays"), value("redeemUntil")),
    };
  };
  form.addEventListener("input", draw);
  const hint = h("p", { class: "hint" });
  const node = h("section", {}, h("h2", {}, t("previewTitle")), hint, card);
  const redraw = () => {
    node.hidden = kind() === "promotion";
    hint.textContent = kind() === "coupon" ? t("previewCouponText") : t("previewText");
    draw();
  };
  redraw();
  return { node, redraw };
}

// MARK: Publishing a campaign

/** @param {import("./shop-frame.js").Visit} visit @param {Others} others */
function publishForm({ shop, why, content }, others) {
  const fields = campaignFields(shop, others);
  const begin = Math.floor(now() / 60_000) * 60_000;
  /** @type {Record<string, any>} */
  const values = { goal: 10, startsAt: new Date(begin).toISOString(), endsAt: new Date(begin + 365 * DAY).toISOString() };
  for (const each of fields) each.show(values[each.name]);
  const kind = h("select", { id: "kind" }, KINDS.map((each) => h("option", { value: each.kind }, each.word)));
  const isShown = (/** @type {Field} */ each) => has(kind.value, each);
  const form = fieldForm(fields, t("publish"), async () => {
    const campaign = Object.fromEntries(fields.filter(isShown).map((each) => [each.name, each.read()]));
    await write(`publish ${shopID}`, "POST", `/v1/shops/${shopID}/campaigns`, { kind: kind.value, ...campaign });
    isSent();
    await leaveTo(`/shop/${shopID}`);
  }, own);
  const isSent = guardChanges(form, fields);
  const shown = preview(form, fields, shop.name, () => kind.value);
  kind.addEventListener("change", () => {
    for (const each of fields) each.node.hidden = !isShown(each);
    shown.redraw();
  });
  form.prepend(h("div", { class: "field" }, h("label", { for: "kind" }, t("kindLabel")), kind));
  forbid(form, why);
  fill(content, h("h2", {}, t("newCampaign")), form, shown.node);
}

/** @param {HTMLFormElement} form @param {string} why */
function forbid(form, why) {
  const button = /** @type {HTMLButtonElement} */ (form.querySelector("[type=submit]"));
  button.parentElement?.append(...withReason(button, why));
}

// MARK: Editing and ending a campaign

/**
 * @param {import("./shop-frame.js").Visit} visit
 * @param {import("./api.js").Answer} found
 * @param {Others} others
 */
function drawEditor({ shop, why, content }, found, others) {
  const fields = campaignFields(shop, others).filter((each) => has(found.body.kind, each));
  const address = `/v1/campaigns/${campaignID}`;
  const form = editForm(fields, found, {
    own, load: () => getVersion(address),
    save: (changes, tag) => write(`edit ${campaignID}`, "PATCH", address, changes, { headers: { "If-Match": tag } }),
  });
  forbid(form, why);
  const end = actionButton(t("endCampaign"), () => act("end", t("campaignEnded"), true), { class: "button danger" });
  // A reader without boxes for other shops gets a sentence that names the campaign's other shops.
  const shared = others.length ? "" : sayShared(found.body, shopID);
  fill(content, shared ? h("p", { class: "note" }, icon("shop"), h("span", {}, shared)) : null, form, preview(form, fields, shop.name, () => found.body.kind).node,
    h("h2", {}, t("endTitle")), h("p", {}, t("endText")), h("div", { class: "buttons" }, ...withReason(end, why)));
}

/**
 * @param {import("./shop-frame.js").Visit} visit
 * @param {any} campaign
 */
function drawOver({ why, content }, campaign) {
  const isLate = now() - Date.parse(campaign.endsAt) > DAY;
  const reopen = actionButton(t("reopen"), () => act("reopening", t("campaignReopened"), false));
  fill(content, h("h2", {}, campaign.title || t("unnamedCampaign")),
    h("p", { class: "note" }, icon("info"), h("span", {}, t("campaignOverSince", { time: moment(campaign.endsAt) }))),
    h("dl", { class: "facts" }, 
      campaign.goal ? [h("dt", {}, t("goalLabel")), h("dd", {}, campaign.goal)] : [],
      campaign.reward ? [h("dt", {}, t("rewardField")), h("dd", {}, written(campaign.reward))] : [],
      h("dt", {}, t("startsLabel")), h("dd", {}, day(campaign.startsAt))),
    h("div", { class: "buttons" }, ...withReason(reopen, why || (isLate ? t("whyTooLate") : ""))));
}

/**
 * @param {"end" | "reopening"} what
 * @param {string} done
 * @param {boolean} isEnd
 */
async function act(what, done, isEnd) {
  if (isEnd && !(await confirm({ title: t("endCampaignTitle"), text: t("endText"), yes: t("endCampaign"), isDanger: true }))) return;
  try {
    await write(`${what} ${campaignID}`, "POST", `/v1/campaigns/${campaignID}/${what}`);
    toast(done);
    await start();
  } catch (error) {
    if (!leaveIfSignedOut(error)) toast(sayProblem(error, own), { kind: "bad", seconds: 10 });
  }
}

start();
