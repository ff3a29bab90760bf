// The statistics of a shop: tables, some with a chart that the server draws. Each table can also be saved as a file.

import { get } from "./api.js";
import { enter, own, shopID } from "./shop-frame.js";
import { day, dayAt, language, number, t } from "./words.js";
import { fill, h, icon, showProblem, toast } from "./ui.js";

/** @typedef {"text" | "day" | "number" | "share" | "change" | "decimal"} Kind */
/** @typedef {{label: string, kind: Kind, value: any}} Figure */
/**
 * @typedef {object} Section
 * @property {string} name
 * @property {string} title
 * @property {string} hint
 * @property {string} finding
 * @property {Figure[]} figures
 * @property {Figure[]} more
 * @property {{title: string, kind: Kind}[]} columns
 * @property {any[][]} rows
 * @property {number | null} readersRow
 * @property {string | null} chart
 * @property {string | null} says
 */
/** @typedef {{from: string, to: string, timeZone: string, isComplete: boolean, sections: Section[]}} Part */

const RANGES = [{ days: 30, word: t("numbersRange30") }, { days: 90, word: t("numbersRange90") }, { days: 365, word: t("numbersRange365") }];
const asked = Number(new URLSearchParams(location.search).get("days"));
/** The number of days shown. It is 0 if the reader chose no range, until the server answers with a range that suits the shop's history. */
let range = RANGES.find((each) => each.days === asked)?.days ?? 0;

const DAY = 86_400_000;

const shares = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 });
const changes = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1, signDisplay: "exceptZero" });
const decimals = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });

/**
 * @param {string} name
 * @param {string} [more]
 * @returns {Promise<Part>}
 */
const part = (name, more = "") => get(`/shop/${shopID}/numbers/${name}?${range ? `days=${range}` : ""}${more}`);

enter("manager", async ({ shop, content }) => {
  const days = await part("days");
  range = (Date.parse(days.to) - Date.parse(days.from)) / DAY + 1;
  const [customers, branches] = await Promise.all([part("customers"), part("branches")]);
  const [acts, staff] = days.sections;
  fill(content,
    h("nav", { class: "segments", "aria-label": t("numbersRange") },
      isSinceStart() ? h("a", { href: location.pathname, "aria-current": "page" }, t("numbersRangeStart")) : null,
      RANGES.map((each) => h("a", { href: `?days=${each.days}`, "aria-current": each.days === range ? "page" : null }, each.word))),
    h("p", { class: "hint", id: "period" }, sayPeriod(days)),
    sayIncomplete(days, customers, branches),
    section(acts, days), customers.sections.map((each) => section(each, customers)), effect(shop.campaigns),
    h("p", { class: "buttons" }, h("a", { class: "button secondary", id: "what-if", href: `/shop/${shopID}/numbers/what-if` }, t("whatIfLink"))),
    section(staff, days), branches.sections.map((each) => section(each, branches)));
});

/** Whether all days of the shop are shown, because the reader chose no range and the shop is younger than the shortest range. */
const isSinceStart = () => !RANGES.some((each) => each.days === range);

/** @param {Part} found */
function sayPeriod(found) {
  // A date without a time is parsed as midnight in UTC, so it is also formatted in UTC.
  const values = { from: dayAt(found.from, "UTC"), to: dayAt(found.to, "UTC"), zone: found.timeZone, count: range };
  if (isSinceStart()) return t("numbersSinceStart", values);
  const isWidened = !asked && range > RANGES[0].days;
  return `${isWidened ? `${t("numbersWidened")} ` : ""}${t("numbersPeriod", values)}`;
}

/**
 * A note if one of these parts does not include all events yet; nothing otherwise.
 * @param {Part[]} found
 */
function sayIncomplete(...found) {
  if (found.every((each) => each.isComplete)) return null;
  return h("p", { class: "note" }, icon("info"), h("span", {}, t("numbersIncomplete")));
}

// MARK: Texts of values

/**
 * @param {any} value
 * @param {Kind} kind
 */
function shown(value, kind) {
  if (value === null) return "–";
  if (kind === "day") return day(value);
  if (kind === "share") return shares.format(value);
  if (kind === "change") return changes.format(value);
  if (kind === "decimal") return decimals.format(value);
  return kind === "number" ? number(value) : h("bdi", { class: "written" }, value);
}

// MARK: Sections of the page

/**
 * @param {Section} each
 * @param {Part} found
 */
function section(each, found) {
  return h("section", { id: each.name }, h("h2", {}, each.title), ...parts(each, found));
}

/**
 * @param {Section} each
 * @param {Part} found
 */
function parts(each, found) {
  const isEmpty = each.rows.length === 0;
  return [
    isEmpty && !each.finding ? h("p", { class: "note" }, icon("info"), h("span", {}, t("numbersNothing"))) : null,
    each.finding ? h("p", { class: "lead" }, each.finding) : null,
    isEmpty || each.figures.length === 0 ? null : figures(each.figures),
    each.chart ? chart(each) : null,
    isEmpty ? null : table(each, found),
    definition(each, isEmpty),
  ];
}

