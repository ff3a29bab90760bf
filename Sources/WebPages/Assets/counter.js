// The counter: shows a code for the customer's camera. If the code expires unused, the page replaces it, but only a few times. Staff can
// also stamp a card directly by badge, phone number or paper card. For a minute, the page offers to take the last stamps back.

import { ApiError, forget, get, load, now, onSettled, pause, resume, save, unanswered, write } from "./api.js";
import { codeIn, groupAsTyped, paperIn } from "./codes.js";
import { onLive } from "./live.js";
import { has, hour, listed, t, wallClock } from "./words.js";
import { actionButton, busy, byId, clearToasts, emptyState, fill, h, icon, logo, onSubmit, openScreen, phoneFields, phoneHint, sayProblem, sayShared, shortOf, showLoading, showProblem, spaced, tint, toast, written } from "./ui.js";
import { keepTyped, saysOver, toWallet, watchSession, workplaces } from "./workplace.js";

/** Seconds for which a shown code is valid. */
const VALID = 300;
/**
 * The number of codes that are shown one after the other without being used. After that, somebody must tap, because each code stays in the
 * log for ever.
 */
const UNUSED_MAX = 6;
/** Milliseconds between two checks whether the code was used. The stream usually reports the use earlier. */
const LOOK = 4_000;
const UNDO_SECONDS = 60;

const place = byId("counter");
const controls = byId("counter-controls");
/** @type {any} */
let shop = null;
/** @type {any[]} */
let campaigns = [];
let stamps = 1;
/** The time zone by which bonus hours begin: that of the shop whose counter this is. */
let zone = "";
/** The region of the shop's own phone number, in which customers' numbers are read. */
let region = "";
let unused = 0;
/**
 * The code on the screen.
 * @type {any}
 */
let shown = null;
/**
 * A valid code that is not on the screen. It was closed, or came too late to be shown. A customer who scanned it may still be signing in.
 * @type {any}
 */
let putAway = null;
/**
 * The code that was used last, and the message about it. Its `id` is empty once the log position of its stamp is known.
 * @type {{id: string, count: number, success: Element | null}}
 */
let lastUsed = { id: "", count: 0, success: null };

/** @param {string} code */
const own = (code) => has(`counterProblem${code}`) ? t(`counterProblem${code}`) : "";

/** A badge or a paper card that was opened with a phone's own camera (`/b/CODE`, `/p/CODE`), or scanned before a campaign was chosen. */
let opened = location.hash.slice(1);

/** The number of calls of `start`. The answer to an earlier call is not drawn, because another shop was chosen since. */
let starts = 0;

async function start() {
  const turn = ++starts;
  showLoading(place);
  // Until the campaigns of the chosen shop are known, stamps would be given at the shop that was chosen before.
  controls.hidden = true;
  try {
    const workplace = await workplaces(byId("workplace"), start);
    const found = workplace && await get(`/v1/shops/${workplace.id}`);
    if (turn !== starts) return;
    shop = workplace;
    if (!shop) return fill(place, emptyState("shop", t("noShopTitle"), t("noShopText"), toWallet()));
    zone = found.timeZone;
    region = found.region;
    byId("phone-hint").textContent = phoneHint(region);
    campaigns = cardsAt(found);
    draw();
    offerOpened();
  } catch (error) {
    if (!isOver(error) && turn === starts) showProblem(place, error, start, own);
  }
}

/**
 * The running campaigns whose cards are stamped at this shop: first the shop's own, then those of other shops. Both parts are in the order
 * from the newest to the oldest.
 * @param {any} found
 * @returns {any[]}
 */
function cardsAt(found) {
  const isOwn = (/** @type {any} */ each) => Number(each.shop.id === found.id);
  return found.campaigns.filter((/** @type {any} */ each) => each.running && each.kind === "stampCard").reverse()
    .sort((/** @type {any} */ one, /** @type {any} */ other) => isOwn(other) - isOwn(one));
}

/**
 * If an error means that the session is over, tells the person so and returns true. Returns false for any other error.
 * @param {unknown} error
 */
function isOver(error) {
  if (!saysOver(error, place, controls)) return false;
  [shown, putAway] = [null, null];
  screen?.close();
  return true;
}

