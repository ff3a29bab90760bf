// The page of one campaign: the form that publishes or edits it, a preview of its card beside it, and buttons that end the campaign or
// reopen an ended one. A new campaign begins as one of three kinds, each with presets; what few owners change is folded away.

import { ApiError, getVersion, now, write } from "./api.js";
import "./card.js";
import { bonusField, editForm, fieldForm, guardChanges, milestonesField, numberField, picturesField, shopsField, textField, timeField } from "./fields.js";
import { enter, own, shopID, withReason } from "./shop-frame.js";
import { day, listed, moment, t } from "./words.js";
import { actionButton, byId, confirm, fill, h, icon, leaveIfSignedOut, leaveTo, sayProblem, sayShared, toast, written } from "./ui.js";

const DAY = 86_400_000;
const VALID_DAYS_MAX = 1827;
const campaignID = new URLSearchParams(location.search).get("id");
/**
 * The kinds of campaigns. `without` names the fields that a kind does not have. A coupon has no goal, because it is full when opened.
 * `preset` has the values with which a new campaign begins, and `days` how long it runs.
 */
const KINDS = [
  { kind: "stampCard", word: t("campaignKindCard"), text: t("campaignKindCardText"), without: [],
    preset: { title: t("presetCardTitle"), reward: t("presetCardReward"), goal: 10 }, days: 365 },
  { kind: "coupon", word: t("campaignKindCoupon"), text: t("campaignKindCouponText"), without: ["goal", "welcomeStamps", "repeats", "bonuses", "milestones"],
    preset: { title: t("presetCouponTitle"), reward: t("presetCouponReward") }, days: 30 },
  { kind: "promotion", word: t("campaignKindNews"), text: t("campaignKindNewsText"), without: ["goal", "reward", "welcomeStamps", "repeats", "bonuses", "milestones", "redeemUntil", "cardValidDays", "shops"],
    preset: {}, days: 14 },
];
/** The fields that are not folded away. An announcement also shows its details. */
const FIRST = ["kind", "title", "goal", "reward", "endsAt"];
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
  const node = h("section", { class: "preview" }, h("h2", {}, t("previewTitle")), hint, card);
  const redraw = () => {
    node.hidden = kind() === "promotion";
    hint.textContent = kind() === "coupon" ? t("previewCouponText") : t("previewText");
    draw();
  };
  redraw();
  return { node, redraw };
}

// MARK: The form

/** @param {unknown} value */
const isSet = (value) => value !== null && value !== "" && !(Array.isArray(value) && value.length === 0);

/**
 * Puts the preview beside the form, on a phone above it, and folds away all but the first fields.
 * @param {HTMLFormElement} form
 * @param {Field[]} fields
 * @param {HTMLElement} node of the preview.
 * @param {() => string} kind
 * @returns {() => void} a function to call after another kind was chosen, or fields were filled in.
 */
function arrange(form, fields, node, kind) {
  byId("main").classList.add("wide");
  form.classList.add("beside");
  const set = h("span", { class: "muted" });
  const folded = fields.filter((each) => !FIRST.includes(each.name));
  const more = h("details", { id: "more" }, h("summary", {}, h("h2", {}, t("campaignMore")), " ", set), folded.map((each) => each.node));
  // A link that fills fields in names them; they are shown.
  more.open = [...new URLSearchParams(location.search).keys()].some((name) => name !== "id");
  const first = fields.filter((each) => FIRST.includes(each.name) && each.name !== "kind");
  first[0].node.before(node);
  first.at(-1)?.node.after(more);
  const details = folded.find((each) => each.name === "details");
  const draw = () => {
    if (details && kind() === "promotion") first[0].node.after(details.node);
    else if (details) more.querySelector("summary")?.after(details.node);
    for (const each of fields) each.node.hidden = !has(kind(), each);
    sayFolded();
  };
  const sayFolded = () => {
    const filled = folded.filter((each) => more.contains(each.node) && !each.node.hidden && each.name !== "startsAt" && isSet(typed(each)));
    set.textContent = listed(filled.map((each) => each.label));
  };
  for (const type of ["input", "change", "click"]) form.addEventListener(type, () => setTimeout(sayFolded));
  return draw;
}

