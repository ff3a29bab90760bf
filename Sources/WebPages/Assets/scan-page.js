// Reads the code that the counter shows, or the code of a paper card, by camera or as typed text. The script then opens the code's page,
// which asks before it collects the stamps.

import { codeIn, groupAsTyped, paperIn } from "./codes.js";
import { t } from "./words.js";
import { byId } from "./ui.js";

const form = byId("code-form");
const input = form.elements.code;
const message = byId("code-problem");

/** @param {string} text */
function open(text) {
  const paper = paperIn(text);
  if (paper) return location.assign(`/p/${paper}`);
  const code = codeIn(text, "s").toUpperCase().replace(/[\s-]/g, "");
  if (!/^[0-9A-Z]{8}$/.test(code)) {
    message.textContent = /\/[br]\//.test(text) ? t("scanWrongKind") : t("scanNoCode");
    message.hidden = false;
    input.setAttribute("aria-invalid", "true");
    input.focus();
    return;
  }
  location.assign(`/s/${code}`);
}

groupAsTyped(input, 16);
form.addEventListener("submit", (/** @type {Event} */ event) => {
  event.preventDefault();
  open(input.value);
});
document.querySelector("code-scanner")?.addEventListener("scanned", (event) => open(/** @type {CustomEvent} */ (event).detail));
