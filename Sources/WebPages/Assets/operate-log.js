// The log, newest events first, each as readable JSON. A button that stays in place goes further back. The page's address contains the
// filter.

import { get } from "./api.js";
import { t } from "./words.js";
import { busy, byId, emptyState, fill, h, leaveIfSignedOut, onSubmit, showLoading, showProblem, toast } from "./ui.js";
import { lastBefore } from "./log-walk.js";
import { enter, eventLine, ownProblem, readiness } from "./operate.js";

const PAGE = 20;
/** The number of positions that a filtered page searches first. */
const SPARSE = 2_000;
const place = byId("events");
const filter = byId("filter");
const address = new URLSearchParams(location.search);
/** @type {any[]} the events on the page, oldest first. */
let shown = [];
let hasOlder = false;
let isUnfolded = false;

/** @type {import("./log-walk.js").Read} */
async function read(after, limit) {
  const query = new URLSearchParams({ after: String(after), limit: String(limit) });
  for (const name of ["tag", "type"]) if (address.get(name)) query.set(name, address.get(name) ?? "");
  return (await get(`/v1/admin/events?${query}`)).items;
}

/** @param {number} end the position before which the events are shown. */
async function show(end) {
  const isFiltered = address.has("tag") || address.has("type");
  const found = await lastBefore(read, end, PAGE, isFiltered ? SPARSE : PAGE + 1);
  draw(found.items, found.hasOlder);
}

async function newest() {
  await show((await readiness()).position + 1);
}

async function older() {
  if (hasOlder) await show(shown[0].position);
}

async function newer() {
  const last = shown.at(-1)?.position ?? 0;
  const items = await read(last, PAGE);
  if (items.length === 0) return toast(t("operateLogNothingNewer"));
  // If there are fewer newer events than a page has room for, the page also shows events that it has shown before.
  if (items.length < PAGE) await show(items[items.length - 1].position + 1);
  else draw(items, true);
}

/**
 * @param {any[]} items
 * @param {boolean} isContinued
 */
function draw(items, isContinued) {
  [shown, hasOlder] = [items, isContinued];
  const button = byId("older");
  button.setAttribute("aria-disabled", String(!hasOlder));
  button.setAttribute("aria-describedby", "where");
  if (items.length === 0) {
    byId("where").textContent = "";
    return fill(place, emptyState("search", t("operateLogEmptyTitle"), t("operateLogEmptyText")));
  }
  const range = t("operateLogRange", { first: items[0].position, last: items[items.length - 1].position });
  byId("where").textContent = hasOlder ? range : `${range} ${t("operateLogBeginning")}`;
  fill(place, h("ul", { class: "list events" }, items.slice().reverse().map(line)));
}

/** @param {any} each */
const line = (each) => eventLine(each, isUnfolded);

/**
 * Runs one step through the log, such as the step to older events. The shown events stay until the next events have arrived.
 * @param {Event | null} event
 * @param {() => Promise<unknown>} step
 */
async function walk(event, step) {
  const act = async () => {
    try {
      await step();
    } catch (error) {
      if (!leaveIfSignedOut(error)) showProblem(place, error, () => walk(null, step), ownProblem);
    }
  };
  if (event) await busy(/** @type {HTMLButtonElement} */ (event.currentTarget), act);
  else await act();
}

byId("newest").addEventListener("click", (/** @type {Event} */ event) => walk(event, newest));
byId("newer").addEventListener("click", (/** @type {Event} */ event) => walk(event, newer));
byId("older").addEventListener("click", (/** @type {Event} */ event) => hasOlder && walk(event, older).then(() => draw(shown, hasOlder)));
byId("unfold").addEventListener("click", (/** @type {Event} */ event) => {
  isUnfolded = !isUnfolded;
  const button = /** @type {HTMLElement} */ (event.currentTarget);
  button.setAttribute("aria-pressed", String(isUnfolded));
  for (const each of place.querySelectorAll("li > details")) each.open = isUnfolded;
});
byId("everything").addEventListener("click", () => {
  filter.reset();
  for (const name of ["tag", "type"]) filter.elements[name].value = "";
  filter.requestSubmit();
});

onSubmit(filter, async (data) => {
  for (const name of ["tag", "type", "before"]) {
    const value = String(data.get(name) ?? "").trim();
    if (value) address.set(name, value);
    else address.delete(name);
  }
  const query = String(address);
  history.replaceState(null, "", query ? `${location.pathname}?${query}` : location.pathname);
  showLoading(place);
  // Events that another filter found must not stay below a filter that was refused.
  await newest().catch((error) => {
    draw([], false);
    fill(place);
    throw error;
  });
}, ownProblem);

enter(async () => {
  for (const name of ["tag", "type"]) filter.elements[name].value = address.get(name) ?? "";
  showLoading(place);
  const before = Number(address.get("before"));
  await walk(null, Number.isSafeInteger(before) && before > 0 ? () => show(before) : newest);
});