// MARK: Publishing a campaign

/** @returns {Field} */
function kindField() {
  const radios = KINDS.map(({ kind }) => h("input", { type: "radio", name: "kind", value: kind, id: `kind-${kind}`, "aria-describedby": `kind-${kind}-text` }));
  // On a phone, only the chosen kind has room for its text.
  const text = h("p", { class: "hint kind-text", "aria-hidden": "true" });
  const chosen = () => radios.find((each) => each.checked)?.value ?? KINDS[0].kind;
  const say = () => { text.textContent = KINDS.find(({ kind }) => kind === chosen())?.text ?? ""; };
  const tile = (/** @type {typeof KINDS[0]} */ { kind, word, text }, /** @type {number} */ index) => h("div", { class: "tile" }, radios[index],
    h("label", { for: `kind-${kind}` }, word), h("p", { class: "hint", id: `kind-${kind}-text` }, text));
  return {
    name: "kind", label: t("kindLabel"), control: radios[0], node: h("fieldset", { class: "tiles", onchange: say }, h("legend", {}, t("kindLabel")), KINDS.map(tile), text),
    read: chosen,
    show: (value) => {
      for (const each of radios) each.checked = each.value === (value ?? KINDS[0].kind);
      say();
    },
  };
}

/** @param {import("./shop-frame.js").Visit} visit @param {Others} others */
function publishForm({ shop, why, content }, others) {
  const kind = kindField();
  const fields = [kind, ...campaignFields(shop, others)];
  const begin = Math.floor(now() / 60_000) * 60_000;
  const time = (/** @type {number} */ days) => new Date(begin + days * DAY).toISOString();
  /** @param {string} chosen @returns {Record<string, any>} */
  const preset = (chosen) => {
    const found = KINDS.find((each) => each.kind === chosen) ?? KINDS[0];
    return { title: "", reward: "", ...found.preset, startsAt: time(0), endsAt: time(found.days) };
  };
  const isShown = (/** @type {Field} */ each) => has(kind.read(), each);
  const form = fieldForm(fields, t("publish"), async () => {
    const campaign = Object.fromEntries(fields.filter(isShown).map((each) => [each.name, each.read()]));
    await write(`publish ${shopID}`, "POST", `/v1/shops/${shopID}/campaigns`, campaign);
    isSent();
    await leaveTo(`/shop/${shopID}/campaigns#published`);
  }, own);
  let before = KINDS[0].kind;
  for (const each of fields) each.show(preset(before)[each.name]);
  const filled = fillIn(fields);
  const shown = preview(form, fields, shop.name, kind.read);
  const draw = arrange(form, fields, shown.node, kind.read);
  const isSent = guardChanges(form, fields, true);
  // A draft may be of another kind, and has its own values.
  before = kind.read();
  const redraw = () => {
    const [old, chosen] = [preset(before), preset(kind.read())];
    // What the owner has typed stays.
    for (const each of fields) if (each.name in chosen && typed(each) === (old[each.name] ?? null)) each.show(chosen[each.name]);
    before = kind.read();
    speakOf(fields, before ?? "");
    draw();
    shown.redraw();
  };
  kind.node.addEventListener("change", redraw);
  form.addEventListener("discarded", redraw);
  speakOf(fields, before ?? "");
  draw();
  shown.redraw();
  forbid(form, why);
  fill(content, h("h2", {}, t("newCampaign")), filled, form);
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
  speakOf(fields, found.body.kind);
  const form = editForm(fields, found, {
    own, load: () => getVersion(address), isLasting: true, saved: () => filled?.remove(),
    save: (changes, tag) => write(`edit ${campaignID}`, "PATCH", address, changes, { headers: { "If-Match": tag } }),
  });
  const filled = fillIn(fields, found.body);
  const kind = () => found.body.kind;
  arrange(form, fields, preview(form, fields, shop.name, kind).node, kind)();
  forbid(form, why);
  const end = actionButton(t("endCampaign"), () => act("end", t("campaignEnded"), endText(kind())), { class: "button danger" });
  // A reader without boxes for other shops gets a sentence that names the campaign's other shops.
  const shared = others.length ? "" : sayShared(found.body, shopID);
  fill(content, filled, shared ? h("p", { class: "note" }, icon("shop"), h("span", {}, shared)) : null, form,
    h("h2", {}, t("endTitle")), h("p", {}, endText(found.body.kind)), h("div", { class: "buttons" }, ...withReason(end, why)));
}

