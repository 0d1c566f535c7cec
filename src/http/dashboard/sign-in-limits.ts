import type { Services } from "../../flows/services.ts";
import { countUses, forgetUses, uncountUse } from "../../platform/rate-windows.ts";
import { rateLimited, windowStart } from "../rate-limit.ts";
import { digestOf } from "./known-devices.ts";

const WINDOW_SECONDS = 15 * 60;
/** Wrong secrets in a window, for one account from one network, on one known device, or within one session. */
const FAILURES_PER_PLACE = 10;
/**
 * Wrong secrets in a window from one network for all accounts. More than for one account: an office shares one address.
 */
const FAILURES_PER_NETWORK = 100;
/** Wrong secrets in a window for one account from all networks together, without its known devices. */
const FAILURES_PER_ACCOUNT = 30;
const RESET_MAILS_PER_HOUR = 3;
/** How long an authenticator's code is accepted: its own 30 seconds, the 30 before and the 30 after. */
const CODE_SECONDS = 90;

/**
 * An attempt to sign in. It is counted before the secret is checked, so that simultaneous attempts cannot exceed the
 * limit.
 */
export interface Attempt {
  /** The secret was right: the count of the place is reset, and the wider counts are reduced by one. */
  succeeded(): Promise<void>;
}

/** The origin of an attempt, and the account that it is for. */
export type AttemptOrigin =
  /** A known device (`knownDevice`) or a session. Attempts made elsewhere do not count against it. */
  | { readonly place: string }
  /** A client network (`networkOf`). `email` is null for a secret that belongs to no named account. */
  | { readonly network: string; readonly email: string | null };

interface Counter {
  readonly scope: string;
  readonly limit: number;
  /** Whether a success resets the count; otherwise it only removes its own use. */
  readonly endsWithSuccess?: true;
}

/** The counters of an attempt, the narrowest first. When one refuses, the later ones do not count the attempt. */
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
 * Counts an attempt at a secret, across all processes, in windows of 15 minutes. After 10 failures for an account from
 * one place, 100 from a network, or 30 for an account from all networks it throws 429 with Retry-After, even for the
 * right password, and whether or not the account exists. A device on which the account's owner has signed in before has
 * a count of its own; the other two do not count it.
 */
export async function beginAttempt({ db }: Pick<Services, "db">, origin: AttemptOrigin): Promise<Attempt> {
  const start = windowStart(WINDOW_SECONDS);
  const counters = countersOf(origin);
  for (const [place, { scope, limit }] of counters.entries()) {
    const [used = 0] = await countUses(db.sql, [scope], start);
    if (used <= limit) continue;
    // A refused attempt checked no secret, so the earlier counters subtract it.
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

/** Counts a mail that resets a password: at most three an hour to one address. Throws 429 with Retry-After. */
export async function countResetMail({ db }: Pick<Services, "db">, email: string): Promise<void> {
  const start = windowStart(3600);
  const [used = 0] = await countUses(db.sql, [`reset-mail:${digestOf(email)}`], start);
  refuseOver(RESET_MAILS_PER_HOUR, used, start + 3600);
}

/**
 * Records the use of an authenticator's code and returns whether it is the first. A code is accepted for 90 seconds,
 * and somebody who has seen it must not be able to use it again. It counts in two windows of 180 seconds that are 90
 * seconds apart: any two uses within 90 seconds are in one of them together.
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
