// The texts in the page's language, and numbers, times and distances in the form of that language.
//
// Words/*.yaml has all texts. The module that is loaded here has the texts that scripts use, by their keys.

/** @type {Record<string, string | string[]>} */
const table = (await import(document.documentElement.dataset.words ?? "")).default;

/** The page's language, for `Accept-Language` and `Intl`. */
export const language = document.documentElement.lang;

/**
 * A text with its values filled in. Values are shown as text and never parsed as HTML.
 *
 * @param {string} key
 * @param {Record<string, string | number>} [values] `count` also selects singular or plural
 * @returns {string}
 */
export function t(key, values = {}) {
  const entry = table[key];
  if (entry === undefined) return key;
  const form = typeof entry === "string" ? entry : (values.count === 1 ? entry[0] : entry[entry.length - 1]);
  return form.replace(/\{(\w+)\}/g, (place, name) => (name in values ? String(values[name]) : place));
}

/**
 * Whether a text exists for the key.
 *
 * @param {string} key
 */
export const has = (key) => key in table;

const numbers = new Intl.NumberFormat(language);
/**
 * The locale for dates and times. On English pages, it is the reader's own kind of English, because the order of month and day differs
 * between countries. If the browser's language is not English, or is unknown to `Intl`, the locale is British English.
 */
function region() {
  if (language !== "en") return language;
  try {
    const own = new Intl.Locale(navigator.language).toString();
    return /^en(-[A-Za-z0-9]{2,8})*$/.test(own) ? own : "en-GB";
  } catch {
    return "en-GB";
  }
}
const regional = region();
const days = new Intl.DateTimeFormat(regional, { dateStyle: "medium" });
const moments = new Intl.DateTimeFormat(regional, { dateStyle: "medium", timeStyle: "short" });
const hours = new Intl.DateTimeFormat(regional, { timeStyle: "short" });

/** @param {number} value */
export const number = (value) => numbers.format(value);
/** @param {string | number | Date} time */
export const day = (time) => days.format(new Date(time));
/** @param {string | number | Date} time */
export const moment = (time) => moments.format(new Date(time));
/** @param {string | number | Date} time */
export const hour = (time) => hours.format(new Date(time));

/**
 * The time of day in a shop's time zone.
 * @param {string | number | Date} time
 * @param {string} zone
 */
export const hourAt = (time, zone) => new Intl.DateTimeFormat(regional, { timeStyle: "short", timeZone: zone || "UTC" }).format(new Date(time));

/**
 * A date in a shop's time zone, in the form that the server uses on pages.
 * @param {string | number | Date} time
 * @param {string} zone
 */
export function dayAt(time, zone) {
  const date = new Date(time);
  if (language !== "en") return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: zone }).format(date);
  const shown = new Intl.DateTimeFormat("en-US", { year: "numeric", month: "short", day: "numeric", timeZone: zone }).formatToParts(date);
  return ["day", "month", "year"].map((name) => shown.find(({ type }) => type === name)?.value).join(" ");
}

const lists = new Intl.ListFormat(language, { type: "conjunction" });
/** @param {string[]} names */
export const listed = (names) => lists.format(names);

/** @param {number} metres */
export const distance = (metres) => metres < 1000
  ? new Intl.NumberFormat(language, { style: "unit", unit: "meter", maximumFractionDigits: 0 }).format(Math.round(metres / 10) * 10)
  : new Intl.NumberFormat(language, { style: "unit", unit: "kilometer", maximumFractionDigits: metres < 10000 ? 1 : 0 }).format(metres / 1000);

/**
 * The local date and time in a time zone: `2026-11-25T18:30`.
 * @param {string | number | Date} time
 * @param {string} zone
 */
export function wallClock(time, zone) {
  const parts = /** @type {const} */ ({ year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" });
  // The Swedish locale writes `2026-11-25 18:30`, which differs from the form of input controls only in the space.
  return new Intl.DateTimeFormat("sv-SE", { ...parts, timeZone: zone || "UTC" }).format(new Date(time)).replace(" ", "T");
}
