// Reads the log backwards. The service's route for events can only read forwards: it returns at most a hundred events after a position,
// oldest first.

/** The maximum number of events that the service returns at once. */
const MOST = 100;

/** @typedef {(after: number, limit: number) => Promise<any[]>} Read events with greater positions, oldest first. */

/**
 * The last events before a position, oldest first, and whether there are older ones.
 *
 * First reads a short part of the log that ends at `end`. As long as the part has too few events that match the filter, it becomes eight
 * times as long. If the part has more events than one answer can contain, its beginning is moved by bisection. If only a few events in a
 * million match, this takes about ten requests. Without a filter, one request is enough.
 *
 * @param {Read} read
 * @param {number} end the position before which the events are wanted.
 * @param {number} count the number of wanted events, less than `MOST`.
 * @param {number} [width] the number of positions in the first part.
 * @returns {Promise<{items: any[], hasOlder: boolean}>}
 */
export async function lastBefore(read, end, count, width = count + 1) {
  // Between `late` and `end` there are too few events. Between `early` and `end` there are too many for one answer; `early` is -1 until
  // such a position is known.
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
