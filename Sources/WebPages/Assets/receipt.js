// Checks receipts of stamps and of erasures. A receipt is a C2SP tlog-proof: a note that is signed with Ed25519, and a path in the Merkle
// tree of RFC 6962. An erasure certificate of the older kind has only such a note, which is checked too. The check sends no data.

/** The reason why a receipt is refused. */
export class ReceiptError extends Error {
  /** @param {"Form" | "Key" | "Signature" | "Path" | "Early" | "Unable"} reason */
  constructor(reason) {
    super(reason);
    this.reason = reason;
  }
}

const SIZE_MAX = 1_000_000;
const HASHES_MAX = 63;
const ED25519 = 1;

/** @param {string} text */
function bytes(text) {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4) throw new ReceiptError("Form");
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** @param {string | undefined} text */
function count(text) {
  if (text === undefined || !/^(0|[1-9][0-9]{0,18})$/.test(text)) throw new ReceiptError("Form");
  return BigInt(text);
}

/** @param {string | undefined} text */
function hash(text) {
  const found = bytes(text ?? "");
  if (found.length !== 32) throw new ReceiptError("Form");
  return found;
}

/** @param {...(Uint8Array | number[])} parts */
async function sha256(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return new Uint8Array(await crypto.subtle.digest("SHA-256", whole));
}

/** @param {Uint8Array} one @param {Uint8Array} other */
const isSame = (one, other) => one.length === other.length && one.every((byte, index) => byte === other[index]);

/**
 * The parts of a receipt.
 *
 * @param {string} text
 */
export function parse(text) {
  if (text.length > SIZE_MAX) throw new ReceiptError("Form");
  const lines = text.split("\n");
  if (lines.shift() !== "c2sp.org/tlog-proof@v1") throw new ReceiptError("Form");
  // The line `extra` contains the record of the event in base64, with the same bytes as in the log.
  const extra = lines.shift();
  if (!extra?.startsWith("extra ")) throw new ReceiptError("Form");
  const index = lines.shift();
  if (!index?.startsWith("index ")) throw new ReceiptError("Form");
  const hashes = [];
  for (let line = lines.shift(); line !== ""; line = lines.shift()) {
    if (hashes.length >= HASHES_MAX) throw new ReceiptError("Form");
    hashes.push(hash(line));
  }
  return {
    record: bytes(extra.slice("extra ".length)), index: count(index.slice("index ".length)), hashes, ...parseNote(lines.join("\n")),
  };
}

/**
 * Splits the note of a checkpoint at its last empty line: the signed text is before that line, the signatures are after it.
 *
 * @param {string} note
 */
function parseNote(note) {
  const end = note.lastIndexOf("\n\n");
  if (end < 0 || !note.endsWith("\n")) throw new ReceiptError("Form");
  const signed = note.slice(0, end + 1);
  const [origin, size, root] = signed.split("\n");
  return { signed, origin, size: count(size), root: hash(root), signatures: note.slice(end + 2).split("\n").slice(0, -1) };
}

/**
 * Computes the root of the log's Merkle tree from the hash of a leaf and the hashes of its path (RFC 9162, 2.1.3.2).
 *
 * @param {Uint8Array} leaf @param {bigint} index @param {bigint} size @param {Uint8Array[]} hashes
 */
async function rootOf(leaf, index, size, hashes) {
  if (index >= size) throw new ReceiptError("Path");
  let [node, last, root] = [index, size - 1n, leaf];
  for (const each of hashes) {
    if (last === 0n) throw new ReceiptError("Path");
    if (node & 1n || node === last) {
      root = await sha256([1], each, root);
      while (!(node & 1n) && node !== 0n) {
        node >>= 1n;
        last >>= 1n;
      }
    } else {
      root = await sha256([1], root, each);
    }
    node >>= 1n;
    last >>= 1n;
  }
  if (last !== 0n) throw new ReceiptError("Path");
  return root;
}

/**
 * The key in the text `name+id+base64`.
 *
 * @param {string} text
 */
function readKey(text) {
  const [name, id, ...rest] = text.split("+");
  const material = bytes(rest.join("+"));
  if (material[0] !== ED25519 || material.length !== 33) throw new ReceiptError("Key");
  return { name, id, material: material.slice(1) };
}

/**
 * Throws a `ReceiptError` unless the note has at least one signature with the log's key, and all such signatures are valid.
 *
 * @param {ReturnType<typeof parseNote>} note @param {string} keyText
 */
async function verifySignature(note, keyText) {
  const key = readKey(keyText);
  if (note.origin !== key.name) throw new ReceiptError("Key");
  const lines = note.signatures.filter((line) => line.startsWith(`\u2014 ${key.name} `));
  const mine = lines.map((line) => bytes(line.slice(`\u2014 ${key.name} `.length)))
    .filter((each) => [...each.slice(0, 4)].map((byte) => byte.toString(16).padStart(2, "0")).join("") === key.id);
  if (!mine.length) throw new ReceiptError("Key");
  let imported;
  try {
    imported = await crypto.subtle.importKey("raw", key.material, { name: "Ed25519" }, false, ["verify"]);
  } catch {
    throw new ReceiptError("Unable");
  }
  for (const signature of mine) {
    const isValid = await crypto.subtle.verify(
      { name: "Ed25519" }, imported, signature.slice(4), new TextEncoder().encode(note.signed));
    if (!isValid) throw new ReceiptError("Signature");
  }
}

