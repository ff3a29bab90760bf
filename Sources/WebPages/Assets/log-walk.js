// Walks backwards through the log, with a route that only goes forwards: it returns at most a hundred events after a position, oldest
// first.

/** The maximum number of events that the service returns at once. */
const MOST = 100;

/** @typedef {(after: number, limit: number) => Promise<any[]>} Read events with greater positions, oldest first. */

/**
 * The last events before a position, oldest first, and whether there are older ones.
 *
 * Reads a part of the log that ends at `end`, and makes it eight times as long each time, until it has enough events. If the part then has
 * more events than one answer can have, its beginning is found by bisection. A few events in a million are found with about ten requests.
 * Without a filter, one request is enough.
 *
 * @param {Read} read
 * @param {number} end exclusive.
 * @param {number} count less than `MOST`.
 * @param {number} [width] how many positions to begin with.
 * @returns {Promise<{items: any[], hasOlder: boolean}>}
 */
export async function lastBefore(read, end, count, width = count + 1) {
  // After position `late` there are too few events. After position `early` there are too many for one answer; `early` is -1 until such a
  // position is known.
  let [late, early] = [end - 1, -1];
  let start = Math.max(0, end - 1 - width);
  for (;;) {
    const limit = Math.min(MOST, Math.max(1, end - 1 - start));
    const found = (await read(start, limit)).filter((each) => each.position < end);
    const isCut = found.length === MOST && found[MOST - 1].position < end - 1;
    if (!isCut && (found.length > count || start === 0)) return { items: found.slice(-count), hasOlder: found.length > count };
    if (isCut) early = start;
    else late = start;
    width *= 8;
    start = early < 0 ? Math.max(0, end - 1 - width) : Math.floor((early + late) / 2);
  }
}
