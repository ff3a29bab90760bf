// Everything that happened with codes, cards and rewards at a shop, newest first. One field finds a card, a number, a code, a member or a
// day. What was given within a day can be taken back, also a part of it.

import { account, get, write } from "./api.js";
import { enter, nameOf, own as refused, reaches, shopID } from "./shop-frame.js";
import { day, dayAt, has, hourAt, language, t, wallClock } from "./words.js";
import { actionButton, ask, emptyState, fill, focusHeading, h, leaveIfSignedOut, onSubmit, sayProblem, showLoading, showProblem, toast, written } from "./ui.js";
import { askTakeBack, sayPart } from "./workplace.js";

const PAGE = 50;
/** The requests that one search may need before the reader is asked whether to go on. Each looks at thousands of events. */
const STEPS = 20;
const DAY_MS = 86_400_000;
/** How many days ago a day may be that is not written as in `2026-11-27`. */
const DAYS_MAX = 366;

/** @param {string} code the refusal's code. */
const own = (code) => has(`activityProblem${code}`) ? t(`activityProblem${code}`) : refused(code);

/** @typedef {{items: any[], next: string | null}} Found */

enter("counter", async ({ shop, role, content }) => {
  /** @type {Map<string, string>} names of people who work at the shop, by their accounts. */
  const names = new Map();
  if (reaches(role, "manager")) {
    const staff = await get(`/v1/shops/${shopID}/staff`).catch(() => ({ items: [] }));
    for (const each of staff.items) names.set(each.account, each.label || each.nickname || t("personNamed", { handle: each.handle }));
  }
  const titles = new Map(shop.campaigns.map((/** @type {any} */ each) => [each.id, each.title]));
  const list = h("div", { id: "activity", class: "fills" });
  const said = h("p", { class: "hint", id: "activity-said", role: "status" });
  const field = h("input", { id: "activity-search", name: "search", type: "search", autocomplete: "off", enterkeyhint: "search", maxlength: 40, "aria-describedby": "activity-hint" });
  const date = h("input", { id: "activity-day", type: "date" });
  const form = h("form", { role: "search" },
    h("div", { class: "field" }, h("label", { for: "activity-search" }, t("activitySearch")), field, h("p", { class: "hint", id: "activity-hint" }, t("activityHint"))),
    h("div", { class: "field" }, h("label", { for: "activity-day" }, t("activityDay")), date),
    h("p", { class: "error", role: "alert", hidden: true }),
    h("div", { class: "buttons" }, h("button", { class: "button", type: "submit" }, t("activityFind"))));
  const view = { shop, names, titles, list, said, query: /** @type {URLSearchParams | null} */ (null), turn: 0 };
  const find = async () => {
    const { query, said: text } = field.value.trim() ? understood(field.value, shop, names) : linked(names);
    say(view, text);
    view.query = query;
    await show(view);
  };
  onSubmit(form, async () => {
    // In the state of the address, because a customer's number does not belong into the address itself.
    history.pushState({ search: field.value }, "", location.pathname);
    await find();
  }, own);
  date.addEventListener("change", () => {
    // While a year is typed, its first digits are a date, too.
    if (date.value < "2000") return;
    field.value = date.value;
    form.requestSubmit();
  });
  const restore = () => {
    field.value = history.state?.search ?? "";
    return find();
  };
  addEventListener("popstate", restore);
  fill(content, form, said, list);
  await restore();
});

/**
 * Says what the list is of, with a way to the list of everything.
 * @param {any} view
 * @param {string} text empty for everything.
 */
function say(view, text) {
  const all = (/** @type {Event} */ event) => {
    event.preventDefault();
    history.pushState(null, "", location.pathname);
    dispatchEvent(new PopStateEvent("popstate"));
    focusHeading();
  };
  fill(view.said, text, text ? [" ", h("a", { href: `/shop/${shopID}/activity`, onclick: all }, t("activityAll"))] : null);
}

/**
 * The meaning of a link to this page, as for `understood`.
 * @param {Map<string, string>} names
 */
function linked(names) {
  const asked = new URLSearchParams(location.search);
  const query = new URLSearchParams([...asked].filter(([name]) => ["customer", "card", "member"].includes(name)));
  const [customer, card, member] = ["customer", "card", "member"].map((name) => asked.get(name));
  const said = customer ? t("activityOf", { name: nameOf({ handle: customer, nickname: null }) })
    : card ? t("activityOfCard", { card: card.slice(-6).toUpperCase() }) : member ? t("activityOfMember", { name: names.get(member) ?? "" }) : "";
  return { query, said };
}

