import { type EventId, eventIdOf, type Id, type IdParts, idOf } from "../kernel/ids.ts";
import { unpredictableBytes } from "./random.ts";

const HALF = 2 ** 40;
/** The last id of this process: milliseconds, and 80 random bits as two halves that count up within one millisecond. */
let last: IdParts = { ms: 0, high: 0, low: 0 };

/**
 * A new id: machine time and 80 random bits. Sortable by creation, strictly so within a process; lists order by it
 * ("newest first").
 */
export const newId = <Kind extends string>(kind: Kind): Id<Kind> => idOf(kind, next());

/** A new id of an event; sortable as other ids are. */
export const newEventId = (): EventId => eventIdOf(next());

function next(): IdParts {
  const ms = Date.now();
  if (ms > last.ms) {
    last = { ms, high: random(5), low: random(5) };
  } else {
    const low = last.low + 1 + random(3);
    last = low < HALF ? { ...last, low } : { ms: last.ms, high: (last.high + 1) % HALF, low: low - HALF };
  }
  return last;
}

/** An unsigned number made of `length` random bytes. */
const random = (length: number): number => unpredictableBytes(length).readUIntBE(0, length);
