import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";
import { createFairQueue } from "./fair-queue.ts";

/** Length of a new password in characters; older ones may be shorter. */
export const PASSWORD_MIN = 10;
export const PASSWORD_MAX = 128;

/** The cost of making and of checking a hash: KiB, passes, lanes. */
export interface PasswordCost {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** OWASP's minimum for argon2id. A stored hash contains its own cost, so this may be raised. */
const COST: PasswordCost = { memory: 19_456, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const TAG_BYTES = 32;
const STORED = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

const derive = promisify(argon2);

/** Leaves a core to requests: without a bound, the sign-ins of a few people take all of them, and the thread pool, which files need too. */
const AT_ONCE = Math.max(1, availableParallelism() - 1);
/** About ten seconds of work. */
const WAITING = 200;
const HASHES = createFairQueue({
  what: "sign-ins",
  together: AT_ONCE,
  togetherOfOne: AT_ONCE,
  waiting: WAITING,
  waitingOfOne: WAITING + 1,
  waitMs: null,
});
/** Nobody is known before their password is checked. */
const ANYBODY = "";

/**
 * `$argon2id$v=19$m=…,t=…,p=…$<salt>$<tag>`. Runs in the thread pool, about 30 ms, after those that wait. Throws 503
 * when too many wait.
 */
export async function hashPassword(password: string, cost = COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const tag = await tagOf(password, salt, cost, TAG_BYTES);
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${unpadded(salt)}$${unpadded(tag)}`;
}

/** Whether the password matches the stored hash; false for a text that is not such a hash. */
export async function verifyPassword(stored: string, password: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt, tag] = STORED.exec(stored) ?? [];
  if (salt === undefined || tag === undefined) return false;
  const expected = Buffer.from(tag, "base64");
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  return timingSafeEqual(await tagOf(password, Buffer.from(salt, "base64"), cost, expected.length), expected);
}

/** NFKC first, so that a password matches however the keyboard composes its letters. */
const tagOf = (password: string, salt: Buffer, cost: PasswordCost, tagLength: number): Promise<Buffer> =>
  HASHES.run(ANYBODY, () =>
    derive("argon2id", { message: password.normalize("NFKC"), nonce: salt, ...cost, tagLength }),
  );

const unpadded = (bytes: Buffer): string => bytes.toString("base64").replace(/=+$/, "");