/** @param {Figure[]} all */
const figures = (all) => h("dl", { class: "figures" }, all.map(({ label, value, kind }) => h("div", {}, h("dt", {}, label), h("dd", {}, shown(value, kind)))));

/**
 * The folded explanation of a section's figures, with the figures that few readers need.
 * @param {Section} each
 * @param {boolean} isEmpty
 */
function definition(each, isEmpty) {
  if (!each.hint) return null;
  return h("details", { class: "numbers counted" }, h("summary", { "aria-label": t("numbersCountedOf", { title: each.title }) }, t("numbersCounted")),
    isEmpty || each.more.length === 0 ? null : figures(each.more), h("p", { class: "hint" }, each.hint));
}

/**
 * The chart as an `img` element. Its SVG is not part of the page's HTML, so that the SVG cannot affect the page.
 * @param {Section} each
 */
function chart(each) {
  const svg = each.chart ?? "";
  const [, width, height] = /width="([\d.]+)" height="([\d.]+)"/.exec(svg) ?? [];
  const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  const picture = h("img", { class: "chart", src: address, alt: each.says, width, height });
  picture.addEventListener("load", () => URL.revokeObjectURL(address));
  return h("div", { class: "chart-box", tabindex: 0, role: "group", "aria-label": each.title }, picture);
}

/**
 * @param {Section} each
 * @param {Part} found
 */
function table(each, found) {
  const isNumber = each.columns.map(({ kind }) => kind !== "text" && kind !== "day");
  const heading = t("numbersTable", { title: each.title });
  const save = h("button", { class: "button secondary", type: "button", "aria-label": t("numbersDownloadOf", { title: each.title }) },
    icon("download"), t("numbersDownload"));
  save.addEventListener("click", () => download(`${each.name}-${found.from}-${found.to}.csv`, csv(each)));
  return [
    h("details", { class: "numbers" }, h("summary", {}, heading),
      h("div", { class: "table-box", tabindex: 0, role: "group", "aria-label": heading },
        h("table", {},
          h("thead", {}, h("tr", {}, each.columns.map(({ title }, index) => h("th", { scope: "col", class: isNumber[index] ? "number" : null }, title)))),
          h("tbody", {}, each.rows.map((row, at) => h("tr", {}, row.map((value, index) =>
            h(index === 0 ? "th" : "td", { scope: index === 0 ? "row" : null, class: isNumber[index] ? "number" : null },
              shown(at === each.readersRow && index === 0 ? t("personIsYou", { name: value }) : value, each.columns[index].kind)))))))),
    ),
    h("div", { class: "buttons" }, save),
  ];
}

// MARK: The effect of a campaign

/** @param {any[]} campaigns */
function effect(campaigns) {
  // The effect of a shared campaign is shown only in the numbers of the campaign's own shop.
  campaigns = campaigns.filter((each) => each.shop.id === shopID);
  if (campaigns.length === 0) return null;
  const choice = h("select", { id: "effect-campaign" }, h("option", { value: "" }, t("numbersChooseCampaign")),
    [...campaigns].reverse().map((each) => h("option", { value: each.id }, each.title || t("unnamedCampaign"))));
  const place = h("div", { role: "status" });
  /** @returns {Promise<void>} */
  async function show() {
    const wanted = choice.value;
    fill(place);
    if (!wanted) return;
    try {
      const found = await part("customers", `&campaign=${wanted}`);
      // Another campaign may have been chosen meanwhile.
      if (choice.value !== wanted) return;
      fill(place, sayIncomplete(found), ...found.sections.filter(({ name }) => name === "effect").flatMap((each) => parts(each, found)).flat());
    } catch (error) {
      if (choice.value === wanted) showProblem(place, error, show, own);
    }
  }
  choice.addEventListener("change", show);
  return h("section", { id: "effect" }, h("h2", {}, t("numbersEffectTitle")), 
    h("div", { class: "field" }, h("label", { for: "effect-campaign" }, t("numbersCampaign")), choice), place);
}

// MARK: Tables as files

/**
 * The table as CSV for spreadsheets (RFC 4180). A text that a spreadsheet would treat as a formula gets an apostrophe at its beginning.
 * @param {Section} each
 */
function csv(each) {
  const text = (/** @type {any} */ value, /** @type {Kind} */ kind) => {
    const plain = value === null ? "" : kind === "text" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
    return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
  };
  const heading = each.columns.map(({ title }) => text(title, "text"));
  const lines = [heading, ...each.rows.map((row) => row.map((value, index) => text(value, each.columns[index].kind)))];
  return lines.map((line) => `${line.join(",")}\r\n`).join("");
}

/**
 * @param {string} name
 * @param {string} text
 */
function download(name, text) {
  // The byte order mark tells spreadsheets that the text is UTF-8.
  const address = URL.createObjectURL(new Blob(["\ufeff", text], { type: "text/csv" }));
  const link = h("a", { href: address, download: name, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
  toast(t("numbersDownloaded"));
}
