// The proof that an erasure needs if its session began more than ten minutes ago: a code that is sent to the account's number, or the password.

import { send } from "./api.js";
import { has, t } from "./words.js";
import { fill, h, onSubmit } from "./ui.js";

/** @typedef {{code: string} | {password: string}} Proof */

/** @param {string} code */
const own = (code) => has(`signInProblem${code}`) ? t(`signInProblem${code}`) : "";

/**
 * Sends a code, and shows the form that asks for it. With a password, the reader may enter that instead, also if no code could be sent.
 * @param {HTMLElement} place
 * @param {{phone: string, hasPassword: boolean}} me
 * @param {(proof: Proof) => Promise<void>} prove
 */
export async function askProof(place, { phone, hasPassword }, prove) {
  const answer = await send("POST", "/v1/verifications", { body: { phone } }).catch((error) => {
    if (!hasPassword) throw error;
    return null;
  });
  const devCode = answer?.body.devCode;
  const told = devCode ? h("p", { class: "note dev-code" }, `${t("devCode")} ${devCode}`) : null;
  const code = h("input", { class: "code-input", id: "proof", name: "code", inputmode: "numeric", autocomplete: "one-time-code", required: true, maxlength: 12 });
  const password = h("input", { id: "proof", name: "password", type: "password", autocomplete: "current-password", required: true, maxlength: 128 });
  const entered = h("div", {}, field(t("codeLabel"), code));
  const other = h("button", { class: "quiet", type: "button", onclick: () => {
    fill(entered, field(t("passwordLabel"), password));
    other.remove();
    password.focus();
  } }, t("withPassword"));
  const form = h("form", { method: "post", novalidate: true }, h("p", {}, t("eraseProofWhy")),
    answer ? h("p", { class: "lead" }, t("codeSentTo"), " ", h("strong", {}, phone)) : null, told, entered,
    h("div", { class: "buttons" }, h("button", { class: "button danger", type: "submit" }, t("eraseYes")), hasPassword ? other : null,
      h("button", { class: "button secondary", type: "button", onclick: () => fill(place) }, t("keepAccount"))));
  onSubmit(form, async (data) => {
    const secret = data.get("password");
    await prove(secret === null ? { code: String(data.get("code") ?? "").normalize("NFKC").replace(/\D/g, "") } : { password: String(secret) });
  }, own);
  fill(place, form);
  if (answer) code.focus();
  else other.click();
}

/**
 * @param {string} label
 * @param {HTMLElement} control
 */
const field = (label, control) => h("div", { class: "field" }, h("label", { for: control.id }, label), control);
