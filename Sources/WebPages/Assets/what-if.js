// What if the goal had been another: a slider beside the number, and the progress of the question that was asked.
//
// The page works without this script; it only spares its reader loading it again and again.

import { get } from "./api.js";
import { t } from "./words.js";
import { byId, h, leaveIfSignedOut, sayProblem, toast } from "./ui.js";

const PERIOD = 1_000;

/** The number's slider. Both show the same. */
const goal = byId("goal");
if (goal) {
  const slider = h("input", { type: "range", min: 1, max: 50, value: goal.value || 10, "aria-label": t("whatIfGoal"), id: "goal-slider" });
  slider.addEventListener("input", () => { goal.value = slider.value; });
  goal.addEventListener("input", () => { slider.value = goal.value; });
  byId("goal-slider-place").append(slider);
}

/** Somebody whose session is too old comes back with a new one. */
async function renew() {
  try {
    await get("/v1/me");
    location.reload();
  } catch (error) {
    if (!leaveIfSignedOut(error)) toast(sayProblem(error), { kind: "bad" });
  }
}

/** @param {string} job */
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
    byId("progress-text").textContent = sayProblem(error);
  }
  setTimeout(() => follow(job), PERIOD);
}

const progress = byId("progress");
if (progress) follow(progress.dataset.job);
if (byId("signed-out")) renew();
