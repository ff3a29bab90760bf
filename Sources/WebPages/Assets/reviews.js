// The reviews of a shop for a signed-in reader, who can write a review, answer reviews, and remove own reviews. The script loads the list
// again from the service, because the HTML of the page is the same for everybody and may be a minute old.

import { get, write } from "./api.js";
import { dayAt, has, t } from "./words.js";
import { actionButton, busy, byId, confirm, fill, h, icon, leaveIfSignedOut, onSubmit, sayProblem, toast, written } from "./ui.js";

/** The number of reviews on a page, the same as on the server. */
const PAGE = 10;
const DEPTH_MAX = 8;
const TEXT_MAX = 2_000;

/**
 * @typedef {object} Review
 * @property {string} id
 * @property {{nickname: string | null, avatar: string | null, isShop: boolean}} author
 * @property {number | null} rating
 * @property {string | null} text
 * @property {boolean} verified
 * @property {boolean} removed
 * @property {boolean} [isMine]
 * @property {string} createdAt
 * @property {Review[]} replies
 */

let shop = "";
/** @param {string} code the refusal's code. */
const own = (code) => has(`reviewProblem${code}`) ? t(`reviewProblem${code}`) : "";

/** @param {string} id */
export async function showReviews(id) {
  shop = id;
  const link = byId("write-review");
  link.addEventListener("click", (/** @type {Event} */ event) => {
    event.preventDefault();
    openForm();
  });
  await refresh();
}

const cursor = () => new URLSearchParams(location.search).get("reviews");

async function refresh() {
  const after = cursor();
  const page = await get(`/v1/shops/${shop}/reviews?limit=${PAGE}${after ? `&cursor=${encodeURIComponent(after)}` : ""}`);
  if (page.items.length > 0) fill(byId("review-list"), page.items.map((/** @type {Review} */ each) => review(each, 0)));
  const older = byId("older-reviews");
  if (!older) return;
  older.parentElement.hidden = !page.next;
  older.href = `${location.pathname}?reviews=${encodeURIComponent(page.next ?? "")}#reviews`;
}

// MARK: Drawing reviews

/** @param {Review} each whose author was erased, if it has neither text nor stars. */
const isEmpty = (each) => !each.text && !each.rating;

/**
 * @param {Review} each
 * @param {number} depth
 * @returns {HTMLElement}
 */
function review(each, depth) {
  const { author } = each;
  const name = author.nickname || (author.isShop ? t("theShop") : t("somebody"));
  const portrait = author.avatar
    ? h("img", { class: "avatar", src: `/v1/images/${author.avatar}?width=160`, alt: "", width: 40, height: 40, loading: "lazy" })
    : h("span", { class: "avatar", "aria-hidden": "true" }, [...name][0]);
  const head = h("header", {}, portrait, h("p", {}, h("bdi", { class: "who" }, name), " ",
    author.isShop ? h("span", { class: "badge good" }, t("theShop")) : null,
    each.verified && !author.isShop ? h("span", { class: "badge" }, t("hasCard")) : null, " ",
    h("time", { class: "muted small", datetime: each.createdAt }, dayAt(each.createdAt, byId("review-list").dataset.zone))));
  const acts = h("div", { class: "acts" });
  return h("article", { class: "review", tabindex: "-1", "data-review": each.id }, head,
    each.rating ? h("p", {}, stars(each.rating)) : null,
    each.text && !each.removed ? h("p", { class: "lines" }, written(each.text)) : null,
    each.removed ? h("p", { class: "muted" }, t("removedReview")) : isEmpty(each) ? h("p", { class: "muted" }, t("erasedReview")) : actions(each, depth, acts, name), acts,
    each.replies.length ? h("div", { class: "replies" }, each.replies.map((reply) => review(reply, depth + 1))) : null);
}

/**
 * @param {Review} each
 * @param {number} depth
 * @param {HTMLElement} acts where the form of an answer appears.
 * @param {string} name
 */
function actions(each, depth, acts, name) {
  const answer = depth < DEPTH_MAX
    ? h("button", { class: "quiet", type: "button", "aria-label": t("answerTo", { name }), onclick: () => openAnswer(each.id, acts) }, t("answer")) : null;
  const removal = each.isMine ? actionButton(t("removeReview"), () => remove(each.id), { class: "quiet danger" }) : null;
  return h("div", { class: "buttons tight" }, answer, removal);
}

/** @param {number} count */
function stars(count) {
  return [h("span", { class: "stars", "aria-hidden": "true" }, [1, 2, 3, 4, 5].map((each) => star(each <= count))),
    h("span", { class: "unseen" }, t("ratedOutOf", { stars: count }))];
}

/** @param {boolean} isOn @param {boolean} [isHalf] */
function star(isOn, isHalf = false) {
  const shown = icon(isHalf ? "star-half" : "star");
  if (isOn) shown.classList.add("on");
  return shown;
}

// MARK: Writing reviews

function openForm() {
  const place = byId("review-form");
  if (place.firstChild) return place.querySelector("input").focus();
  const form = h("form", { method: "post", novalidate: true }, choice(), textField("review-text", t("reviewText")), buttons(t("publish"), () => {
    fill(place);
    byId("write-review").focus();
  }));
  onSubmit(form, async (data) => {
    const [rating, text] = [Number(data.get("rating")) || undefined, String(data.get("text")).trim() || undefined];
    await post(`review ${shop}`, `/v1/shops/${shop}/reviews`, { rating, text }, form);
    fill(place);
  }, own);
  fill(place, form);
  form.querySelector("input").focus();
}