/**
 * The meaning of a typed text, as parameters of the request and in words.
 * @param {string} typed
 * @param {any} shop
 * @param {Map<string, string>} names
 * @returns {{query: URLSearchParams | null, said: string}} no query for a text without a meaning.
 */
function understood(typed, shop, names) {
  const text = typed.trim().replace(/^…/, "");
  const zone = shop.timeZone || "UTC";
  const date = dateIn(text, zone);
  if (date) return { query: new URLSearchParams({ from: date, to: date, timeZone: zone }), said: t("activityOfDay", { day: day(`${date}T12:00:00Z`) }) };
  const member = [...names].find(([, name]) => name.toLowerCase() === text.toLowerCase())?.[0];
  if (member) return { query: new URLSearchParams({ member }), said: t("activityOfMember", { name: text }) };
  const digits = text.replace(/[\s().-]/g, "");
  if (/^[+＋]?\d{7,}$/.test(digits)) {
    const query = new URLSearchParams({ phone: text });
    if (shop.region && !/^[+＋]/.test(text)) query.set("region", shop.region);
    return { query, said: t("activityOfNumber", { number: text }) };
  }
  if (/^[0-9A-Za-z]{6}$/.test(text)) return { query: new URLSearchParams({ card: text }), said: t("activityOfCard", { card: text.toUpperCase() }) };
  if (/^[0-9A-Za-z]{4}[- ]?[0-9A-Za-z]{4}$/.test(text)) return { query: new URLSearchParams({ code: text }), said: t("activityOfCode", { code: text.toUpperCase() }) };
  return { query: null, said: t("activityNotUnderstood") };
}

/**
 * The date that a text names in one of the ways in which people and these pages write days, such as `27 Nov`, `Friday` or `3 days ago`;
 * empty if it names none. Without a year or a number, it is the latest such day.
 * @param {string} text
 * @param {string} zone
 */
function dateIn(text, zone) {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return text;
  const day = /** @type {const} */ ("numeric");
  const forms = (language === "en" ? ["en-GB", "en-US"] : [language]).flatMap((locale) => [
    ...(/** @type {const} */ (["short", "long"])).flatMap((month) => [{ day, month, year: day }, { day, month }]), { weekday: /** @type {const} */ ("long") },
  ].map((parts) => new Intl.DateTimeFormat(locale, { ...parts, timeZone: zone })));
  const since = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  const sought = text.toLowerCase();
  for (let ago = 0; ago <= DAYS_MAX; ago++) {
    const time = Date.now() - ago * DAY_MS;
    const found = [since.format(-ago, "day"), `${ago} days ago`, ...forms.map((each) => each.format(time))];
    if (found.some((each) => each.toLowerCase() === sought)) return wallClock(time, zone).slice(0, 10);
  }
  return "";
}

/**
 * @param {any} view
 */
async function show(view) {
  const turn = ++view.turn;
  // A list of something else would look like the answer to a text without a meaning.
  if (!view.query) return fill(view.list);
  showLoading(view.list);
  try {
    const found = await search(view, { items: [], next: "" });
    if (turn === view.turn) draw(view, found);
  } catch (error) {
    if (turn === view.turn && !leaveIfSignedOut(error)) showProblem(view.list, error, () => show(view), own);
  }
}

/**
 * Goes on until a page more was found, or nothing is left. A page of the answer may have few acts or none and not be the last. Each page of
 * a number's acts is a recorded look-up, so there one act is enough.
 * @param {any} view
 * @param {{items: any[], next: string | null}} known
 * @returns {Promise<Found>}
 */
async function search(view, known) {
  let { items, next } = known;
  const enough = items.length + (view.query.has("phone") ? 1 : PAGE);
  for (let step = 0; step < STEPS && next !== null && items.length < enough; step++) {
    const query = new URLSearchParams([...view.query, ["limit", String(PAGE)], ...(next ? [["cursor", next]] : [])]);
    const page = await get(`/v1/shops/${shopID}/activity?${query}`);
    [items, next] = [items.concat(page.items), page.next];
  }
  return { items, next };
}

/**
 * @param {any} view
 * @param {Found} found
 */
function draw(view, found) {
  const button = found.next === null ? null : actionButton(t("showMore"), () => more(view, found), { class: "button secondary" });
  if (found.items.length === 0 && !button) return fill(view.list, emptyState("leaf", t("activityEmptyTitle"), t("activityEmptyText")));
  const known = view.query.has("customer") && found.items.find((each) => each.customer)?.customer;
  if (known) say(view, t("activityOf", { name: nameOf(known) }));
  const rows = found.items.map((each) => row(view, each));
  fill(view.list, h("ol", { class: "list" }, rows), button);
}

