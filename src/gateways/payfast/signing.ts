import { createHash } from "node:crypto";
import { sameSignature } from "../signatures.ts";

/** A field in its place. */
export type Pair = readonly [name: string, value: string];

/** As PHP's `urlencode`: UTF-8, a space as `+`, everything but letters, digits, `-`, `_` and `.` as upper-case `%XX`. */
export const phpEncode = (text: string): string =>
  encodeURIComponent(text.toWellFormed())
    .replace(/[!'()*~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%20", "+");

const joined = (pairs: readonly Pair[]): string =>
  pairs.map(([name, value]) => `${name}=${phpEncode(value)}`).join("&");

const md5 = (text: string): string => createHash("md5").update(text, "utf8").digest("hex");

const withPassphrase = (text: string, passphrase: string): string =>
  passphrase.trim() === "" ? text : `${text}&passphrase=${phpEncode(passphrase.trim())}`;

/**
 * The fields that the payment form posts, with their signature: trimmed, blank ones left out (`0` is not blank), in the
 * order given, which must be that of the gateway's table.
 */
export function signedForm(fields: readonly Pair[], passphrase: string): readonly Pair[] {
  const posted = fields.map(([name, value]): Pair => [name, value.trim()]).filter(([, value]) => value !== "");
  return [...posted, ["signature", md5(withPassphrase(joined(posted), passphrase))]];
}

/**
 * The text that a notification's signature covers, without the passphrase: every pair received before it, blank ones
 * too. The gateway confirms the same text.
 */
export const notificationText = (pairs: readonly Pair[]): string => joined(pairs);

const notificationSignature = (text: string, passphrase: string): string => md5(withPassphrase(text, passphrase));

/**
 * Whether `signature` is the gateway's over `text`, the `notificationText` of what was received before it. Compares in
 * constant time.
 */
export const isSigned = (text: string, signature: string | undefined, passphrase: string): boolean =>
  sameSignature(signature, notificationSignature(text, passphrase));

/** The signature of an API call: headers, query (without `testing`), body and passphrase together, sorted by the bytes of their names. */
export function apiSignature(values: Readonly<Record<string, string>>, passphrase: string): string {
  const all: Pair[] = [...Object.entries(values), ["passphrase", passphrase.trim()]];
  return md5(joined(all.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))));
}
