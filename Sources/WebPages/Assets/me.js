// The page of the reader's own account: profile, phone number, favourites, muted shops, sessions, password, export of all data about the
// person, and erasure.

import { get, now, purgeAndLeave, remember, resume, save, send, unanswered, withSession, write } from "./api.js";
import { has, moment, t } from "./words.js";
import { actionButton, busy, byId, confirm, fill, h, icon, leaveIfSignedOut, onSubmit, sayProblem, showLoading, showProblem, toast } from "./ui.js";

const place = byId("me");
const profile = byId("profile-form");
const password = byId("password-form");
/** Milliseconds between two updates of the time at which a session was last used, which the service stores. */
const SEEN_EVERY = 15 * 60_000;
/** @type {any} */
let me = null;

/** @param {string} code */
const own = (code) => has(`meProblem${code}`) ? t(`meProblem${code}`) : "";

async function start() {
  try {
    me = await get("/v1/me");
    await remember(me);
    drawProfile();
    byId("my-operate").hidden = !me.isOperator;
    place.hidden = false;
    byId("me-state").hidden = true;
    drawSessions();
    const { items } = await get("/v1/me/shops");
    save("works", items.length > 0 || null);
    byId("my-counter").hidden = items.length === 0;
  } catch (error) {
    byId("me-state").hidden = false;
    showProblem(byId("me-state"), error, start);
  }
}

function drawProfile() {
  byId("my-phone").textContent = me.phone ?? "";
  for (const name of ["nickname", "city", "birthday", "gender"]) profile.elements[name].value = me[name] ?? "";
  drawPassword(me.hasPassword);
}

/** @param {boolean} isSet */
function drawPassword(isSet) {
  me.hasPassword = isSet;
  byId("remove-password").hidden = !isSet;
  byId("password-why").textContent = isSet ? t("passwordIsSet") : t("passwordWhy");
  byId("password-code").textContent = !password.hidden ? t("sendAgain") : isSet ? t("changePassword") : t("setPassword");
}

onSubmit(profile, async (data) => {
  const fields = ["nickname", "city", "birthday", "gender"];
  const changes = Object.fromEntries(fields.map((name) => [name, String(data.get(name) ?? "").trim() || null]));
  const { body } = await write("profile", "PATCH", "/v1/me", changes);
  me = body;
  await remember(me);
  drawProfile();
  toast(t("saved"));
}, own);

byId("change-phone").addEventListener("click", async () => {
  const { changePhone } = await import("./me-phone.js");
  changePhone(byId("phone-change"), me, async (changed) => {
    me = changed;
    await remember(me);
    drawProfile();
    byId("change-phone").focus();
    toast(t("phoneChanged"));
    drawSessions();
  });
});

for (const name of ["my-favorites", "my-mutes"]) {
  byId(name).addEventListener("toggle", async () => {
    if (!byId(name).open) return;
    const { showList } = await import("./me-lists.js");
    showList(name, byId(name).querySelector(".listed"));
  });
}

// MARK: Sessions

async function drawSessions() {
  const list = byId("sessions");
  showLoading(list);
  try {
    const { items } = await get("/v1/me/sessions");
    fill(list, h("ul", { class: "list" }, items.map(session)));
  } catch (error) {
    showProblem(list, error, drawSessions);
  }
}

/** @param {any} each */
function session(each) {
  const end = actionButton(t("endSession"), async () => {
    await attempt(() => write(`end ${each.id}`, "DELETE", `/v1/me/sessions/${each.id}`));
    drawSessions();
  }, { class: "quiet", "aria-label": t("endSessionOf", { device: device(each.device) }) });
  return h("li", {}, h("div", { class: "row" }, h("div", { class: "grow" },
    h("span", { class: "title" }, device(each.device), each.isCurrent ? [" ", h("span", { class: "badge good" }, t("thisDevice"))] : null),
    h("span", { class: "meta" }, each.isCurrent ? t("seenNow") : sayLastSeen(each.lastSeenAt))), each.isCurrent ? null : end));
}

/**
 * Says when a session was used last. The service notes it once in a quarter of an hour, so the noted time may be that much too early.
 * @param {string} time
 */
function sayLastSeen(time) {
  return now() - Date.parse(time) < SEEN_EVERY ? t("seenLately") : t("lastSeen", { time: moment(time) });
}

/**
 * The usual name of a device, derived from the browser's `User-Agent`.
 * @param {string | null} agent
 */