/**
 * @param {any} view
 * @param {Found} found
 */
async function more(view, found) {
  try {
    const shown = found.items.length;
    draw(view, await search(view, found));
    const first = view.list.querySelectorAll("li")[shown];
    if (first) first.tabIndex = -1;
    first?.focus();
  } catch (error) {
    if (!leaveIfSignedOut(error)) toast(sayProblem(error, own), { kind: "bad", seconds: 10 });
  }
}

/** @param {any} each */
const title = (each) => t(`activity${each.kind.charAt(0).toUpperCase()}${each.kind.slice(1)}`, { count: Math.abs(each.stamps ?? 0) });

/**
 * @param {any} view
 * @param {any} each
 */
function row(view, each) {
  const zone = view.shop.timeZone;
  const when = `${dayAt(each.at, zone)}, ${hourAt(each.at, zone)}`;
  const card = each.card ? `…${each.card.slice(-6).toUpperCase()}` : "";
  const what = card ? t("whatOnCards", { what: title(each), cards: card }) : title(each);
  const kept = each.left ? t("activityPartKept", { count: each.left }) : t("isTakenBack");
  const badge = each.reversedAt ? each.reversible ? sayPart(each.stamps, each.reversible.stamps) : kept : "";
  return h("li", { "data-entry": String(each.position) }, h("div", { class: "row" }, h("div", { class: "grow" },
    h("span", { class: "title" }, title(each), each.milestone ? [" · ", t("oneMilestone", { count: each.milestone })] : null, badge ? [" ", h("span", { class: "badge warn" }, badge)] : null),
    h("span", { class: "meta" }, when, " · ", each.paper ? [t("onPaper"), " · "] : null, written(view.titles.get(each.campaign), t("unnamedCampaign"))),
    h("span", { class: "meta" }, card ? t("onCards", { cards: card }) : null, each.customer ? [card ? " · " : null, customer(view, each.customer)] : null,
      each.member ? [card || each.customer ? " · " : null, giver(view, each.member, each.label)] : null),
    each.reason ? h("span", { class: "meta" }, t("activityReason"), " ", written(each.reason)) : null),
  each.reversible ? actionButton(t("takeBack"), () => takeBack(view, each, what), { class: "quiet", "aria-label": `${t("takeBack")}: ${what}, ${when}` }) : null));
}

/**
 * The customer, as a link to all of theirs.
 * @param {any} view
 * @param {{handle: string, nickname: string | null}} who
 */
function customer(view, who) {
  return h("a", { href: `/shop/${shopID}/activity?customer=${who.handle}` }, written(nameOf(who)));
}

/**
 * @param {any} view
 * @param {string} member
 * @param {string} [label] the name that the shop gave that person.
 */
function giver(view, member, label) {
  if (member === account()?.id) return t("givenByYou");
  const name = label || view.names.get(member);
  return name ? written(t("givenByNamed", { name })) : t("givenByColleague");
}

/**
 * @param {any} view
 * @param {any} each
 * @param {string} what
 */
async function takeBack(view, each, what) {
  const isReward = each.kind === "redeemed";
  const suggestions = isReward ? [t("reasonWrongCustomer"), t("reasonNotHandedOut")] : [t("reasonTooMany"), t("reasonRefund"), t("reasonWrongCustomer")];
  const text = isReward ? t("undoRedemptionText") : each.paper ? t("takeBackPaperText") : t("takeBackStampsText");
  const question = { title: t("takeBackTitle", { what }), text, suggestions };
  /** @type {{reason: string, stamps?: number} | null} */
  const body = isReward ? await reasoned(question) : await askTakeBack({ ...question, most: each.paper ? 1 : each.reversible.stamps });
  if (!body) return;
  // Without a number, the service takes all that are left, also those of a redeemed card, and refuses.
  if (!isReward && !each.paper) body.stamps ??= each.reversible.stamps;
  const path = isReward ? `/v1/redemptions/${each.redemption}/reversal` : `/v1/stamps/${each.position}/reversal`;
  try {
    await write(`reverse ${path}`, "POST", path, body);
  } catch (error) {
    if (!leaveIfSignedOut(error)) toast(sayProblem(error, own), { kind: "bad", seconds: 10 });
    return;
  }
  toast(t("isTakenBack"));
  await show(view);
}

/** @param {{title: string, text: string, suggestions: string[]}} question */
async function reasoned(question) {
  const reason = await ask({ ...question, label: t("reason"), yes: t("takeBack") });
  return reason ? { reason } : null;
}