function draw() {
  controls.hidden = campaigns.length === 0;
  if (campaigns.length === 0) return fill(place, emptyState("ticket", t("noCampaignTitle"), t("noCampaignText")));
  const select = byId("campaign");
  const isOnly = campaigns.length === 1;
  const known = isOnly ? campaigns[0].id : load("campaigns")?.[shop.id];
  const isKnown = campaigns.some((each) => each.id === known);
  fill(select, isKnown ? null : h("option", { value: "", selected: true, disabled: true }, t("campaignChoose")),
    campaigns.map((each) => h("option", { value: each.id, selected: each.id === known }, each.title || t("unnamedCampaign"))));
  byId("campaign-field").hidden = isOnly;
  byId("campaign-name").hidden = !isOnly;
  fill(byId("campaign-name"), isOnly ? [`${t("campaignLabel")} `, titleOf(chosen())] : null);
  select.onchange = () => {
    save("campaigns", { ...load("campaigns"), [shop.id]: select.value });
    drawShared();
    drawWorth();
  };
  drawShared();
  fill(byId("stamps"), Array.from({ length: 10 }, (_, index) => amount(index + 1)));
  drawWorth();
  fill(place);
  place.classList.remove("fills");
}

/** Shows the other shops at which the chosen campaign's cards are stamped. */
function drawShared() {
  const found = chosen();
  fill(byId("campaign-shared"), found ? sayShared(found, shop.id) : null);
}

/** @param {number} count */
function amount(count) {
  return h("button", {
    class: "chip", type: "button", "aria-pressed": String(count === stamps), "aria-label": t("counterStamps", { count }),
    onclick: () => choose(count),
  }, count);
}

/** @param {number} count */
function choose(count) {
  stamps = count;
  for (const [index, each] of [...byId("stamps").children].entries()) each.setAttribute("aria-pressed", String(index + 1 === count));
  drawWorth();
}

/** The id of the chosen campaign; empty while it is still to be chosen from several. */
const campaign = () => byId("campaign").value;
const chosen = () => campaigns.find((each) => each.id === campaign());
/** @param {any} campaign */
const titleOf = (campaign) => written(campaign?.title, t("unnamedCampaign"));

/** If no campaign is chosen, focuses the choice and throws. A customer may notice stamps of a wrong campaign too late. */
function requireCampaign() {
  if (campaign()) return;
  byId("campaign").focus();
  throw new ApiError("campaignMissing");
}

// MARK: Bonus hours

const DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/**
 * The number of stamps that one stamp of a campaign is worth at a moment, because of bonus hours in the shop's local time. The service
 * itself decides by the moment at which it issued the code.
 * @param {any} campaign
 * @param {number} time
 */
function factor(campaign, time) {
  const [date, clock] = wallClock(time, zone).split("T");
  const today = new Date(`${date}T00:00Z`).getUTCDay();
  const yesterday = (today + 6) % 7;
  const found = (campaign?.bonuses ?? []).find((/** @type {any} */ { days, from, to }) => {
    const isOn = (/** @type {number} */ day) => days.includes(DAYS[day]);
    return from < to ? isOn(today) && from <= clock && clock < to : (isOn(today) && from <= clock) || (isOn(yesterday) && clock < to);
  });
  return found?.factor ?? 1;
}

/**
 * The sentence about bonus hours, if they are at a moment; otherwise empty.
 * @param {any} campaign
 * @param {number} count the stamps that were chosen.
 * @param {number} time
 */
function sayBonus(campaign, count, time) {
  const times = factor(campaign, time);
  return times > 1 ? t("bonusGives", { factor: times, stamps: count, count: count * times }) : "";
}

/** Milliseconds between two looks at the clock, because bonus hours begin and end while the page is open. */
const CLOCK_LOOK = 10_000;

/** Shows what the chosen number of stamps is worth now: in the buttons that give them, and in bonus hours in a sentence. */
function drawWorth() {
  const text = campaign() ? sayBonus(chosen(), stamps, now()) : "";
  if (byId("bonus").textContent !== text) byId("bonus").textContent = text;
  const count = stamps * (campaign() ? factor(chosen(), now()) : 1);
  for (const each of document.querySelectorAll("[data-gives]")) each.textContent = t("giveCount", { count });
}
setInterval(() => { if (shop && campaigns.length) drawWorth(); }, CLOCK_LOOK);

// MARK: A code on the screen

