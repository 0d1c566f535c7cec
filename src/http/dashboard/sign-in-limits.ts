import type { Services } from "../../flows/services.ts";
import { countUses, forgetUses, uncountUse } from "../../platform/rate-windows.ts";
import { rateLimited, windowStart } from "../rate-limit.ts";
import { digestOf } from "./known-devices.ts";

const WINDOW_SECONDS = 15 * 60;
/** Wrong secrets for one account from one network, on one known device, or within one session. */
const FAILURES_PER_PLACE = 10;
/** From one network, whatever the account: an office behind one address mistypes more. */
const FAILURES_PER_NETWORK = 100;
/** For one account from all networks together, devices that it is known on left out: what many networks at once may guess. */
const FAILURES_PER_ACCOUNT = 30;
const RESET_MAILS_PER_HOUR = 3;
/** How long a code of an authenticator is accepted: its own 30 seconds and those beside them. */
const CODE_SECONDS = 90;

/** A try that was counted before it was made, so that many at once cannot slip through. */
export interface Attempt {
  /** It was no guess: the place begins anew, the wider counts go back. */
  succeeded(): Promise<void>;
}

/** Where a guess comes from, and at what. */
export type AttemptOrigin =
  /** A known device (`knownDevice`) or a session: nobody else's guesses count against it. */
  | { readonly place: string }
  /** A client network (`networkOf`), at an account or at something that names none. */
  | { readonly network: string; readonly email: string | null };

interface Counter {
  readonly scope: string;
  readonly limit: number;
  /** A success starts it anew, rather than taking back its own use. */
  readonly endsWithSuccess?: true;
}

/** The narrowest first: what one refuses is not counted by those after it. */
function countersOf(origin: AttemptOrigin): readonly Counter[] {
  if ("place" in origin)
    return [{ scope: `sign-in:place:${origin.place}`, limit: FAILURES_PER_PLACE, endsWithSuccess: true }];
  const network = { scope: `sign-in:network:${origin.network}`, limit: FAILURES_PER_NETWORK };
  if (origin.email === null) return [network];
  const account = digestOf(origin.email);
  return [
    { scope: `sign-in:place:${origin.network}:${account}`, limit: FAILURES_PER_PLACE, endsWithSuccess: true },
    network,
    { scope: `sign-in:account:${account}`, limit: FAILURES_PER_ACCOUNT },
  ];
}

/**
 * Counts a try at something secret, for all processes and windows of a quarter of an hour. Throws 429 with Retry-After for the
 * eleventh failure of an account from one place, the right password included, and whether or not the account exists; for
 * the hundred-and-first of a network; and for the thirty-first of an account from networks together. A device on which the account's
 * owner has signed in before is a place of its own and counts in neither of these.
 */
export async function beginAttempt({ db }: Pick<Services, "db">, origin: AttemptOrigin): Promise<Attempt> {
  const start = windowStart(WINDOW_SECONDS);
  const counters = countersOf(origin);
  for (const [place, { scope, limit }] of counters.entries()) {
    const [used = 0] = await countUses(db.sql, [scope], start);
    if (used <= limit) continue;
    // Refused, it tried nothing: those before have not failed once more.
    await Promise.all(counters.slice(0, place).map((counted) => uncountUse(db.sql, counted.scope, start)));
    refuseOver(limit, used, start + WINDOW_SECONDS);
  }
  return {
    async succeeded() {
      await Promise.all(
        counters.map(({ scope, endsWithSuccess }) =>
          endsWithSuccess ? forgetUses(db.sql, scope) : uncountUse(db.sql, scope, start),
        ),
      );
    },
  };
}

/** Three mails an hour to one address, so that nobody's mailbox is filled from here. Throws 429 with Retry-After. */
export async function countResetMail({ db }: Pick<Services, "db">, email: string): Promise<void> {
  const start = windowStart(3600);
  const [used = 0] = await countUses(db.sql, [`reset-mail:${digestOf(email)}`], start);
  refuseOver(RESET_MAILS_PER_HOUR, used, start + 3600);
}

/**
 * Whether this code opens a session for the first time: an authenticator shows one code for 90 seconds of acceptance, and who
 * saw it typed must not use it again. Two windows of 180 seconds, half a window apart: any two uses within 90 seconds share one.
 */
export async function isFirstUse({ db }: Pick<Services, "db">, userId: string, code: string): Promise<boolean> {
  const scope = `totp:${digestOf(`${userId} ${code}`)}`;
  const half = windowStart(CODE_SECONDS);
  const even = windowStart(2 * CODE_SECONDS);
  const odd = half === even ? half - CODE_SECONDS : half;
  const uses = await Promise.all([
    countUses(db.sql, [`${scope}:even`], even),
    countUses(db.sql, [`${scope}:odd`], odd),
  ]);
  return uses.flat().every((used) => used === 1);
}

function refuseOver(limit: number, used: number, resetsAt: number): void {
  if (used > limit) throw rateLimited({ limit, used, resetsAt }, "Too many attempts. Wait a while and try again.");
}
