// The proof page: a receipt that is chosen or dropped is checked on this device.

import { ReceiptError, check } from "./receipt.js";
import { moment, t } from "./words.js";

const ICONS = "asset:icons.svg";
const drop = document.querySelector("#drop");
const input = document.querySelector("#receipt");
const verdict = document.querySelector("#verdict");

/** @param {string} kind @param {string} icon @param {string} title @param {string} text */
function show(kind, icon, title, text) {
  const note = document.createElement("div");
  note.className = `note ${kind}`;
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  svg.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "use")).setAttribute("href", `${ICONS}#${icon}`);
  const words = document.createElement("div");
  words.appendChild(document.createElement("strong")).textContent = title;
  words.appendChild(document.createElement("p")).textContent = text;
  note.append(svg, words);
  verdict?.replaceChildren(note);
}

/** @param {File | undefined | null} file */
async function checkFile(file) {
  if (!file || !(drop instanceof HTMLElement)) return;
  try {
    const found = await check(await file.text(), drop.dataset.key ?? "");
    show("good", "shield", t("receiptGood"), t("receiptGoodWhat", {
      position: String(found.position), size: String(found.size), hashes: found.hashes, time: moment(found.time),
    }));
  } catch (error) {
    const reason = error instanceof ReceiptError ? error.reason : "Form";
    const text = {
      Form: t("receiptBadForm"), Key: t("receiptBadKey"), Signature: t("receiptBadSignature"), Path: t("receiptBadPath"),
      Unable: t("receiptUnable"),
    }[reason];
    show(reason === "Unable" ? "warn" : "bad", "alert", t("receiptBad"), text);
  }
}

if (drop instanceof HTMLElement && input instanceof HTMLInputElement) {
  input.addEventListener("change", () => checkFile(input.files?.[0]));
  drop.addEventListener("dragover", (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    checkFile(event.dataTransfer?.files[0]);
  });
}
