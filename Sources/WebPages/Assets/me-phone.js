// Changes the phone number. A code is sent to the new number and, if the session is older than some minutes, another code to the present
// number.

import { ApiError, send, write } from "./api.js";
import { has, t } from "./words.js";
import { fill, h, onSubmit, phoneFields, phoneHint } from "./ui.js";

/** @param {string} code */
const own = (code) => has(`phoneProblem${code}`) ? t(`phoneProblem${code}`) : "";

/**
 * @param {HTMLElement} place
 * @param {{phone: string, region: string | null}} me the account with its number until now. The new number is read in the same region.
 * @param {(account: any) => void} changed
 */
export function changePhone(place, me, changed) {
  const close = () => fill(place);
  const input = h("input", { id: "new-phone", name: "phone", type: "tel", inputmode: "tel", autocomplete: "tel", required: true, maxlength: 64, "aria-describedby": "new-phone-hint" });
  const form = h("form", { method: "post", novalidate: true }, field("new-phone", t("newPhone"), input, h("p", { class: "hint", id: "new-phone-hint" }, me.region ? phoneHint(me.region) : t("phoneHint"))),
    buttons(t("sendCode"), close));
  onSubmit(form, async (data) => {
    const typed = phoneFields(data.get("phone"), me.region);
    const sent = await sendCode(typed);
    askCode(place, { typed, ...sent }, me.phone, changed);
  }, own);
  fill(place, form);
  input.focus();
}

/**
 * @param {{phone: string, region?: string}} typed
 * @returns {Promise<{phone: string, told: string}>} the number, and the sentence that tells the code in development mode; empty otherwise.
 */
async function sendCode(typed) {
  const { body } = await send("POST", "/v1/verifications", { body: typed });
  return { phone: body.phone, told: body.devCode ? `${t("devCode")} ${body.devCode}` : "" };
}

/**
 * @param {HTMLElement} place
 * @param {{typed: {phone: string, region?: string}, phone: string, told: string}} sent
 * @param {string} present
 * @param {(account: any) => void} changed
 */
function askCode(place, { typed, phone, told }, present, changed) {
  const code = codeInput("new-phone-code", "code");
  const more = h("div", {});
  const form = h("form", { method: "post", novalidate: true }, h("p", { class: "lead" }, t("codeSentTo"), " ", h("strong", {}, phone)), note(told),
    field("new-phone-code", t("codeLabel"), code), more, buttons(t("changePhone"), () => fill(place)));
  onSubmit(form, async (data) => {
    const [fresh, current] = [digits(data.get("code")), digits(data.get("currentCode"))];
    const body = { ...typed, code: fresh, ...(current ? { currentCode: current } : {}) };
    try {
      // Codes are secrets, so the act is not stored.
      const answer = await write("phone", "PUT", "/v1/me/phone", body, { isStored: false });
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
  const { told } = await sendCode({ phone: present });
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
