import { createHash } from "node:crypto";
import type { Services } from "../../flows/services.ts";
import { countUses, forget, takeBack } from "../../platform/rate-windows.ts";
import { rateLimited, windowStart } from "../rate-limit.ts";

/** Guesses at one account's password, and at anything from one address (an office behind one address mistypes more). */
const WINDOW_SECONDS = 15 * 60;
const FAILURES_PER_ACCOUNT = 10;
const FAILURES_PER_ADDRESS = 100;
const RESET_MAILS_PER_HOUR = 3;
/** How long a code of an authenticator is accepted: its own 30 seconds and those beside them. */
const CODE_SECONDS = 90;

/** A try that was counted before it was made, so that many at once cannot slip through. */
export interface Attempt {
  /** It was no guess: the address's count goes back, the account's begins anew. */
  succeeded(): Promise<void>;
}

/**
 * Counts a try at something secret, for all processes. Throws 429 with Retry-After from the eleventh failure of an account
 * in a quarter of an hour, the right password included, and whether or not the account exists.
 */
export async function beginAttempt(
  { db }: Pick<Services, "db">,
  by: { ip: string; email: string | null },
): Promise<Attempt> {
  const start = windowStart(WINDOW_SECONDS);
  const account = by.email === null ? null : `sign-in:account:${digest(by.email)}`;
  const address = `sign-in:address:${by.ip}`;
  const scopes = account === null ? [address] : [address, account];
  const [ofAddress = 0, ofAccount = 0] = await countUses(db.sql, scopes, start);
  // Refused for the account's sake, it tried nothing: the address has not failed once more.
  if (ofAccount > FAILURES_PER_ACCOUNT) await takeBack(db.sql, address, start);
  refuseOver(FAILURES_PER_ACCOUNT, ofAccount, start + WINDOW_SECONDS);
  refuseOver(FAILURES_PER_ADDRESS, ofAddress, start + WINDOW_SECONDS);
  return {
    async succeeded() {
      await Promise.all([takeBack(db.sql, address, start), account === null ? null : forget(db.sql, account)]);
    },
  };
}

/** Three mails an hour to one address, so that nobody's mailbox is filled from here. Throws 429 with Retry-After. */
export async function countResetMail({ db }: Pick<Services, "db">, email: string): Promise<void> {
  const start = windowStart(3600);
  const [used = 0] = await countUses(db.sql, [`reset-mail:${digest(email)}`], start);
  refuseOver(RESET_MAILS_PER_HOUR, used, start + 3600);
}

/**
 * Whether this code opens a session for the first time: an authenticator shows one code for 90 seconds of acceptance, and who
 * saw it typed must not use it again. Two windows of 180 seconds, half a window apart: any two uses within 90 seconds share one.
 */
export async function isFirstUse({ db }: Pick<Services, "db">, userId: string, code: string): Promise<boolean> {
  const scope = `totp:${digest(`${userId} ${code}`)}`;
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

const digest = (email: string): string => createHash("sha256").update(email.trim().toLowerCase()).digest("base64url");