byId("show-code").addEventListener("click", (/** @type {Event} */ event) => {
  unused = 0;
  // The message about the previous customer must not stay beside the code for the next customer.
  fill(byId("given"));
  busy(/** @type {HTMLButtonElement} */ (event.currentTarget), () => issue());
});

/** @type {ReturnType<typeof openScreen> | null} */
let screen = null;

/** @typedef {{campaign: any, stamps: number}} Order what a code is for. */

/**
 * Issues a code and shows it. The code has the campaign and the number of stamps that were chosen when the request began, even if others
 * are chosen before the answer. If the screen was closed meanwhile, or its code was used, the new code is put away and not shown.
 * @param {Order} [order] the order of the expired code that the new one replaces; by default, what is chosen on the page.
 */
async function issue(order = { campaign: chosen(), stamps }) {
  const before = [screen, shown];
  const isSame = () => before[0] === screen && before[1] === shown;
  try {
    if (!order.campaign) requireCampaign();
    const { id } = order.campaign;
    const wanted = { stamps: order.stamps, validFor: VALID, shop: shop.id };
    const earlier = await lateCode();
    if (earlier && JSON.stringify(earlier.order) === JSON.stringify(order) && isSame()) return show(earlier);
    if (earlier) {
      putAway = earlier;
      drawPutAway();
    }
    const { body } = await write("issue", "POST", `/v1/campaigns/${id}/codes`, wanted, { isPatient: false });
    const issued = withOrder(body, order);
    if (isSame()) return show(issued);
    putAway = issued;
    drawPutAway();
  } catch (error) {
    if (isOver(error)) return;
    if (!screen || !isSame()) return toast(sayProblem(error, own), { kind: "bad", seconds: 10 });
    showProblem(screen.content, error, () => issue(order), own);
  }
}

/**
 * @param {any} body
 * @param {Order} order
 */
function withOrder(body, order) {
  const times = factor(order.campaign, now());
  return { ...body, order, times, worth: order.stamps * times };
}

/** The valid code whose answer was lost, asked for again with its key; null if there is none. */
async function lateCode() {
  // A code would be expired by now if its request has arrived, and would be another one if not.
  forget(({ name, at }) => name === "issue" && now() - at > VALID * 1_000);
  const [act] = unanswered("issue");
  const answer = act ? await resume(act.key, { isPatient: false }) : null;
  const of = answer && campaigns.find((each) => act.path?.includes(each.id));
  if (!of || Date.parse(answer.body.expiresAt) <= now()) return null;
  return withOrder(answer.body, { campaign: of, stamps: act.body.stamps });
}

/** @param {any} issued */
function show(issued) {
  shown = issued;
  if (putAway?.id === issued.id) {
    putAway = null;
    drawPutAway();
  }
  showCode(issued);
  watch(issued.id);
}

/** @param {any} issued */
function showCode({ order, times, worth, ...issued }) {
  screen ??= openScreen(t("codeForCustomer"), closed, tint(shop));
  const lead = h("p", { class: "lead centered", tabindex: "-1" }, t("showToCustomer", { count: worth }));
  const code = h("shown-code");
  const isFocusLost = screen.content.contains(document.activeElement);
  fill(screen.content, logo(shop), lead, h("p", { class: "centered" }, titleOf(order.campaign)),
    times > 1 ? h("p", { class: "centered" }, t("bonusNow", { factor: times })) : null, code);
  // The button that requested the code is no longer on the page, so the focus moves to a text.
  if (isFocusLost) lead.focus();
  code.shown = issued;
  code.addEventListener("expired", () => {
    unused += 1;
    if (unused < UNUSED_MAX && !document.hidden) issue(order);
    else rest(order);
  });
}

/**
 * Handles the closing of the code's screen. The unused code stays valid, because the customer who scanned it may still be signing in. The
 * number of stamps becomes one again, for the next customer.
 */
function closed() {
  [putAway, shown, screen] = [shown ?? putAway, null, null];
  choose(1);
  drawPutAway();
}

/** Shows that a closed code is still valid, until when, and the ways to use or cancel it. */
function drawPutAway() {
  const left = putAway;
  const place = byId("put-away");
  if (!left || Date.parse(left.expiresAt) <= now()) return fill(place);
  const line = h("div", { class: "note", role: "status" }, icon("qr"), h("p", {}, t("codeStillWorks", { code: left.code, time: hour(left.expiresAt) })),
    h("div", { class: "buttons" }, h("button", { class: "button secondary", type: "button", onclick: () => show(left) }, t("showAgain")),
      actionButton(t("cancelCode"), () => cancel(left), { class: "quiet danger" })));
  fill(place, line);
  setTimeout(() => line.remove(), Date.parse(left.expiresAt) - now());
}