/**
 * @param {import("./shop-frame.js").Visit} visit
 * @param {any} campaign
 */
function drawOver({ why, content }, campaign) {
  const isLate = now() - Date.parse(campaign.endsAt) > DAY;
  const reopen = actionButton(t("reopen"), () => act("reopening", t("campaignReopened")));
  fill(content, h("h2", {}, campaign.title || t("unnamedCampaign")),
    h("p", { class: "note" }, icon("info"), h("span", {}, t("campaignOverSince", { time: moment(campaign.endsAt) }))),
    h("dl", { class: "facts" }, 
      campaign.goal ? [h("dt", {}, t("goalLabel")), h("dd", {}, campaign.goal)] : [],
      campaign.reward ? [h("dt", {}, t("rewardField")), h("dd", {}, written(campaign.reward))] : [],
      h("dt", {}, t("startsLabel")), h("dd", {}, day(campaign.startsAt))),
    h("div", { class: "buttons" }, ...withReason(reopen, why || (isLate ? t("whyTooLate") : ""))));
}

/** @param {string} kind */
const endText = (kind) => kind === "coupon" ? t("couponEndText") : kind === "promotion" ? t("newsEndText") : t("endText");

/**
 * @param {"end" | "reopening"} what
 * @param {string} done
 * @param {string} [text] the consequences to confirm.
 */
async function act(what, done, text) {
  if (text && !(await confirm({ title: t("endCampaignTitle"), text, yes: t("endCampaign"), isDanger: true }))) return;
  try {
    await write(`${what} ${campaignID}`, "POST", `/v1/campaigns/${campaignID}/${what}`);
    toast(done);
    await start();
  } catch (error) {
    if (!leaveIfSignedOut(error)) toast(sayProblem(error, own), { kind: "bad", seconds: 10 });
  }
}

// MARK: Words for coupons and promotions

/** The label and the hint of each field that a kind names otherwise. */
const WORDS = /** @type {Record<string, Record<string, [string, string]>>} */ ({ coupon: {
  shops: [t("holdsAt"), t("couponBranchesHint")],
  reward: [t("couponReward"), ""], endsAt: [t("couponEnds"), t("couponEndsHint")],
  cardValidDays: [t("couponValidDays"), t("couponValidDaysHint")], redeemUntil: [t("couponUntil"), t("couponUntilHint")],
}, promotion: { endsAt: [t("endsLabel"), t("newsEndsHint")] } });
/** @type {WeakMap<Field, [string, string]>} the words for cards. */
const usual = new WeakMap();

/**
 * @param {Field[]} fields
 * @param {string} kind
 */
function speakOf(fields, kind) {
  for (const field of fields.filter(({ name }) => name in WORDS.coupon)) {
    const [label, hint] = [field.node.querySelector(":scope > label"), field.node.querySelector(".hint")];
    if (!usual.has(field)) usual.set(field, [field.label, hint?.textContent ?? ""]);
    const words = WORDS[kind]?.[field.name] ?? usual.get(field) ?? WORDS.coupon[field.name];
    field.label = words[0];
    if (label) label.textContent = words[0];
    if (hint) hint.textContent = words[1];
  }
}

