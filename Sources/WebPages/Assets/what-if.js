// The page of what-if questions: a slider for the goal, and the progress of the question that the service is answering.
//
// The page works without this script, but its reader would have to reload the page until the answer is there.

import { ApiError, get } from "./api.js";
import { t } from "./words.js";
import { byId, h, leaveIfSignedOut, sayProblem, toast } from "./ui.js";

const PERIOD = 1_000;

/** The input for the goal. The input and its slider follow each other. */
const goal = byId("goal");
if (goal) {
  const slider = h("input", { type: "range", min: 1, max: 50, value: goal.value || 10, "aria-label": t("whatIfGoal"), id: "goal-slider" });
  slider.addEventListener("input", () => { goal.value = slider.value; });
  goal.addEventListener("input", () => { slider.value = goal.value; });
  byId("goal-slider-place").append(slider);
}

/** The factor of bonus hours. The fields for their days and times are disabled unless the factor is above 1. */
const factor = byId("factor");
if (factor) {
  const draw = () => {
    for (const name of ["days", "from", "to"]) byId(name).disabled = !(Number(factor.value) > 1);
  };
  factor.addEventListener("change", draw);
  draw();
}

/** Renews the session and loads the page again. The browser's own request for the page cannot renew a session. */
async function renew() {
  try {
    await get("/v1/me");
    location.reload();
  } catch (error) {
    if (!leaveIfSignedOut(error)) toast(sayProblem(error), { kind: "bad" });
  }
}

/**
 * Shows the progress of a question until it is answered.
 * @param {string} job the address of the question's page.
 */
async function follow(job) {
  try {
    const state = await get(`${job}/state`);
    if (state.isOver) return location.reload();
    const bar = byId("progress-bar");
    if (state.total > 0) {
      bar.max = state.total;
      bar.value = state.done;
    }
    const text = state.before > 0 ? t("whatIfWaiting", { count: state.before + 1 }) : state.total > 0 ? t("whatIfRunning") : t("whatIfLooking");
    if (byId("progress-text").textContent !== text) byId("progress-text").textContent = text;
  } catch (error) {
    if (leaveIfSignedOut(error)) return;
    // The service keeps questions in memory and has started again since. The form, whose address is the same without the number, is shown.
    if (error instanceof ApiError && error.status === 404) return location.replace(job.replace(/\/\d+$/, ""));
    byId("progress-text").textContent = sayProblem(error);
  }
  setTimeout(() => follow(job), PERIOD);
}

const progress = byId("progress");
if (progress) follow(progress.dataset.job);
if (byId("signed-out")) renew();