/** A choice of one to five stars, made of radio buttons. */
function choice() {
  const labels = [1, 2, 3, 4, 5].map((count) => h("label", {},
    h("input", { class: "unseen", type: "radio", name: "rating", value: count }), star(false), h("span", { class: "unseen" }, t("starsGiven", { count }))));
  const set = h("fieldset", {}, h("legend", {}, t("yourStars")), h("div", { class: "star-choice" }, labels), h("p", { class: "hint" }, t("starsHint")));
  set.addEventListener("change", (/** @type {Event} */ event) => {
    const chosen = Number(/** @type {HTMLInputElement} */ (event.target).value);
    for (const [index, label] of labels.entries()) label.querySelector(".icon")?.classList.toggle("on", index < chosen);
  });
  return set;
}

/**
 * @param {string} id
 * @param {string} label
 */
function textField(id, label) {
  return h("div", { class: "field" }, h("label", { for: id }, label), h("textarea", { id, name: "text", maxlength: TEXT_MAX, dir: "auto" }));
}

/**
 * @param {string} send
 * @param {() => void} closed
 */
function buttons(send, closed) {
  return h("div", { class: "buttons" }, h("button", { class: "button", type: "submit" }, send),
    h("button", { class: "button secondary", type: "button", onclick: closed }, t("cancel")));
}

/**
 * @param {string} parent
 * @param {HTMLElement} place
 */
function openAnswer(parent, place) {
  const form = h("form", { method: "post", novalidate: true }, textField(`answer-${parent}`, t("yourAnswer")), buttons(t("publish"), () => fill(place)));
  onSubmit(form, (data) => post(`answer ${parent}`, `/v1/reviews/${parent}/replies`, { text: String(data.get("text")).trim() }, form), own);
  fill(place, form);
  form.querySelector("textarea").focus();
}

/**
 * @param {string} act
 * @param {string} path
 * @param {unknown} content
 * @param {HTMLFormElement} form
 */
async function post(act, path, content, form) {
  const { body } = await write(act, "POST", path, content);
  form.reset();
  toast(t("reviewPosted"));
  // A new review is on the first page, so a reader of a later page is taken there. An answer is on the present page.
  if (cursor() && path.startsWith("/v1/shops/")) return location.assign(`${location.pathname}#reviews`);
  await redraw();
  focusOn(body.id);
}

/** @param {string} id */
async function remove(id) {
  const isSure = await confirm({ title: t("removeReviewTitle"), text: t("removeReviewText"), yes: t("removeReview"), isDanger: true });
  if (!isSure) return;
  try {
    await write(`remove ${id}`, "DELETE", `/v1/reviews/${id}`);
    toast(t("reviewRemoved"));
    await redraw();
    focusOn(id);
  } catch (error) {
    if (!leaveIfSignedOut(error)) toast(sayProblem(error, own), { kind: "bad" });
  }
}

/** Draws the reviews again after a change. A failure is not reported, because the change itself was made. */
async function redraw() {
  await Promise.all([refresh(), get(`/v1/shops/${shop}`).then((found) => drawRating(found.rating))]).catch(() => null);
}

/** @param {string} id */
function focusOn(id) {
  const found = /** @type {HTMLElement | null} */ (document.querySelector(`[data-review="${CSS.escape(id)}"]`));
  (found ?? byId("write-review")).focus();
}

/** @param {{average: number | null, count: number, histogram: number[]}} rating */
function drawRating(rating) {
  const average = (rating.average ?? 0).toFixed(1);
  const lead = byId("shop-rating");
  if (lead) {
    lead.hidden = rating.count === 0;
    fill(lead, rated(rating.average ?? 0, average), ` ${average} · `, h("a", { href: "#reviews" }, t("ratingCount", { count: rating.count })));
  }
  byId("rating")?.remove();
  if (rating.count === 0) return;
  const line = (/** @type {number} */ stars) => {
    const count = rating.histogram[stars - 1];
    return h("li", {}, h("span", { "aria-hidden": "true" }, `${stars} ★`), h("span", { class: "unseen" }, t("starsCount", { count: stars })),
      bar(Math.floor((count * 100) / rating.count)), h("span", {}, count));
  };
  const shown = h("div", { class: "rating", id: "rating" }, h("p", {}, h("span", { class: "average" }, average), h("br"), rated(rating.average ?? 0, average), h("br"),
    h("span", { class: "muted small" }, t("ratingCount", { count: rating.count }))), h("ul", { class: "histogram" }, [5, 4, 3, 2, 1].map(line)));
  byId("write-review").parentElement.before(shown);
}

/**
 * @param {number} average
 * @param {string} text
 */
function rated(average, text) {
  const halves = Math.round(average * 2);
  return [h("span", { class: "stars", "aria-hidden": "true" }, [1, 2, 3, 4, 5].map((each) => star(each <= halves / 2, each * 2 - 1 === halves))),
    h("span", { class: "unseen" }, t("ratedOutOf", { stars: text }))];
}

/** @param {number} share */
function bar(share) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  for (const [name, value] of [["viewBox", "0 0 100 1"], ["preserveAspectRatio", "none"], ["aria-hidden", "true"]]) svg.setAttribute(name, value);
  const filled = document.createElementNS(space, "rect");
  filled.setAttribute("width", String(share));
  filled.setAttribute("height", "1");
  svg.append(filled);
  return svg;
}
