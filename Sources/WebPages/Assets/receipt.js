// Checks a receipt: C2SP tlog-proof, a signed note by Ed25519, a path of RFC 6962. Everything happens here; nothing is sent.

/** Why a receipt is refused. */
export class ReceiptError extends Error {
  /** @param {"Form" | "Key" | "Signature" | "Path" | "Unable"} reason */
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
 * A receipt's parts.
 *
 * @param {string} text
 */
export function parse(text) {
  if (text.length > SIZE_MAX) throw new ReceiptError("Form");
  const lines = text.split("\n");
  if (lines.shift() !== "c2sp.org/tlog-proof@v1") throw new ReceiptError("Form");
  // The stamp itself, byte for byte as it is in the log.
  const extra = lines.shift();
  if (!extra?.startsWith("extra ")) throw new ReceiptError("Form");
  const index = lines.shift();
  if (!index?.startsWith("index ")) throw new ReceiptError("Form");
  const hashes = [];
  for (let line = lines.shift(); line !== ""; line = lines.shift()) {
    if (hashes.length >= HASHES_MAX) throw new ReceiptError("Form");
    hashes.push(hash(line));
  }
  // A note: its text up to the last empty line, then signatures.
  const note = lines.join("\n");
  const end = note.lastIndexOf("\n\n");
  if (end < 0 || !note.endsWith("\n")) throw new ReceiptError("Form");
  const signed = note.slice(0, end + 1);
  const [origin, size, root] = signed.split("\n");
  return {
    record: bytes(extra.slice("extra ".length)), index: count(index.slice("index ".length)), hashes, signed, origin,
    size: count(size), root: hash(root), signatures: note.slice(end + 2).split("\n").slice(0, -1),
  };
}

/**
 * The root that a leaf and its path lead to (RFC 9162, 2.1.3.2).
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
 * The key of `name+id+base64`.
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
 * Whether one of the log's signatures is under the note.
 *
 * @param {ReturnType<typeof parse>} receipt @param {string} keyText
 */
async function verifySignature(receipt, keyText) {
  const key = readKey(keyText);
  if (receipt.origin !== key.name) throw new ReceiptError("Key");
  const lines = receipt.signatures.filter((line) => line.startsWith(`\u2014 ${key.name} `));
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
      { name: "Ed25519" }, imported, signature.slice(4), new TextEncoder().encode(receipt.signed));
    if (!isValid) throw new ReceiptError("Signature");
  }
}

/**
 * Checks a receipt against the log's key.
 *
 * @param {string} text the file @param {string} key `name+id+base64`
 * @returns {Promise<{ position: bigint, size: bigint, hashes: number, time: Date }>}
 */
export async function check(text, key) {
  const receipt = parse(text);
  await verifySignature(receipt, key);
  const root = await rootOf(await sha256([0], receipt.record), receipt.index, receipt.size, receipt.hashes);
  if (!isSame(root, receipt.root)) throw new ReceiptError("Path");
  if (receipt.record.length < 16) throw new ReceiptError("Form");
  // Microseconds since 1970, from the record's eighth byte on.
  const time = new DataView(receipt.record.buffer, receipt.record.byteOffset).getBigInt64(8, true);
  return { position: receipt.index + 1n, size: receipt.size, hashes: receipt.hashes.length, time: new Date(Number(time / 1000n)) };
}