/** The codes that this page is cancelling. The page's own answer reports their end. */
const cancelling = new Set();

/** @param {any} left */
async function cancel(left) {
  cancelling.add(left.id);
  try {
    await write(`destroy ${left.id}`, "DELETE", `/v1/codes/${left.id}`);
    // Another code may have been put away before the answer came.
    if (putAway?.id === left.id) putAway = null;
    drawPutAway();
    toast(t("codeCancelled"));
  } catch (error) {
    if (!isOver(error)) toast(sayProblem(error, own), { kind: "bad", seconds: 10 });
  } finally { cancelling.delete(left.id); }
}

/**
 * Stops renewing codes, because nobody seems to be there. A tap continues.
 * @param {Order} order
 */
function rest(order) {
  shown = null;
  if (screen) fill(screen.content, emptyState("clock", t("restTitle"), t("restText")), h("p", { class: "buttons centered" },
    actionButton(t("newCode"), () => { unused = 0; return issue(order); }, { class: "button large" })));
}

/** @param {string} id */
async function watch(id) {
  while (shown?.id === id) {
    await pause(LOOK);
    if (shown?.id !== id || document.hidden) continue;
    const found = await get(`/v1/codes/${id}`).catch((error) => isNoLongerStaff(error) ? { status: "destroyed" } : null);
    if (found?.status === "used") used(id, 0, 0);
    if (found?.status === "destroyed") withdrawn(id);
  }
}

/**
 * Whether the service denies that a code exists. It does so once its reader has stopped working at the shop, and the code then works no
 * more.
 * @param {unknown} error
 */
const isNoLongerStaff = (error) => error instanceof ApiError && error.code === "notFound";

/**
 * Takes a code off the page that was withdrawn before anybody used it: a manager destroyed it, the shop closed, or the person who issued it
 * has stopped working at the shop.
 * @param {string} id
 */
function withdrawn(id) {
  if (putAway?.id === id && !cancelling.has(id)) {
    putAway = null;
    drawPutAway();
    toast(t("codeCancelled"), { kind: "info" });
  }
  if (shown?.id !== id) return;
  const { order } = shown;
  shown = null;
  if (!screen) return;
  const next = actionButton(t("newCode"), () => issue(order), { class: "button large" });
  fill(screen.content, h("div", { class: "empty" }, icon("alert"), h("h2", { role: "status" }, t("codeCancelled"))),
    h("p", { class: "buttons centered" }, next));
  next.focus();
}

/**
 * @param {string} id
 * @param {number} position of the stamp; 0 where only the code's state is known.
 * @param {number} stamps that were added; 0 where only the code's state is known.
 */
async function used(id, position, stamps) {
  if (shown?.id !== id) return;
  // If a code adds stamps to several cards, each card has an event of its own, with only its part of the stamps.
  const given = Math.max(shown.worth, stamps);
  const receiver = h("p", { id: "receiver" });
  const success = h("div", { class: "empty success" }, icon("check"), h("h2", { role: "status" }, t("given", { count: given })), receiver);
  lastUsed = { id: position ? "" : id, count: given, success };
  shown = null;
  unused = 0;
  navigator.vibrate?.(80);
  if (!screen) return;
  // The next code is shown only on request. Otherwise anybody in front of the screen could collect it without having bought anything. The
  // button says how many stamps the code will give, so that nobody presses it only to continue and leaves an unwatched code on the screen.
  const sayNext = () => t("nextCode", { count: factor(chosen(), now()) });
  const next = actionButton(sayNext(), () => {
    // Bonus hours may have begun or ended since the button was drawn.
    next.textContent = sayNext();
    choose(1);
    return issue();
  }, { class: "button large" });
  fill(screen.content, success, h("p", { class: "buttons centered" }, next));
  next.focus();
  offerUndo(screen.news, given, position, success);
  const found = await stampsOf(id);
  const cards = found.map((each) => each.card);
  const total = found.reduce((sum, each) => sum + each.stamps, 0);
  if (total > given && success.classList.contains("success")) {
    success.querySelector("h2")?.replaceChildren(t("given", { count: total }));
    if (lastUsed.success === success) lastUsed.count = total;
    for (const line of /** @type {NodeListOf<HTMLElement>} */ (success.closest("dialog")?.querySelectorAll("[data-count]") ?? [])) {
      line.dataset.count = String(total);
      line.textContent = t("lastGiven", { count: total });
    }
  }
  if (cards.length) receiver.textContent = t("givenToCard", { card: listed(cards.map(shortOf)) });
  // Stamps go onto a further card only if the previous card is full. So all cards but the last are full; the last may be full too.
  if (cards.length > 1) receiver.after(h("p", {}, t("cardsFilled", { count: cards.length - 1 })));
}

