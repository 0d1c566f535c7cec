import { ApiError } from "../kernel/errors.ts";

/** Work that is limited for a process, and for each of its owners. */
export interface FairQueue {
  /**
   * Runs `work` when it is the owner's turn: owners that wait take turns, each in the order of its calls. Throws 429
   * when too much of this owner waits, 503 when too much waits altogether, both with Retry-After.
   */
  run<T>(owner: string, work: () => Promise<T>): Promise<T>;
}

/** Limits of a queue. */
export interface FairQueueLimits {
  /** What waits, in the plural, for the messages: "uploads". */
  readonly what: string;
  /** How many run at once, and of these of one owner. */
  readonly together: number;
  readonly togetherOfOne: number;
  /** How many may wait beside those that run, in all and for one owner. */
  readonly waiting: number;
  readonly waitingOfOne: number;
  /** The longest time that one waits; null: as long as it takes. */
  readonly waitMs: number | null;
}

interface Waiting {
  start(): void;
}

const RETRY_AFTER = { "retry-after": "5" };

const tooManyOfOne = (what: string): ApiError =>
  new ApiError("rate_limited", 429, `Too many ${what} at once: wait until the others have ended, and send it again.`, {
    headers: RETRY_AFTER,
  });

const tooMany = (what: string): ApiError =>
  new ApiError("service_unavailable", 503, `The service has too many ${what} at the moment. Try again shortly.`, {
    headers: RETRY_AFTER,
  });

/** What an owner waits for; an owner without anything has no place. */
function setOf(waiting: Map<string, Waiting[]>, owner: string, all: Waiting[]): void {
  if (all.length > 0) waiting.set(owner, all);
  else waiting.delete(owner);
}

/** Opens a queue without work. */
export function createFairQueue(limits: FairQueueLimits): FairQueue {
  const { what, together, togetherOfOne, waitMs } = limits;
  /** By owner, in the order of their next turns. */
  const waiting = new Map<string, Waiting[]>();
  const running = new Map<string, number>();
  let [runs, waits] = [0, 0];
  const runsOf = (owner: string) => running.get(owner) ?? 0;

  function begin(owner: string): void {
    runs++;
    running.set(owner, runsOf(owner) + 1);
  }

  function end(owner: string): void {
    runs--;
    const left = runsOf(owner) - 1;
    if (left > 0) running.set(owner, left);
    else running.delete(owner);
    next();
  }

  /** Starts what may start. The owner that got a turn is the last to get another: the loop comes to it again. */
  function next(): void {
    for (const [owner, [first, ...others]] of waiting) {
      if (runs === together) return;
      if (!first || runsOf(owner) >= togetherOfOne) continue;
      waiting.delete(owner);
      setOf(waiting, owner, others);
      waits--;
      begin(owner);
      first.start();
    }
  }

  const turn = (owner: string): Promise<void> =>
    new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const one: Waiting = {
        start() {
          clearTimeout(timer);
          resolve();
        },
      };
      waiting.set(owner, [...(waiting.get(owner) ?? []), one]);
      waits++;
      if (waitMs !== null)
        timer = setTimeout(() => {
          setOf(waiting, owner, waiting.get(owner)?.filter((other) => other !== one) ?? []);
          waits--;
          reject(runsOf(owner) >= togetherOfOne ? tooManyOfOne(what) : tooMany(what));
        }, waitMs);
    });

  return {
    async run(owner, work) {
      if (runs < together && runsOf(owner) < togetherOfOne) begin(owner);
      else {
        if ((waiting.get(owner)?.length ?? 0) >= limits.waitingOfOne) throw tooManyOfOne(what);
        if (waits >= limits.waiting) throw tooMany(what);
        await turn(owner);
      }
      try {
        return await work();
      } finally {
        end(owner);
      }
    },
  };
}
