// The health of the service: its own report, the progress of each model, and the auditor's findings.

import { get } from "./api.js";
import { has, moment, number, t } from "./words.js";
import { busy, byId, fill, h, icon, showLoading, showProblem } from "./ui.js";
import { enter, facts, ownProblem, readiness } from "./operate.js";

/** @param {string} code */
const capital = (code) => code.charAt(0).toUpperCase() + code.slice(1);
/**
 * The words for the reason why the service is not ready; the code itself if there are no words for it.
 * @param {string} code
 */
const reason = (code) => has(`operateReason${capital(code)}`) ? t(`operateReason${capital(code)}`) : code;
/**
 * The words for a warning; the code itself if there are no words for it.
 * @param {string} code
 */
const warning = (code) => has(`operateWarning${capital(code)}`) ? t(`operateWarning${capital(code)}`) : code;

/** Draws the report and the auditor's findings, when both answers have arrived. Otherwise a late report would push the findings down. */
async function start() {
  const answers = [readiness(), get("/v1/admin/audit")];
  const both = Promise.allSettled(answers);
  await Promise.all([showReadiness(both.then(() => answers[0])), showAuditor(both.then(() => answers[1]))]);
}

/** @param {Promise<any>} [answer] */
async function showReadiness(answer = readiness()) {
  const place = byId("readiness");
  if (!place.firstChild) showLoading(place);
  try {
    const said = await answer;
    const isReady = said.status === "ready";
    fill(
      place,
      h("p", {}, h("span", { class: `badge ${isReady ? "good" : "bad"}` }, isReady ? t("operateReady") : t("operateNotReady"))),
      (said.reasons ?? []).map((/** @type {any} */ each) => note("bad", reason(each.code), each.model)),
      (said.warnings ?? []).map(warn),
      facts([
        [t("operateVersion"), said.version ?? t("operateUnknown")], [t("operatePosition"), number(said.position)],
        [t("operateWriting"), said.writing ? t("operateYes") : t("operateNo")], [t("operateWaiting"), number(said.waitingCommands)],
        [t("operateAsOf"), moment(Date.now())],
      ]),
      table(t("operateModels"), [t("operateModel"), t("operateLag"), t("operatePosition"), t("operateState")], said.models.map((/** @type {any} */ each) => [
        each.name, number(each.lag), number(each.position),
        each.stalled ? badge("bad", t("operateStalled")) : each.stale ? badge("warn", t("operateStale")) : badge("good", t("operateKeepsUp")),
      ])),
    );
  } catch (error) {
    showProblem(place, error, () => showReadiness(), ownProblem);
  }
}

/** @param {any} each */
function warn(each) {
  const where = [each.model ?? each.map, each.cause].filter(Boolean).join(": ");
  const link = each.position ? h("a", { href: `/operate/log?before=${each.position + 1}` }, `${each.event ?? ""} #${each.position}`) : null;
  return note("warn", warning(each.code), where, each.remedy, link);
}

/**
 * @param {"bad" | "warn"} kind
 * @param {string} title
 * @param {...any} lines
 */
function note(kind, title, ...lines) {
  return h("div", { class: `note ${kind}` }, icon("alert"), h("div", {}, h("p", {}, h("strong", {}, title)), lines.filter(Boolean).map((each) => h("p", {}, each))));
}

/** @param {Promise<any>} [answer] */
async function showAuditor(answer = get("/v1/admin/audit")) {
  const place = byId("auditor");
  try {
    const said = await answer.finally(() => {
      byId("auditor-part").hidden = false;
    });
    if (!said.isRunning) return fill(place, h("p", {}, t("operateAuditorOff")));
    fill(
      place,
      facts([
        [t("operateRuns"), number(said.runs)],
        [t("operateLastRun"), said.lastSeconds === null ? t("operateNotYet") : t("operateSeconds", { seconds: number(said.lastSeconds) })],
      ]),
      said.models.flatMap((/** @type {any} */ each) => [each.mismatch, each.failure].some(Boolean)
        ? [note("bad", each.name, each.mismatch, each.diagnosis, each.failure)] : []),
      table(t("operateAuditor"), [t("operateModel"), t("operateCompared"), t("operateState")], said.models.map((/** @type {any} */ each) => [
        each.name, each.position === null ? t("operateNotYet") : number(each.position), auditState(each.state),
      ])),
    );
  } catch (error) {
    showProblem(place, error, () => showAuditor(), ownProblem);
  }
}

/** @param {string} state */
function auditState(state) {
  const kinds = /** @type {Record<string, string>} */ ({ equal: "good", pending: "", different: "bad", failed: "bad" });
  const word = has(`operateAudit${capital(state)}`) ? t(`operateAudit${capital(state)}`) : state;
  return badge(kinds[state] ?? "", word);
}

/**
 * @param {string} kind
 * @param {string} text
 */
const badge = (kind, text) => h("span", { class: `badge ${kind}` }, text);

/**
 * A table. If it is wider than the screen, it scrolls without the rest of the page, also with the keyboard.
 * @param {string} caption
 * @param {string[]} heads
 * @param {any[][]} rows
 */
function table(caption, heads, rows) {
  return h("div", { class: "table-box", tabindex: "0", role: "region", "aria-label": caption }, h("table", {},
    h("caption", {}, caption),
    h("thead", {}, h("tr", {}, heads.map((each) => h("th", { scope: "col" }, each)))),
    h("tbody", {}, rows.map(([name, ...cells]) => h("tr", {}, h("th", { scope: "row" }, name), cells.map((each) => h("td", {}, each)))))));
}

byId("refresh").addEventListener("click", (/** @type {Event} */ event) => busy(/** @type {HTMLButtonElement} */ (event.currentTarget), start));
enter(start);