/**
 * The stamps of a used code, for each card that they went onto, in the order in which the cards were filled; empty where the service does
 * not say.
 * @param {string} code
 * @returns {Promise<{card: string, stamps: number}[]>}
 */
async function stampsOf(code) {
  const { items } = await get(`/v1/shops/${shop.id}/stamps?limit=20`).catch(() => ({ items: [] }));
  // The list begins with the newest event, but the cards are needed in the order in which they were filled.
  return items.filter((/** @type {any} */ each) => each.code === code && each.card).reverse();
}

/**
 * Shows for a minute a button that takes the last stamps back. Later, they can be taken back on the page of today's stamps. The result is
 * shown at the place of the button, because the screen of a code covers the messages of the page behind it.
 * @param {Element} where
 * @param {number} count
 * @param {number} position
 * @param {Element | null} [success] the message on the screen which says that the stamps were given; a reversal replaces it.
 * @param {string} [time] when they were given, if that was earlier.
 */
function offerUndo(where, count, position, success = null, time = "") {
  if (!position) return fill(where);
  const undo = actionButton(count > 1 ? t("undoAll") : t("undo"), async () => {
    line.querySelector(".error")?.remove();
    try {
      await write(`reverse ${position}`, "POST", `/v1/stamps/${position}/reversal`, { reason: t("undoReason") });
    } catch (error) {
      if (isOver(error)) return;
      const text = sayProblem(error, own);
      if (!where.closest("dialog[open]")) return toast(text, { kind: "bad", seconds: 10 });
      return (line.isConnected ? line : where).append(h("p", { class: "error", role: "alert" }, text));
    }
    // The sum over two cards comes after the first card's stamps.
    const told = Number(line.querySelector("[data-count]")?.dataset.count ?? count);
    // This message takes the place of the one that said that stamps were given.
    toast(t("takenBack", { count: told }));
    if (success?.isConnected) {
      line.remove();
      success.classList.remove("success");
      fill(success, icon("undo"), h("h2", { role: "status" }, t("takenBack", { count: told })));
      return success.parentElement?.querySelector("button")?.focus();
    }
    const note = h("p", { class: "note", tabindex: "-1" }, icon("undo"), t("takenBack", { count: told }));
    const isFocusLost = line.contains(document.activeElement);
    // By now, the place may show the stamps of another customer.
    if (line.isConnected) fill(where, note);
    else where.append(note);
    if (isFocusLost) note.focus();
    emptyLater(where, note);
  }, { class: "button secondary" });
  const line = h("div", { class: "note" }, icon("check"), h("p", { "data-count": count }, time ? t("wasDoneGive", { count, time }) : t("lastGiven", { count })), undo);
  fill(where, line);
  emptyLater(where, line);
}

/**
 * Empties a place after a minute, unless new content has replaced `line` by then. If the action of a button in `line` still runs, it waits
 * for another minute.
 * @param {Element} where
 * @param {HTMLElement} line
 */
function emptyLater(where, line) {
  setTimeout(() => {
    if (line.querySelector("[aria-busy=true]")) emptyLater(where, line);
    else if (line.isConnected) fill(where);
  }, UNDO_SECONDS * 1_000);
}

onLive((event) => {
  if (event.name === "code" && event.data.kind === "destroyed") return withdrawn(event.data.code);
  if (event.name !== "code" || event.data.kind !== "used") return;
  if (event.data.code === shown?.id) return used(event.data.code, event.data.position, event.data.stamps);
  if (event.data.code === putAway?.id) {
    const count = Math.max(putAway.worth, event.data.stamps);
    putAway = null;
    drawPutAway();
    return offerUndo(byId("given"), count, event.data.position);
  }
  if (event.data.code === lastUsed.id && screen) offerUndo(screen.news, lastUsed.count, event.data.position, lastUsed.success);
});

