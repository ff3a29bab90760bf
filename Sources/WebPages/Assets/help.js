// The form of the help page for messages to the operator, which needs a sign-in. The answers to questions are in the page's HTML.

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
  // The form was hidden when the browser looked for the address's anchor, so this scrolls to it now.
  if (location.hash === "#report") byId("report").scrollIntoView();
}

start();
