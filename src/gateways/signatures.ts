import { createHmac, timingSafeEqual } from "node:crypto";
import { assert } from "../kernel/assert.ts";
import { instant, secondsBetween } from "../kernel/time.ts";

type Data = string | Uint8Array;

/**
 * Keyed hash over the exact bytes; text is taken as UTF-8. Throws for an empty key, because
 * anybody could sign with it.
 */
export function hmac(
  algorithm: "sha256" | "sha512",
  key: Data,
  data: Data,
  encoding: "hex" | "base64" = "hex",
): string {
  assert(key.length > 0, "a signature needs a key");
  return createHmac(algorithm, key).update(data).digest(encoding);
}

/** Compares in constant time. False for a missing signature or one of another length. */
export function sameSignature(given: string | undefined, expected: string): boolean {
  const a = Buffer.from(given ?? "");
  const b = Buffer.from(expected);
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Whether a signature's time, in whole seconds, lies within `toleranceSeconds` of the machine's clock on either side. */
export function isRecent(seconds: string | undefined, machineNow: Date, toleranceSeconds: number): boolean {
  if (!seconds || !/^\d{1,12}$/.test(seconds)) return false;
  return Math.abs(secondsBetween(instant(Number(seconds) * 1000), machineNow)) <= toleranceSeconds;
}

/**
 * Why a message is not genuine by the scheme Standard Webhooks (Svix uses it with another header prefix); null when it
 * is. The secret is `whsec_` and base64; `<prefix>-id`, `<prefix>-timestamp` (seconds) and the raw body are signed, and
 * any signature `v1` may match (decisions.md#signatures-by-our-own-code).
 */
export function standardWebhookFault(
  { prefix, secret, toleranceSeconds }: { prefix: "webhook" | "svix"; secret: string; toleranceSeconds: number },
  { headers, rawBody }: { headers: Readonly<Record<string, string | undefined>>; rawBody: Uint8Array },
  machineNow: Date,
): string | null {
  const [id, time, signatures] = ["id", "timestamp", "signature"].map((name) => headers[`${prefix}-${name}`]);
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  if (!id || !signatures || key.length === 0) return "There is no signature.";
  if (!isRecent(time, machineNow, toleranceSeconds)) return "The time of the signature is too far off.";
  const expected = `v1,${hmac("sha256", key, Buffer.concat([Buffer.from(`${id}.${time}.`), rawBody]), "base64")}`;
  const matches = signatures.split(" ").filter((item) => sameSignature(item, expected));
  return matches.length > 0 ? null : "The signature is wrong.";
}

/** `t=<seconds>,v1=<hex>[,v1=<hex>…]`; other items are ignored. */
function parseTimedSignature(header: string | undefined): { time: string | undefined; signatures: string[] } {
  const items = (header ?? "").split(",").map((item) => item.trim());
  const valuesOf = (name: string) =>
    items.filter((item) => item.startsWith(`${name}=`)).map((item) => item.slice(name.length + 1));
  return { time: valuesOf("t")[0], signatures: valuesOf("v1") };
}

const TIMED_TOLERANCE_SECONDS = 300;

/**
 * Why a message is not genuine by the scheme of Stripe, which the sandbox gateway has too; null when a `v1` of the
 * header is the HMAC-SHA256 of `<t>.<raw body>` and `t` is within 300 seconds of the machine's clock. The key is the
 * secret as text, a prefix such as `whsec_` included.
 */
export function timedSignatureFault(
  secret: string,
  header: string | undefined,
  rawBody: Uint8Array,
  machineNow: Date,
): string | null {
  const { time, signatures } = parseTimedSignature(header);
  if (time === undefined || signatures.length === 0) return "The signature is missing.";
  const expected = hmac("sha256", secret, Buffer.concat([Buffer.from(`${time}.`), rawBody]));
  if (!signatures.some((signature) => sameSignature(signature, expected))) return "The signature is wrong.";
  return isRecent(time, machineNow, TIMED_TOLERANCE_SECONDS) ? null : "The signature is too old.";
}