// MARK: By badge, number and paper

/** @param {Record<string, string>} who */
async function give(who) {
  keepUndo();
  requireCampaign();
  // Another number may be chosen before the answer comes.
  const [wanted, order] = [stamps, chosen()];
  const path = `/v1/campaigns/${campaign()}/stamps`;
  const { body, isReplay } = await write("give", "POST", path, { ...who, stamps: wanted, shop: shop.id });
  navigator.vibrate?.(80);
  // The service counted bonus hours at the moment of the answer's event.
  const given = Date.parse(body.at);
  // Stamps on a paper card that is in nobody's account are on no customer's card yet, so `added` does not include them.
  const count = body.paper ? wanted * factor(order, given) : body.added;
  // The first answer was lost, so the time tells staff that these are not stamps of now.
  if (isReplay) toast(t("wasDoneGive", { count, time: hour(body.at) }), { seconds: 10 });
  else toast(body.paper ? t("given", { count }) : t("givenTo", { count, who: nameOf(who) }));
  // The next customer gets one stamp, unless another number was chosen before the answer came.
  if (stamps === wanted) choose(1);
  offerUndo(byId("given"), count, body.position, null, isReplay ? hour(body.at) : "");
  // Stamps on a paper card are only taken back all together.
  if (count > 1 && !body.paper) byId("given").append(h("p", { class: "muted small", "data-once": true }, h("a", { href: "/counter/today" }, t("undoPart"))));
  const bonus = sayBonus(order, wanted, given);
  if (bonus) byId("given").append(h("p", { class: "hint", "data-once": true }, bonus));
  if (body.cards.length) {
    const later = sayReceiver(nameOf(who), body);
    byId("given").append(h("p", { class: "hint", "data-later": later }, sayReceiver(body.phone ? spaced(body.phone, byId("given").dataset.codes ?? "") : nameOf(who), body)));
  }
  if (body.paper) byId("given").append(h("p", { class: "hint" }, t("paperWaits", { stamps: body.paper.stamps, goal: body.paper.goal })));
  const full = body.cards.filter((/** @type {any} */ each) => each.status === "full");
  const isOnly = body.cards.length === 1;
  if (full.length) {
    byId("given").append(h("p", { class: "note", "data-once": true }, icon("gift"), isOnly ? t("customerCardFull") : t("customerCardsFull", { count: full.length }), " ",
      written(full[0].reward)));
  }
  // On a phone, the forms are so far below that the message and its button to take the stamps back would be above the screen.
  byId("given").scrollIntoView({ block: "nearest" });
}

/**
 * Changes the message about the last stamps before stamps are given to the next customer. The Undo button stays, because giving the next
 * stamps may fail; the text beside it now says that it is about the previous customer. The note about a reward is removed, so that staff do
 * not hand the reward to the next customer. The phone number is shortened, so that the next customer cannot read it.
 */
function keepUndo() {
  clearToasts();
  document.querySelector("code-scanner [role=status]")?.replaceChildren();
  for (const each of byId("given").querySelectorAll("[data-once]")) each.remove();
  const text = byId("given").querySelector("[data-count]");
  if (text) text.textContent = t("givenBefore", { count: Number(text.dataset.count) });
  const receiver = byId("given").querySelector("[data-later]");
  if (receiver) receiver.textContent = receiver.dataset.later;
}

/**
 * The receiver of stamps in words. Of a phone number, only the end is shown.
 * @param {Record<string, string>} who
 */
function nameOf({ phone, paper }) {
  // A paper card that is in an account identifies its holder, like a badge.
  return phone ? `…${phone.slice(-4)}` : paper ? t("givenPaper") : t("givenBadge");
}

/**
 * Says who got the stamps, how many are on the card now, and what the card is called in today's list.
 * @param {string} who
 * @param {any} body the answer, with at least one card.
 */
function sayReceiver(who, { cards, added }) {
  return t("givenOnCalled", { what: sayCards(who, cards, added), card: listed(cards.map((/** @type {any} */ each) => shortOf(each.id))) });
}

