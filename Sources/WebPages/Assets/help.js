// Help, and telling the operator what went wrong. The answers are on the page already; the form is for those who are signed in.

import { account, write } from "./api.js";
import { has, t } from "./words.js";
import { byId, fill, h, icon, onSubmit, signInAddress } from "./ui.js";

const form = /** @type {HTMLFormElement} */ (byId("feedback-form"));
const news = byId("feedback-news");

/** @param {string} code */
const own = (code) => has(`helpProblem${code}`) ? t(`helpProblem${code}`) : "";

function start() {
  if (!account()) {
    return fill(news, h("p", {}, t("helpSignIn")), h("p", { class: "buttons" },
      h("a", { class: "button", href: signInAddress("/help#report") }, t("signIn"))));
  }
  form.hidden = false;
  onSubmit(form, async (data) => {
    fill(news);
    const text = String(data.get("text") ?? "").trim();
    await write("feedback", "POST", "/v1/feedback", { text });
    form.reset();
    const note = h("div", { class: "note", tabindex: "-1" }, icon("check"), h("p", {}, h("strong", {}, t("helpSent")), t("helpSentHow")));
    fill(news, note);
    note.focus();
  }, own);
  // The address names the form, which was not there when the browser looked for it.
  if (location.hash === "#report") byId("report").scrollIntoView();
}

start();
