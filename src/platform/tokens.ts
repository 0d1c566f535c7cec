import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { assert } from "../kernel/assert.ts";
import { type Id, idFromBytes, idToBytes, type OrganisationId } from "../kernel/ids.ts";

const MAC_BYTES = 16;

/** A page whose address is the permission (decisions.md#tokens-without-a-row). */
export interface HostedPage<Kind extends string = string> {
  /** The first segment of its path; signed with the token, so that a token of one page opens no other. */
  readonly path: string;
  /** The prefix of the ids of the records that the page shows. */
  readonly kind: Kind;
}

/**
 * A token that can be computed again: organisation, record and a 128-bit HMAC. Its organisation is known without a query, and
 * nothing secret is stored (decisions.md#tokens-without-a-row). `purpose` is signed too, so a token of one purpose is not valid for
 * another.
 */
export function signToken(key: Buffer, purpose: string, organisation: OrganisationId, subject: string): string {
  const head = headOf(organisation, subject);
  return Buffer.concat([head, mac(key, purpose, head)]).toString("base64url");
}

/**
 * Organisation and record that the token names, not verified: call `verifyToken` before they are trusted. Null when the
 * text is not a token.
 */
export function readToken<Kind extends string>(
  token: string,
  kind: Kind,
): { organisation: OrganisationId; subject: Id<Kind> } | null {
  if (!/^[A-Za-z0-9_-]{64}$/.test(token)) return null;
  const bytes = Buffer.from(token, "base64url");
  return {
    organisation: idFromBytes("org", bytes.subarray(0, 16)),
    subject: idFromBytes(kind, bytes.subarray(16, 32)),
  };
}

/** Whether the token was signed with this key; constant time. */
export function verifyToken(token: string, key: Buffer, purpose: string): boolean {
  const bytes = Buffer.from(token, "base64url");
  // base64url text with other unused bits decodes to the same bytes; only the canonical text is accepted.
  if (bytes.length !== 32 + MAC_BYTES || bytes.toString("base64url") !== token) return false;
  return timingSafeEqual(mac(key, purpose, bytes.subarray(0, 32)), bytes.subarray(32));
}

const SHORT_CODE_LENGTH = 15;

/** A code of 15 characters, of 90 random bits, for an address that people pass on (decisions.md#short-links-have-a-row). */
export const newShortCode = (): string => randomBytes(12).toString("base64url").slice(0, SHORT_CODE_LENGTH);

/** Whether the text can be such a code. */
export const isShortCode = (text: string): boolean => /^[A-Za-z0-9_-]{15}$/.test(text);

/** A token that is shown once: organisation and 256 random bits; only its hash is stored (decisions.md#shown-once-is-hashed). */
export function newSecretToken(organisation: OrganisationId): { token: string; hash: Buffer } {
  const head = idToBytes(organisation);
  assert(head, "an organisation's id has bytes");
  const token = Buffer.concat([head, randomBytes(32)]).toString("base64url");
  return { token, hash: hashToken(token) };
}

/** The organisation that a secret token names, and the hash to find it by. Null when the text is not such a token. */
export function readSecretToken(token: string): { organisation: OrganisationId; hash: Buffer } | null {
  if (!/^[A-Za-z0-9_-]{64}$/.test(token)) return null;
  const organisation = idFromBytes("org", Buffer.from(token, "base64url").subarray(0, 16));
  return { organisation, hash: hashToken(token) };
}

/** The hash that is stored of a secret token. */
const hashToken = (token: string): Buffer => createHash("sha256").update(token).digest();

function headOf(organisation: OrganisationId, subject: string): Buffer {
  const [owner, record] = [idToBytes(organisation), idToBytes(subject)];
  assert(owner && record, "a token names ids");
  return Buffer.concat([owner, record]);
}

const mac = (key: Buffer, purpose: string, head: Buffer): Buffer =>
  createHmac("sha256", key).update(`${purpose}:`).update(head).digest().subarray(0, MAC_BYTES);
