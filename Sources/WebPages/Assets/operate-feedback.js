// People's feedback to the operator, newest first.

import { get } from "./api.js";
import { moment, t } from "./words.js";
import { actionButton, byId, emptyState, fill, h, showLoading, showProblem, written } from "./ui.js";
import { attempt, enter, logLink, ownProblem } from "./operate.js";

const place = byId("feedback");

/** @param {string} [cursor] */
const list = (cursor) => get(`/v1/admin/feedback?limit=20${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`);

async function start() {
  showLoading(place);
  try {
    const page = await list();
    draw(page.items, page.next);
  } catch (error) {
    showProblem(place, error, start, ownProblem);
  }
}

/**
 * @param {any[]} items
 * @param {string | null} next
 */
function draw(items, next) {
  if (items.length === 0) return fill(place, emptyState("message", t("operateFeedbackEmptyTitle"), t("operateFeedbackEmptyText")));
  const more = next ? actionButton(t("showMore"), () => attempt(async () => {
    const page = await list(next);
    draw(items.concat(page.items), page.next);
  }), { class: "button secondary" }) : null;
  fill(place, h("ul", { class: "list" }, items.map(item)), more);
}

/** @param {any} each */
function item(each) {
  return h("li", {}, h("article", { class: "row" }, h("div", { class: "grow" },
    h("p", { class: "lines" }, each.text === null ? h("em", {}, t("operateErased")) : written(each.text)),
    h("span", { class: "meta" }, moment(each.createdAt), " · ", logLink(each.author, t("operateItsEvents"))))));
}

enter(start);
