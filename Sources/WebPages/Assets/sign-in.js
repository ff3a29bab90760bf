// Signing in with a phone number, by a code in a text message or by password. A number that signs in with a code for the first time is
// registered.

import { account, get, load, save, send, signIn, wasSignedIn } from "./api.js";
import { has, t } from "./words.js";
import { busy, byId, h, icon, onSubmit, phoneFields, regionName, sayProblem, toast } from "./ui.js";

const phoneForm = byId("phone-form");
const codeForm = byId("code-form");
const passwordForm = byId("password-form");
const devCode = byId("dev-code");

/** Seconds after a text message until the next one may be requested, the same as on the server. */
const AGAIN = 60;
const region = byId("region");
/** The name of the stored value that has the country that was chosen last. */
const REGION = "region";
/**
 * The fields of the number that was typed last; null while the number is being typed.
 * @type {{phone: string, region?: string} | null}
 */
let typed = null;
/** The same number as the service reads it. */
let phone = "";

/** Puts the countries in order by their names. Chooses the one that was chosen last, or the one of the browser's language. */
function showRegions() {
  const options = /** @type {HTMLOptionElement[]} */ ([...region.options].filter((each) => each.value));
  for (const each of options) each.textContent = `${regionName(each.value)} ${each.dataset.code}`;
  region.append(...options.sort((a, b) => a.text.localeCompare(b.text, document.documentElement.lang)));
  const spoken = navigator.languages.map((each) => new Intl.Locale(each).region).find(Boolean);
  region.value = load(REGION) ?? spoken ?? "";
  // The browser's language may be of a region without a numbering plan.
  if (region.selectedIndex < 0) region.value = "";
}

function readTyped() {
  save(REGION, region.value || null);
  return phoneFields(phoneForm.elements.phone.value, region.value);
}

/** @param {string} code the refusal's code. */
const own = (code) => has(`signInProblem${code}`) ? t(`signInProblem${code}`) : "";

/** The address that opens after signing in, from the parameter `next`. It is always an address of this service, even if `next` is not. */
function nextPlace() {
  const asked = new URLSearchParams(location.search).get("next") ?? "";
  try {
    const resolved = new URL(asked, location.origin);
    const isOurs = asked.startsWith("/") && resolved.origin === location.origin && resolved.pathname !== "/sign-in";
    // Returns the whole address and not only its path: "/.//evil.example" resolves to a path with two slashes at the beginning, which alone
    // would name another host.
    // A browser keeps the part behind `#`, such as a badge's code, when the server leads to this page.
    if (isOurs && !resolved.hash) resolved.hash = location.hash;
    return isOurs ? resolved.href : "/wallet";
  } catch {
    return "/wallet";
  }
}

/** @param {HTMLFormElement} form */
function show(form) {
  for (const each of [phoneForm, codeForm, passwordForm]) each.hidden = each !== form;
  for (const each of document.querySelectorAll(".phone-shown")) each.textContent = phone;
  /** @type {HTMLInputElement | null} */ (form.querySelector("input:not([type=hidden])"))?.focus();
}

/**
 * Whether the page's address is one of this machine itself, like that of a development server. Only then, the form is filled in with the
 * phone number in the page's address, as in the links of a demo. On other servers, such a link could make its readers request text
 * messages for a number that the link's author has chosen.
 */
const isHere = ["127.0.0.1", "localhost", "[::1]"].includes(location.hostname);
const linked = (isHere && new URLSearchParams(location.search).get("phone")) || "";

/**
 * Requests a code for the number, and opens the form for it, unless the person has gone back to the number meanwhile.
 * @returns {Promise<boolean>} whether the form is open.
 */
async function sendCode() {
  const asked = typed;
  const { body } = await send("POST", "/v1/verifications", { body: asked });
  if (typed !== asked) return false;
  phone = body.phone;
  byId("user-name").value = phone;
  byId("impossible").hidden = body.isPossible;
  // Only a development server returns the code.
  if (body.devCode) {
    devCode.replaceChildren(t("devCode"), " ", h("strong", { translate: "no" }, body.devCode));
    devCode.hidden = false;
  }
  show(codeForm);
  waitForAgain();
  if (body.devCode && linked && typed?.phone === linked) {
    codeForm.elements.code.value = body.devCode;
    codeForm.requestSubmit();
  }
  return true;
}

