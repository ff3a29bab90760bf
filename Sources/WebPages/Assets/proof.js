// The proof page: checks a receipt of a stamp or of an erasure, which the reader chooses or drops as a file. The check runs on this device.
// The page reads the facts about the event from the event's record, because the receipt proves that this record is in the log.

import { ReceiptError, check, checkCertificate, isCertificate } from "./receipt.js";
import { moment, t } from "./words.js";

const ICONS = "asset:icons.svg";
const drop = document.querySelector("#drop");
const input = document.querySelector("#receipt");
const verdict = document.querySelector("#verdict");

/** @param {string} kind @param {string} icon @param {string} title @param {...string} texts */
function show(kind, icon, title, ...texts) {
  const note = document.createElement("div");
  note.className = `note ${kind}`;
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  svg.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "use")).setAttribute("href", `${ICONS}#${icon}`);
  const words = document.createElement("div");
  words.appendChild(document.createElement("strong")).textContent = title;
  for (const text of texts) words.appendChild(document.createElement("p")).textContent = text;
  note.append(svg, words);
  verdict?.replaceChildren(note);
  note.tabIndex = -1;
  note.focus({ preventScroll: true });
  reveal();
}

/** Scrolls to the verdict. On a phone, the verdict would otherwise be below the visible part of the page. */
const reveal = () => verdict?.scrollIntoView({ block: "nearest" });

/**
 * Lists the objects that a receipt is about, such as the shop and the card. The receipt proves only the objects' ids. Their names are
 * loaded from the service.
 * @param {Awaited<ReturnType<typeof check>>} found
 * @param {() => boolean} isCurrent whether the verdict on this receipt is still on the page.
 */
async function name({ type, time, ids: { acct, shop, camp, card } }, isCurrent) {
  if (type === "erasure") return list([[t("receiptAccount"), "", acct, ""], [t("receiptTime"), "", moment(time), ""]]);
  const [shops, campaigns] = await Promise.all([shop ? named(`/v1/shops/${shop}`) : null, camp ? named(`/v1/campaigns/${camp}`) : null]);
  const address = card ? await addressOf(card) : "";
  if (!isCurrent()) return;
  list([
    ...(shop ? [[t("receiptShop"), shops?.name, shop, `/s/${shop}`]] : []),
    ...(camp ? [[t("receiptCampaign"), campaigns?.title, camp, `/c/${camp}`]] : []), ...(card ? [[t("receiptCard"), "", card, address]] : []),
  ]);
}

/**
 * The address of a card's page, which only its holder can open; empty for everybody else.
 * @param {string} card
 */
async function addressOf(card) {
  const { account, get } = await import("./api.js");
  return account() && await get(`/v1/cards/${card}`).then(() => true, () => false) ? `/wallet/${card}` : "";
}

/** @param {string[][]} lines each line has a label, a text, an id that is shown if the text is missing, and the address of a link. */
function list(lines) {
  const facts = document.createElement("dl");
  facts.className = "facts";
  for (const [word, text, id, address] of lines) {
    facts.appendChild(document.createElement("dt")).textContent = word;
    const value = facts.appendChild(document.createElement("dd"));
    const shown = address ? value.appendChild(document.createElement("a")) : value;
    if (shown instanceof HTMLAnchorElement) shown.href = address;
    shown.appendChild(document.createElement("bdi")).textContent = text || id;
  }
  verdict?.append(facts);
  reveal();
}

/**
 * @param {string} address
 * @returns {Promise<any>} the object at the address, with its name; null if the service does not return it.
 */
async function named(address) {
  try {
    const answer = await fetch(address, { headers: { Accept: "application/json" } });
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}

/** The number of files whose check was begun. Only the verdict on the last one is shown, and the facts of its event. */
let checks = 0;

/** @param {File | undefined | null} file */
async function checkFile(file) {
  if (!file || !(drop instanceof HTMLElement)) return;
  checks += 1;
  const turn = checks;
  const isCurrent = () => turn === checks;
  const [text, key] = [(await file.text()).replaceAll("\r\n", "\n"), drop.dataset.key ?? ""];
  try {
    if (isCertificate(text)) {
      const { position, size } = await checkCertificate(text, key);
      if (!isCurrent()) return;
      return show("warn", "alert", t("certificateOld"), t("certificateOldWhat", { position: String(position), size: String(size) }));
    }
    const found = await check(text, key);
    if (!isCurrent()) return;
    const titles = { erasure: t("receiptErased"), stamp: t("receiptGood", { count: found.stamps }), other: t("receiptOther") };
    // A later reversal of the stamp is a separate event, which does not change the record of the stamp.
    const later = found.type === "stamp" ? [t("receiptLater")] : [];
    // The receipt does not show whether the stamp was reversed later, so the page shows it in neutral form and not as a success.
    const isStamp = found.type === "stamp";
    show(isStamp ? "" : "good", isStamp ? "info" : "shield", titles[found.type], t("receiptGoodWhat", {
      position: String(found.position), size: String(found.size), count: found.hashes, time: moment(found.time),
    }), ...later);
    await name(found, isCurrent);
  } catch (error) {
    if (!isCurrent()) return;
    const reason = error instanceof ReceiptError ? error.reason : "Form";
    const why = {
      Form: t("receiptBadForm"), Key: t("receiptBadKey"), Signature: t("receiptBadSignature"), Path: t("receiptBadPath"),
      Early: t("certificateBadEarly"), Unable: t("receiptUnable"),
    }[reason];
    show(reason === "Unable" ? "warn" : "bad", "alert", isCertificate(text) ? t("certificateBad") : t("receiptBad"), why);
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
