// The proof page: checks the receipt of a stamp or of an erasure that was chosen or dropped. The check runs on this device. Everything that
// is said about the event is read from its record, and the record is what the receipt proves.

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

/** On a phone, the verdict is below the screen while a file is chosen. */
const reveal = () => verdict?.scrollIntoView({ block: "nearest" });

/**
 * The objects that the receipt is about, by the ids in it. The names come from the service; the receipt does not prove them.
 * @param {Awaited<ReturnType<typeof check>>} found
 */
async function name({ type, time, ids: { acct, shop, camp, card } }) {
  if (type === "erasure") return list([[t("receiptAccount"), "", acct, ""], [t("receiptTime"), "", moment(time), ""]]);
  const [shops, campaigns] = await Promise.all([shop ? named(`/v1/shops/${shop}`) : null, camp ? named(`/v1/campaigns/${camp}`) : null]);
  list([
    ...(shop ? [[t("receiptShop"), shops?.name, shop, `/s/${shop}`]] : []),
    ...(camp ? [[t("receiptCampaign"), campaigns?.title, camp, `/c/${camp}`]] : []), ...(card ? [[t("receiptCard"), "", card, await addressOf(card)]] : []),
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

/** @param {string[][]} lines each a word, a text, what to show without one, and an address. */
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
 * @returns {Promise<any>} null where the service does not say.
 */
async function named(address) {
  try {
    const answer = await fetch(address, { headers: { Accept: "application/json" } });
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}

/** @param {File | undefined | null} file */
async function checkFile(file) {
  if (!file || !(drop instanceof HTMLElement)) return;
  const [text, key] = [(await file.text()).replaceAll("\r\n", "\n"), drop.dataset.key ?? ""];
  try {
    if (isCertificate(text)) {
      const { position, size } = await checkCertificate(text, key);
      return show("warn", "alert", t("certificateOld"), t("certificateOldWhat", { position: String(position), size: String(size) }));
    }
    const found = await check(text, key);
    const titles = { erasure: t("receiptErased"), stamp: t("receiptGood", { count: found.stamps }), other: t("receiptOther") };
    // A later reversal of the stamp is a separate event, which does not change the record of the stamp.
    const later = found.type === "stamp" ? [t("receiptLater")] : [];
    // So a receipt of stamps is no reason to say that all is well.
    const isStamp = found.type === "stamp";
    show(isStamp ? "" : "good", isStamp ? "info" : "shield", titles[found.type], t("receiptGoodWhat", {
      position: String(found.position), size: String(found.size), count: found.hashes, time: moment(found.time),
    }), ...later);
    await name(found);
  } catch (error) {
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