function device(agent) {
  const text = agent ?? "";
  const browser = /MicroMessenger|Edg|OPR|Firefox|Chrome|Safari/.exec(text)?.[0] ?? "";
  const system = /iPhone|iPad|Android|Windows|Macintosh|Linux/.exec(text)?.[0] ?? "";
  /** @type {Record<string, string>} */
  const names = { Edg: "Edge", OPR: "Opera", MicroMessenger: "WeChat", Macintosh: "Mac" };
  const known = [names[browser] ?? browser, names[system] ?? system].filter(Boolean).join(" · ");
  return known || t("unknownDevice");
}

byId("sign-out").addEventListener("click", (/** @type {Event} */ event) => leave(event, "/v1/sessions/current"));
byId("sign-out-everywhere").addEventListener("click", (/** @type {Event} */ event) => leave(event, "/v1/sessions"));

/**
 * @param {Event} event
 * @param {string} path
 */
function leave(event, path) {
  busy(/** @type {HTMLButtonElement} */ (event.currentTarget), async () => {
    try {
      await write("sign-out", "DELETE", path, undefined, { isPatient: false, isStored: false });
    } catch (error) {
      // A session that is already over counts as signed out. If the service could not be reached, the session continues, and the page must
      // not claim otherwise.
      if (/** @type {any} */ (error).code !== "signedOut") return toast(t("signOutFailed"), { kind: "bad", seconds: 10 });
    }
    await purgeAndLeave("/");
  });
}

// MARK: Password

onSubmit(password, async (data) => {
  const code = String(data.get("code") ?? "").normalize("NFKC").replace(/\D/g, "");
  await write("password", "PUT", "/v1/me/password", { new: String(data.get("new")), code }, { isStored: false });
  password.reset();
  password.hidden = true;
  drawPassword(true);
  toast(t("passwordSaved"));
  drawSessions();
}, own);

byId("password-code").addEventListener("click", (/** @type {Event} */ event) => {
  busy(/** @type {HTMLButtonElement} */ (event.currentTarget), async () => {
    const answer = await attempt(() => send("POST", "/v1/verifications", { body: { phone: me.phone } }));
    if (!answer) return;
    byId("password-user").value = me.phone;
    byId("password-phone").textContent = me.phone;
    password.hidden = false;
    drawPassword(me.hasPassword);
    password.elements.code.focus();
    toast(answer.body?.devCode ? `${t("devCode")} ${answer.body.devCode}` : t("codeSent"), { seconds: answer.body?.devCode ? 60 : 6 });
  });
});
byId("password-cancel").addEventListener("click", () => {
  password.reset();
  password.hidden = true;
  drawPassword(me.hasPassword);
  byId("password-code").focus();
});
byId("remove-password").addEventListener("click", async () => {
  if (!(await confirm({ title: t("removePasswordTitle"), text: t("removePasswordText"), yes: t("removePassword") }))) return;
  if (!(await attempt(() => write("remove password", "DELETE", "/v1/me/password")))) return;
  drawPassword(false);
  byId("password-code").focus();
  toast(t("passwordRemoved"));
});

// MARK: My data

byId("export").addEventListener("click", (/** @type {Event} */ event) => {
  busy(/** @type {HTMLButtonElement} */ (event.currentTarget), async () => {
    const answer = await attempt(() => withSession(() => send("GET", "/v1/me/export", { asText: true })));
    if (answer) download("greentea-export.json", answer.body, "application/json");
  });
});

byId("erase").addEventListener("click", async () => {
  const isSure = await confirm({
    title: t("eraseTitle"), yes: t("eraseYes"), no: t("keepAccount"), isDanger: true,
    text: [h("p", {}, t("eraseText")), h("div", { class: "prose" }, h("ul", {}, h("li", {}, t("eraseData")), h("li", {}, t("eraseCards")), h("li", {}, t("eraseShop")), h("li", {}, t("eraseReviews")))), h("p", {}, t("eraseProof"))],
  });
  if (!isSure) return;
  const erasure = await attempt(() => erase().catch(askProof));
  if (erasure) await certify(erasure);
});

/**
 * Asks for the proof that an erasure needs in an older session.
 * @param {any} error any other error is thrown again.
 */
async function askProof(error) {
  if (error.code !== "reauthenticationRequired") throw error;
  const form = await import("./me-proof.js");
  await form.askProof(byId("erase-proof"), me, async (proof) => certify(await erase(proof)));
  return null;
}

/** Whether a proof was sent whose answer is unknown. Its act is not stored, because a proof is a secret. */
let wasProofSent = false;

/**
 * @typedef {object} Erasure
 * @property {number} position the log position of the erasure; 0 if its answer was lost.
 * @property {boolean} isSure whether the account is erased. If not, either it is, or the session has ended in another way.
 */

