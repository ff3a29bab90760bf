// Changes the phone number. A code is sent to the new number and, if the session is older than some minutes, another code to the present
// number.

import { ApiError, newKey, send, withSession } from "./api.js";
import { has, t } from "./words.js";
import { fill, h, onSubmit, phoneOf } from "./ui.js";

/** @param {string} code */
const own = (code) => has(`phoneProblem${code}`) ? t(`phoneProblem${code}`) : "";

/**
 * @param {HTMLElement} place
 * @param {string} present the number until now.
 * @param {(account: any) => void} changed
 */
export function changePhone(place, present, changed) {
  const close = () => fill(place);
  const input = h("input", { id: "new-phone", name: "phone", type: "tel", inputmode: "tel", autocomplete: "tel", required: true, maxlength: 24, "aria-describedby": "new-phone-hint" });
  const form = h("form", { method: "post", novalidate: true }, field("new-phone", t("newPhone"), input, h("p", { class: "hint", id: "new-phone-hint" }, t("phoneHint"))),
    buttons(t("sendCode"), close));
  onSubmit(form, async (data) => {
    const phone = phoneOf(String(data.get("phone")));
    const told = await sendCode(phone);
    askCode(place, phone, present, told, changed);
  }, own);
  fill(place, form);
  input.focus();
}

/**
 * @param {string} phone
 * @returns {Promise<string>} the sentence that tells the code in development mode; empty otherwise.
 */
async function sendCode(phone) {
  const { body } = await send("POST", "/v1/verifications", { body: { phone } });
  return body.devCode ? `${t("devCode")} ${body.devCode}` : "";
}

/**
 * @param {HTMLElement} place
 * @param {string} phone
 * @param {string} present
 * @param {string} told
 * @param {(account: any) => void} changed
 */
function askCode(place, phone, present, told, changed) {
  const code = codeInput("new-phone-code", "code");
  const more = h("div", {});
  const form = h("form", { method: "post", novalidate: true }, h("p", { class: "lead" }, t("codeSentTo"), " ", h("strong", {}, phone)), note(told),
    field("new-phone-code", t("codeLabel"), code), more, buttons(t("changePhone"), () => fill(place)));
  const last = { content: "", key: "" };
  onSubmit(form, async (data) => {
    const [fresh, current] = [digits(data.get("code")), digits(data.get("currentCode"))];
    const body = { phone, code: fresh, ...(current ? { currentCode: current } : {}) };
    // Codes are secrets, so the key is kept only in memory, as long as the same request is repeated.
    if (last.content !== JSON.stringify(body)) Object.assign(last, { content: JSON.stringify(body), key: newKey() });
    try {
      const answer = await withSession(() => send("PUT", "/v1/me/phone", { body, key: last.key }));
      fill(place);
      changed(answer.body);
    } catch (error) {
      const isAsked = error instanceof ApiError && error.errors.some((each) => each.pointer === "/currentCode");
      if (!isAsked || more.firstChild) throw error;
      await askPresent(more, present);
    }
  }, own);
  fill(place, form);
  code.focus();
}

/**
 * @param {HTMLElement} place
 * @param {string} present
 */
async function askPresent(place, present) {
  const told = await sendCode(present);
  const input = codeInput("present-phone-code", "currentCode");
  fill(place, h("div", { role: "status" }, h("p", {}, t("presentPhoneWhy"), " ", h("strong", {}, present)), note(told)),
    field("present-phone-code", t("presentPhoneCode"), input, h("p", { class: "hint" }, t("presentPhoneLost"))));
  input.focus();
}

/** @param {FormDataEntryValue | null} value */
const digits = (value) => String(value ?? "").normalize("NFKC").replace(/\D/g, "");
/** @param {string} told */
const note = (told) => (told ? h("p", { class: "note dev-code" }, told) : null);

/**
 * @param {string} id
 * @param {string} name
 */
const codeInput = (id, name) =>
  h("input", { class: "code-input", id, name, inputmode: "numeric", autocomplete: "one-time-code", required: true, maxlength: 12 });

/**
 * @param {string} id
 * @param {string} label
 * @param {...Node} content
 */
const field = (id, label, ...content) => h("div", { class: "field" }, h("label", { for: id }, label), ...content);

/**
 * @param {string} yes
 * @param {() => void} closed
 */
const buttons = (yes, closed) => h("div", { class: "buttons" }, h("button", { class: "button", type: "submit" }, yes),
  h("button", { class: "button secondary", type: "button", onclick: closed }, t("cancel")));
