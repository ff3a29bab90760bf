// Photos of codes, for browsers that cannot read codes themselves: the photo is made smaller here and read by the service.

import { ApiError, send, withSession } from "./api.js";

/** The longer side, in pixels, of a photo that was made smaller. A code that fills a tenth of the photo can still be read at this size. */
const SIDE_MAX = 1_600;
const QUALITY = 0.85;
/** The largest size of a picture in bytes that the service accepts. */
const BYTES_MAX = 8 * 1_048_576;
const KINDS = ["image/jpeg", "image/png", "image/webp"];

/**
 * The text of the code in a photo; null if no code was found.
 * @param {File} file
 * @returns {Promise<string | null>}
 */
export async function textIn(file) {
  const photo = await smaller(file).catch(() => file);
  if (photo.size > BYTES_MAX) throw new ApiError("tooLarge");
  const { body } = await withSession(() => send("POST", "/scan", { body: photo }));
  return typeof body.text === "string" ? body.text : null;
}

/**
 * The photo as a JPEG of moderate size. A small photo of an accepted kind stays unchanged. If the browser cannot decode the photo, this
 * function throws, and the caller sends the photo unchanged.
 * @param {File} file
 * @returns {Promise<Blob>}
 */
async function smaller(file) {
  const picture = await createImageBitmap(file);
  const scale = Math.min(1, SIDE_MAX / Math.max(picture.width, picture.height));
  if (scale === 1 && KINDS.includes(file.type)) return file;
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(picture.width * scale));
  canvas.height = Math.max(1, Math.round(picture.height * scale));
  canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  return new Promise((resolve) => canvas.toBlob((made) => resolve(made ?? file), "image/jpeg", QUALITY));
}