/** @type {ReturnType<typeof setInterval> | undefined} */
let timer;

/** Disables the button for another code, and counts the seconds until it works again. An earlier countdown ends. */
function waitForAgain() {
  clearInterval(timer);
  const button = byId("send-again");
  const end = performance.now() + AGAIN * 1_000;
  button.setAttribute("aria-disabled", "true");
  const tick = () => {
    const left = Math.ceil((end - performance.now()) / 1_000);
    button.textContent = left > 0 ? t("sendAgainIn", { count: left }) : t("sendAgain");
    if (left > 0) return;
    button.removeAttribute("aria-disabled");
    clearInterval(timer);
  };
  timer = setInterval(tick, 1_000);
  tick();
}

/** @param {{code?: string, password?: string}} secret */
async function enter(secret) {
  await signIn({ ...(typed ?? { phone }), ...secret });
  // An offer of work may have waited for the number.
  const offers = await get("/v1/me/invitations?limit=100").catch(() => null);
  save("offers", offers?.items.length || null);
  location.replace(nextPlace());
}

onSubmit(phoneForm, async () => {
  typed = readTyped();
  await sendCode();
}, own);

onSubmit(codeForm, async (data) => {
  await enter({ code: String(data.get("code")).normalize("NFKC").replace(/\D/g, "") });
}, own);

onSubmit(passwordForm, async (data) => enter({ password: String(data.get("password")) }), own);

// A complete code is sent without a tap, because the phone may have filled it in from the text message.
codeForm.elements.code.addEventListener("input", () => {
  const digits = codeForm.elements.code.value.normalize("NFKC").replace(/\D/g, "");
  if (digits.length === 6) codeForm.requestSubmit();
});

// This does not use `busy`, which would enable the button at its end, while the next countdown is running.
byId("send-again").addEventListener("click", async (/** @type {Event} */ event) => {
  const button = /** @type {HTMLButtonElement} */ (event.currentTarget);
  if (button.hasAttribute("aria-disabled") || button.hasAttribute("aria-busy")) return;
  button.setAttribute("aria-busy", "true");
  try {
    if (await sendCode()) toast(t("codeSent"));
  } catch (error) {
    toast(sayProblem(error, own), { kind: "bad" });
  } finally {
    button.removeAttribute("aria-busy");
  }
});

byId("with-password").addEventListener("click", () => {
  const read = readTyped();
  const message = /** @type {HTMLElement} */ (phoneForm.querySelector(".error"));
  message.hidden = read.phone !== "";
  if (!read.phone) {
    message.textContent = t("signInProblemPhoneMissing");
    return phoneForm.elements.phone.focus();
  }
  typed = read;
  phone = read.phone;
  byId("user-name").value = phone.replace(/\s/g, "");
  show(passwordForm);
});

for (const button of document.querySelectorAll("[data-back]")) {
  button.addEventListener("click", () => {
    typed = null;
    devCode.hidden = true;
    show(phoneForm);
  });
}
for (const button of document.querySelectorAll("[data-code]")) {
  button.addEventListener("click", () => busy(/** @type {HTMLButtonElement} */ (button), () =>
    sendCode().catch((error) => toast(sayProblem(error, own), { kind: "bad" }))));
}

// Tells a person whose session was ended, for example on another device, why signing in is necessary again.
const over = new URLSearchParams(location.search).get("over");
// The server leads here without a session's cookie, and does not know whether somebody was signed in before.
if (over === "1" || (over === "maybe" && wasSignedIn())) {
  phoneForm.before(h("div", { class: "note", role: "status" }, icon("info"), h("p", {}, t("sessionOver"))));
}
// Nothing of a person whose session has ended stays in this browser. Only the service knows whether it has: a link could say anything.
if (over && account()) get("/v1/me").catch(() => null);
showRegions();
if (linked) phoneForm.elements.phone.value = linked.slice(0, 64);