/** The kinds of tags that name an event's objects, with the prefixes of their ids. */
const KINDS = new Map([[1, "acct"], [2, "shop"], [3, "camp"], [5, "card"]]);
/** The types of the events that have receipts, by their numbers in records. */
const TYPES = new Map([[7, "erasure"], [41, "stamp"]]);
const TAGS_AT = 32;
const TAG_BYTES = 17;
const SYMBOLS = "0123456789abcdefghjkmnpqrstvwxyz";

/**
 * The account, the shop, the campaign and the card that a record's tags name. If a kind occurs several times, the last tag counts.
 *
 * @param {Uint8Array} record @returns {Record<string, string>}
 */
function idsIn(record) {
  /** @type {Record<string, string>} */
  const ids = {};
  for (let at = TAGS_AT, left = record[1]; left > 0 && at + TAG_BYTES <= record.length; at += TAG_BYTES, left -= 1) {
    const kind = KINDS.get(record[at]);
    if (!kind) continue;
    // The value is little-endian, like all numbers of a record.
    let value = record.slice(at + 1, at + TAG_BYTES).reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
    let text = "";
    for (let symbol = 0; symbol < 26; symbol += 1, value >>= 5n) text = SYMBOLS[Number(value & 31n)] + text;
    ids[kind] = `${kind}_${text}`;
  }
  return ids;
}

/** The beginning of a payload that has a number in its first field (Protocol Buffers). */
const FIRST_NUMBER = 0x08;
/** The maximum number of stamps on a card. It is below 128, so a payload has the number of stamps in one byte. */
const STAMPS_MAX = 50;

/**
 * The number of stamps that the record of a stamp adds. A record without a payload adds one.
 *
 * @param {Uint8Array} record
 */
function stampsIn(record) {
  const payload = record.slice(TAGS_AT + record[1] * TAG_BYTES);
  if (payload.length === 0) return 1;
  if (payload[0] !== FIRST_NUMBER || !(payload[1] >= 1 && payload[1] <= STAMPS_MAX)) throw new ReceiptError("Form");
  return payload[1];
}

/**
 * Reads the position from a receipt's index, and all other facts from its record. It does not prove the facts; `check` does.
 *
 * @param {{record: Uint8Array, index: bigint}} receipt
 * @returns {{ type: "erasure" | "stamp" | "other", position: bigint, time: Date, ids: Record<string, string>, stamps: number }} `stamps` is
 *   0 for an event that is not a stamp.
 */
export function factsOf({ record, index }) {
  if (record.length < TAGS_AT) throw new ReceiptError("Form");
  const fields = new DataView(record.buffer, record.byteOffset);
  const type = /** @type {"erasure" | "stamp" | undefined} */ (TYPES.get(fields.getUint16(2, true)));
  // The time, in microseconds since 1970, is at offset 8 of the record.
  const time = new Date(Number(fields.getBigInt64(8, true) / 1000n));
  return { type: type ?? "other", position: index + 1n, time, ids: idsIn(record), stamps: type === "stamp" ? stampsIn(record) : 0 };
}

/** The form of erasure certificates of the older kind: a title, the position, the time, and a checkpoint, which alone is signed. */
const CERTIFICATE = /^[^\n]+\n[^\n:]+: ([0-9]+)\n[^\n]+\n\n([^]+)$/;

/** @param {string} text */
export const isCertificate = (text) => text.length <= SIZE_MAX && CERTIFICATE.test(text);

/**
 * Checks an erasure certificate of the older kind with the log's key. It proves only the length of the log, and nothing about the erasure.
 *
 * @param {string} text the file @param {string} key `name+id+base64`
 * @returns {Promise<{ position: bigint, size: bigint }>} `position` is copied from the certificate and not proved.
 */
export async function checkCertificate(text, key) {
  const found = isCertificate(text) ? CERTIFICATE.exec(text) : null;
  if (!found) throw new ReceiptError("Form");
  const [position, note] = [count(found[1]), parseNote(found[2])];
  await verifySignature(note, key);
  if (position < 1n || position > note.size) throw new ReceiptError("Early");
  return { position, size: note.size };
}

/**
 * Checks a receipt with the log's key.
 *
 * @param {string} text the file @param {string} key `name+id+base64`
 * @returns {Promise<ReturnType<typeof factsOf> & { size: bigint, hashes: number }>}
 */
export async function check(text, key) {
  const receipt = parse(text);
  await verifySignature(receipt, key);
  const root = await rootOf(await sha256([0], receipt.record), receipt.index, receipt.size, receipt.hashes);
  if (!isSame(root, receipt.root)) throw new ReceiptError("Path");
  return { ...factsOf(receipt), size: receipt.size, hashes: receipt.hashes.length };
}