// MARK: A proposal of the first page, whose values the address has. Nothing is saved.

const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/**
 * @param {import("./fields.js").Field[]} fields
 * @param {any} [campaign] the edited campaign; none for a new one.
 * @returns {HTMLElement | null} a note about what was filled in, with the what-if question beside it; null if nothing was.
 */
function fillIn(fields, campaign) {
  const asked = new URLSearchParams(location.search);
  const field = (/** @type {string} */ name) => fields.find((each) => each.name === name);
  let [welcome, milestone, bonus] = [number(asked.get("welcomeStamps")), number(asked.get("milestone")), readBonus(asked.get("bonus"))];
  const [start, bonuses, lines] = [field("welcomeStamps"), field("bonuses"), /** @type {any} */ (field("milestones")?.control)];
  // After a reload, the draft or the saved campaign has them already.
  if (start && start.read() >= welcome) welcome = 0;
  if (lines && new RegExp(`^\\s*${milestone}(?!\\d)`, "m").test(lines.value)) milestone = 0;
  if (bonus && bonuses?.read().some((/** @type {any} */ each) => isSame(each, bonus))) bonus = null;
  if (welcome) start?.show(welcome);
  // The line lacks the reward, which the owner chooses.
  if (milestone && lines) lines.value = [lines.value, `${milestone} `].filter(Boolean).join("\n");
  if (bonus && bonuses) bonuses.show([...bonuses.read(), bonus]);
  if (!welcome && !milestone && !bonus) return null;
  const question = campaign && !milestone ? whatIf(campaign, welcome, bonus) : "";
  return h("div", { class: "note", id: "filled-in" }, icon("info"), h("p", {}, t("digestFilledIn")),
    question ? h("div", { class: "buttons" }, h("a", { class: "button secondary", href: question, target: "_blank", rel: "noopener" }, t("digestWhatIf"))) : null);
}

/** @param {string | null} text */
const number = (text) => /^[1-9]\d?$/.test(text ?? "") ? Number(text) : 0;

/**
 * Bonus hours as the owner's first page writes them: `monday,tuesday 14:00 15:00 2`.
 * @param {string | null} text
 */
function readBonus(text) {
  const [days = "", from = "", to = "", factor = ""] = (text ?? "").split(" ");
  const known = DAYS.filter((each) => days.split(",").includes(each));
  const areTimes = [from, to].every((each) => /^\d\d:\d\d$/.test(each));
  return known.length && areTimes && /^[2-5]$/.test(factor) ? { days: known, from, to, factor: Number(factor) } : null;
}

/** @param {any} one @param {any} other */
const isSame = (one, other) => one.from === other.from && one.to === other.to && String(one.days) === String(other.days);

/**
 * The address of the what-if form, filled in with the same change. The form knows only some sets of days.
 * @param {any} campaign
 * @param {number} welcome
 * @param {{days: string[], from: string, to: string, factor: number} | null} bonus
 */
function whatIf(campaign, welcome, bonus) {
  const query = new URLSearchParams({ campaign: campaign.id, goal: campaign.goal });
  if (welcome) query.set("welcome", String(welcome));
  if (bonus) {
    const sets = { all: DAYS, workdays: DAYS.slice(0, 5), weekend: DAYS.slice(5) };
    const found = Object.entries(sets).find(([, days]) => String(days) === String(bonus.days))?.[0];
    const days = found ?? (bonus.days.length === 1 ? bonus.days[0] : "");
    if (!days) return "";
    for (const [name, value] of Object.entries({ factor: bonus.factor, days, from: bonus.from, to: bonus.to })) query.set(name, String(value));
  }
  return `/shop/${shopID}/numbers/what-if?${query}`;
}

start();
