// Codes that are shown on a screen, and codes that are read by a camera.
//
// A shown code is bright, shows the time that is left, and keeps the screen on. The browser reads a code itself if it can. If it cannot
// (`BarcodeDetector` is missing on iPhones and in most in-app browsers), the service reads the code in a photo, for people who are signed
// in. All codes except those of badges can be typed, and the phone's own camera opens the link in every code.

import { account, now } from "./api.js";
import { h, icon, leaveIfSignedOut, sayProblem } from "./ui.js";
import { t } from "./words.js";

// MARK: Codes on the screen

/** The numbers of seconds before the end at which the remaining time is read out. */
const ANNOUNCED = [60, 20];

/**
 * @typedef {object} ShownCode
 * @property {string} qrSvg
 * @property {string} [code]
 * @property {string} payload
 * @property {string} expiresAt
 */

/** The element `<shown-code>` shows the code that is set as `shown`. It sends the event `expired` when the code expires. */
export class ShownCodeElement extends HTMLElement {
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #timer;
  /** @type {string | undefined} */
  #picture;
  #end = 0;
  #total = 1;
  #said = Infinity;

  /** @param {ShownCode} shown */
  set shown(shown) {
    this.#release();
    this.#end = Date.parse(shown.expiresAt);
    this.#total = Math.max(1, this.#end - now());
    this.#said = Infinity;
    // A picture from a blob runs no script, and adds no foreign markup to the page.
    this.#picture = URL.createObjectURL(new Blob([shown.qrSvg], { type: "image/svg+xml" }));
    const isTyped = Boolean(shown.code) && (shown.code ?? "").length < 12;
    this.replaceChildren(
      h("div", { class: "big-qr" }, h("img", { src: this.#picture, alt: isTyped ? t("codePicture", { code: spelled(shown.code ?? "") }) : t("badgePicture"), width: 300, height: 300 })),
      isTyped ? h("p", { class: "code", translate: "no" }, shown.code) : "",
      h("p", { class: "countdown" }, h("span", { class: "time", role: "timer" }), h("progress", { max: 1, value: 1, "aria-hidden": "true" })),
      h("p", { class: "unseen", role: "status" }),
    );
    this.#tick();
    this.#timer = setInterval(() => this.#tick(), 500);
    keepAwake(this);
  }

  disconnectedCallback() {
    this.#release();
  }

  /** Stops the countdown after the code was used. */
  stop() {
    this.#release();
  }

  #release() {
    clearInterval(this.#timer);
    if (this.#picture) URL.revokeObjectURL(this.#picture);
    this.#picture = undefined;
  }

  #tick() {
    const left = (this.#end - now()) / 1_000;
    const time = this.querySelector(".time");
    const progress = /** @type {HTMLProgressElement | null} */ (this.querySelector("progress"));
    if (!time || !progress) return;
    time.textContent = left > 0 ? t("validFor", { time: clock(left) }) : t("codeExpired");
    progress.value = Math.max(0, (left * 1_000) / this.#total);
    const due = ANNOUNCED.find((seconds) => left <= seconds && this.#said > seconds && this.#total / 1_000 > seconds);
    if (due !== undefined) this.#say(due, t("secondsLeft", { count: due }));
    if (left > 0) return;
    this.#say(0, t("codeExpired"));
    this.#release();
    this.dispatchEvent(new Event("expired"));
  }

  /**
   * @param {number} seconds
   * @param {string} text
   */
  #say(seconds, text) {
    this.#said = seconds;
    const status = this.querySelector("[role=status]");
    if (status) status.textContent = text;
  }
}

customElements.define("shown-code", ShownCodeElement);

/**
 * The remaining time in minutes and seconds, such as `1:05`.
 * @param {number} seconds
 */
function clock(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/**
 * The characters separated by spaces, so that a screen reader spells them.
 * @param {string} code
 */
const spelled = (code) => code.replace(/-/g, "").split("").join(" ");

/** @type {any} */
let lock = null;

/**
 * Keeps the screen on for as long as the element is shown.
 * @param {HTMLElement} element
 */
async function keepAwake(element) {
  if (!("wakeLock" in navigator)) return;
  const request = async () => {
    if (!element.isConnected || document.hidden || (lock && !lock.released)) return;
    lock = await /** @type {any} */ (navigator).wakeLock.request("screen").catch(() => null);
  };
  await request();
  if (element.dataset.awake) return;
  element.dataset.awake = "yes";
  document.addEventListener("visibilitychange", request);
  const timer = setInterval(() => {
    if (element.isConnected) return;
    clearInterval(timer);
    document.removeEventListener("visibilitychange", request);
    lock?.release().catch(() => null);
    lock = null;
  }, 2_000);
}

// MARK: Reading of codes

/** Milliseconds between two checks of the camera's picture. */
const LOOK = 180;

/** @returns {Promise<any>} a detector of QR codes; null if the browser has none, or cannot use a camera. */
async function detector() {
  const Detector = /** @type {any} */ (window).BarcodeDetector;
  if (!Detector || !navigator.mediaDevices?.getUserMedia) return null;
  try {
    const formats = await Detector.getSupportedFormats();
    return formats.includes("qr_code") ? new Detector({ formats: ["qr_code"] }) : null;
  } catch {
    return null;
  }
}

/**
 * The code in a text that is a link of the service: `https://…/s/K7QF2M9X` gives `K7QF2M9X`. Any other text is returned as it is, without
 * spaces at its ends.
 * @param {string} text
 * @param {string} kind the first part of the link's path: `s` (stamps), `r` (redemption), `b` (badge) or `p` (paper card).
 */
export function codeIn(text, kind) {
  const found = new RegExp(`^https?://[^/]+/${kind}/([A-Za-z0-9_=-]+)`).exec(text.trim());
  return found ? found[1] : text.trim();
}

/**
 * The element `<code-scanner>` sends the event `scanned` with the text of a code in `detail`. The text comes from the camera. If the
 * browser cannot read codes, or the camera is refused, it comes from a photo that the service reads.
 */
export class CodeScanner extends HTMLElement {
  /** @type {MediaStream | null} */
  #stream = null;
  #isStopped = true;

  async connectedCallback() {
    const found = await detector();
    if (!this.isConnected) return;
    if (!found) {
      this.replaceChildren(h("p", { class: "hint" }, this.#hint()), ...this.#photo());
      return;
    }
    this.#offer(found);
  }

  /** The advice for a browser that cannot read codes. The counter has its own advice, because a badge's code cannot be typed. */
  #hint() {
    const { hint } = this.dataset;
    return hint === "counter" ? t("scanHintCounter") : hint === "staff" ? t("scanHintStaff") : t("scanHint");
  }

  disconnectedCallback() {
    this.stop();
  }

  stop() {
    this.#isStopped = true;
    for (const track of this.#stream?.getTracks() ?? []) track.stop();
    this.#stream = null;
  }

  /** The control that takes a photo and sends it to the service to be read; nothing for people who are not signed in. */
  #photo() {
    if (!account()) return [];
    const news = h("p", { class: "hint", role: "status" });
    const input = h("input", { type: "file", accept: "image/*", capture: "environment", hidden: true });
    const button = h("button", { class: "button secondary", type: "button", onclick: () => input.click() }, icon("camera"), t("scanPhoto"));
    input.addEventListener("change", async () => {
      const file = input.files[0];
      input.value = "";
      if (!file || button.getAttribute("aria-busy") === "true") return;
      button.setAttribute("aria-busy", "true");
      news.textContent = t("scanPhotoReading");
      try {
        const text = await (await import("./photo.js")).textIn(file);
        news.textContent = text === null ? t("scanPhotoNothing") : "";
        if (text !== null) this.dispatchEvent(new CustomEvent("scanned", { detail: text }));
      } catch (error) {
        if (leaveIfSignedOut(error)) return;
        news.textContent = `${sayProblem(error)} ${this.dataset.hint === "counter" ? t("scanPhotoNumber") : t("scanPhotoInstead")}`;
      } finally {
        button.removeAttribute("aria-busy");
      }
    });
    return [h("p", { class: "buttons" }, button), input, news];
  }

  /** @param {any} found */
  #offer(found) {
    this.replaceChildren(h("button", { class: "button secondary", type: "button", onclick: () => this.#scan(found) }, icon("camera"), t("scanWithCamera")));
  }

  /** @param {any} found */
  async #scan(found) {
    const video = h("video", { class: "viewfinder", playsinline: true, muted: true, "aria-label": t("cameraPicture") });
    const stop = () => {
      this.stop();
      this.#offer(found);
    };
    try {
      this.#stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
    } catch {
      this.replaceChildren(h("p", { class: "error", role: "alert" }, t("cameraRefused")), ...this.#photo());
      return;
    }
    this.#isStopped = false;
    video.srcObject = this.#stream;
    this.replaceChildren(video, h("button", { class: "button secondary", type: "button", onclick: stop }, t("stopCamera")));
    await video.play().catch(() => null);
    await this.#look(found, video, stop);
  }

  /**
   * @param {any} found
   * @param {HTMLVideoElement} video
   * @param {() => void} stop
   */
  async #look(found, video, stop) {
    while (!this.#isStopped) {
      const codes = video.readyState >= 2 ? await found.detect(video).catch(() => []) : [];
      if (codes.length > 0 && !this.#isStopped) {
        stop();
        navigator.vibrate?.(60);
        this.dispatchEvent(new CustomEvent("scanned", { detail: codes[0].rawValue }));
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK));
    }
  }
}

customElements.define("code-scanner", CodeScanner);

/** The number of symbols of a paper card's code. */
const PAPER_SYMBOLS = 16;

/**
 * A typed code in upper case, without the characters between its symbols.
 * @param {string} text
 */
export const plainCode = (text) => text.toUpperCase().replace(/[^0-9A-Z]/g, "");

/**
 * The code of a paper card, typed or scanned; empty for any other text.
 * @param {string} text
 */
export function paperIn(text) {
  const found = codeIn(text, "p");
  const plain = plainCode(found);
  return /^[0-9A-Za-z\s-]+$/.test(found) && plain.length === PAPER_SYMBOLS ? plain : "";
}

/**
 * A code as it is shown, `K7QF-2M9X`.
 * @param {string} plain
 */
export const groupedCode = (plain) => plain.match(/.{1,4}/g)?.join("-") ?? "";

/**
 * Groups the symbols of a code while a person types it, such as `K7QF-2M9X`. If the person edits in the middle of the text, nothing is
 * changed, so that the caret does not jump. A link also stays unchanged: hand-held scanners type links like a keyboard.
 * @param {HTMLInputElement} input
 * @param {number} [symbols] the number of symbols of the longest code.
 */
export function groupAsTyped(input, symbols = 8) {
  input.addEventListener("input", () => {
    if (input.selectionStart !== input.value.length) return;
    if (/[:/]/.test(input.value)) {
      // Before the colon was typed, the text looked like a code, and `https` was changed to `HTTP-S`. This is undone now.
      input.value = input.value.replace(/^HTTP-?(S?):/, (_, s) => `http${s.toLowerCase()}:`);
      return;
    }
    input.value = groupedCode(plainCode(input.value).slice(0, symbols));
  });
}