/**
 * Erases the account. This ends the session, so if the answer is lost, a repeated request is refused as signed out. A session that has
 * ended in another way is refused in the same way. So the session is renewed first; then such a refusal means that the account is erased.
 * If the renewal itself is refused, an earlier request without an answer may have erased the account, or may not have arrived.
 * @param {{code: string} | {password: string}} [proof]
 * @returns {Promise<Erasure>}
 */
async function erase(proof) {
  const [begun] = unanswered("erase");
  let isSent = Boolean(begun) || wasProofSent;
  let isSure = false;
  try {
    await get("/v1/me");
    isSent = isSure = true;
    wasProofSent = Boolean(proof);
    const answer = begun ? await resume(begun.key, { isPatient: false })
      : await write("erase", "DELETE", "/v1/me", proof, { isPatient: false, isStored: !proof });
    return { position: answer?.position ?? 0, isSure };
  } catch (error) {
    if (isSent && /** @type {any} */ (error).code === "signedOut") return { position: 0, isSure };
    if (/** @type {any} */ (error).status >= 400 && /** @type {any} */ (error).status < 500) wasProofSent = false;
    throw error;
  }
}

/**
 * Shows the certificate of the erasure: the receipt that proves that the erasure's event is in the log. The session is over, so the service
 * gives the receipt to anybody who knows the account's id. If the event's position is unknown, the page cannot show the certificate.
 * @param {Erasure} erasure
 */
async function certify({ position, isSure }) {
  const account = me.id;
  await purgeAndLeave(null);
  const title = h("h1", { tabindex: "-1" }, isSure ? t("certificateTitle") : t("certificateUnsure"));
  const proof = h("div", {});
  const text = position ? t("certificateText") : t("certificateLost");
  fill(byId("main"), title, h("div", { class: "note" }, icon("shield"), h("p", {}, text)), proof);
  title.focus();
  if (position) await prove(proof, position, account);
}

/**
 * Gets and shows the receipt. After the page is left, the person cannot get the receipt again. So a failed attempt can be repeated, and
 * the page about checking opens in another tab. The browser asks before the page is left with a receipt that was not saved.
 * @param {Element} place
 * @param {number} position
 * @param {string} account
 */
async function prove(place, position, account) {
  showLoading(place);
  try {
    const { body: text } = await send("GET", `/v1/erasures/${position}/receipt?account=${account}`, { asText: true });
    const { factsOf, parse } = await import("./receipt.js");
    const facts = factsOf(parse(text));
    const news = h("p", { class: "hint", role: "status" }, t("certificateOnce"));
    const keep = () => {
      download(`greentea-erasure-${facts.position}.tlog-proof`, text, "text/plain");
      removeEventListener("beforeunload", stay);
      news.textContent = t("certificateSaved");
    };
    addEventListener("beforeunload", stay);
    fill(
      place, h("dl", { class: "facts" }, h("dt", {}, t("certificateAccount")), h("dd", {}, facts.ids.acct),
        h("dt", {}, t("certificatePosition")), h("dd", {}, String(facts.position)),
        h("dt", {}, t("certificateTime")), h("dd", {}, moment(facts.time))),
      h("p", { class: "buttons" }, h("button", { class: "button", type: "button", onclick: keep }, icon("download"), t("saveCertificate")),
        h("a", { class: "button secondary", href: "/proof", target: "_blank", rel: "noopener" }, t("howToCheckApart"))), news,
      h("div", { class: "field" }, h("label", { for: "certificate" }, t("certificateCopy")),
        h("textarea", { id: "certificate", readonly: true, rows: 6, spellcheck: "false", translate: "no" }, text),
        h("p", { class: "hint" }, t("certificateIndex"))),
    );
  } catch (error) {
    showProblem(place, error, () => prove(place, position, account));
  }
}

/** @param {BeforeUnloadEvent} event */
function stay(event) {
  event.preventDefault();
  // Older browsers ask the person only if the event has a return value.
  event.returnValue = true;
}

/**
 * @param {string} name
 * @param {string} content
 * @param {string} type
 */
function download(name, content, type) {
  const text = typeof content === "string" ? content : JSON.stringify(content, null, 2);
  const address = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/**
 * @template Value
 * @param {() => Promise<Value>} action
 * @returns {Promise<Value | null>} null for a refusal, which was shown.
 */
async function attempt(action) {
  try {
    return await action();
  } catch (error) {
    if (!leaveIfSignedOut(error)) toast(sayProblem(error, own), { kind: "bad", seconds: 10 });
    return null;
  }
}

start();