/**
 * @param {string} who
 * @param {any[]} cards
 * @param {number} added
 */
function sayCards(who, cards, added) {
  const card = cards.at(-1);
  const count = cards.length - 1;
  if (count > 0 && card.status !== "full") return t("givenBeyond", { who, count, stamps: card.stamps, goal: card.goal });
  if (count > 0) return t("givenFull", { who, count: cards.length });
  // A card with no more stamps than were just added is new.
  const isNew = card.stamps <= added;
  const values = { who, stamps: card.stamps, goal: card.goal };
  return isNew ? t("givenOnNewCard", values) : t("givenOnCard", values);
}

/**
 * Empties a form whose stamps were given, unless the next customer's number or code was typed before the answer came.
 * @param {"phone" | "paper"} name the name of the form's field.
 * @param {FormData} sent
 */
function emptyAnswered(name, sent) {
  const form = byId(`${name}-form`);
  if (form.elements[name].value === sent.get(name)) form.reset();
}

// The stamps of a number that an earlier page has sent are given. If it stayed in its field, it would invite to give them again.
onSettled(({ body }, result) => {
  if (!(result instanceof Error) && body?.phone && body.phone === byId("phone").value.trim()) byId("phone-form").reset();
});
keepTyped([byId("phone"), byId("paper-code")]);
onSubmit(byId("phone-form"), async (data) => {
  try {
    const typed = phoneFields(data.get("phone"), region);
    if (!typed.phone) throw new ApiError("phoneMissing");
    await give(typed);
  } catch (error) {
    if (isOver(error)) return;
    throw error;
  }
  emptyAnswered("phone", data);
}, own);

groupAsTyped(byId("paper-code"), 16);
onSubmit(byId("paper-form"), async (data) => {
  if (!String(data.get("paper")).trim()) throw new ApiError("paperMissing");
  const code = paperIn(String(data.get("paper")));
  if (!code) throw new ApiError("paperNotValid", { status: 422 });
  try {
    await give({ paper: code });
  } catch (error) {
    if (isOver(error)) return;
    throw error;
  }
  emptyAnswered("paper", data);
}, own);

/** @param {string} text a badge's or a paper's code. */
async function giveByCode(text) {
  const paper = paperIn(text);
  try {
    if (paper) await give({ paper });
    else await give({ badge: codeIn(text, "b") });
    return true;
  } catch (error) {
    if (!isOver(error)) toast(sayProblem(error, own), { kind: "bad", seconds: 10 });
    return false;
  }
}

/**
 * Offers to give stamps to the badge or paper card in `opened`, so that staff can first choose the number of stamps. Until the shop's
 * campaigns are loaded, which needs a sign-in, the code stays behind the `#` of the page's address.
 */
function offerOpened() {
  if (!opened || campaigns.length === 0) return;
  const code = opened;
  const paper = paperIn(code);
  opened = "";
  history.replaceState(null, "", location.pathname);
  const offer = byId("badge-offer");
  const button = actionButton(t("giveStamps"), async () => {
    if (await giveByCode(code)) fill(offer);
  }, { "data-gives": true });
  fill(offer, h("div", { class: "note", role: "status" }, icon(paper ? "ticket" : "badge"),
    h("p", {}, h("strong", {}, paper ? t("paperRead") : t("badgeRead")), t("badgeReadHow")),
    h("div", { class: "buttons" }, button, paper ? h("a", { class: "quiet", href: `/p/${paper}#mine` }, t("paperIsMine")) : null,
      h("button", { class: "quiet", type: "button", onclick: () => fill(offer) }, t("cancel")))));
  drawWorth();
  button.focus();
}

document.querySelector("code-scanner")?.addEventListener("scanned", async (event) => {
  const code = /** @type {CustomEvent} */ (event).detail;
  // A customer may show a code for a reward here. The page that redeems reads such codes, and gets this one behind the `#` of its address.
  const reward = codeIn(code, "r");
  if (reward !== code.trim()) return location.assign(`/counter/verify#${encodeURIComponent(reward)}`);
  if (campaign()) return giveByCode(code);
  // The code is kept, so that the customer need not show it again once a campaign is chosen.
  opened = code;
  offerOpened();
  byId("campaign").focus();
  toast(t("counterProblemCampaignMissing"), { kind: "bad", seconds: 10 });
});
watchSession(() => [place, controls]);

start();
