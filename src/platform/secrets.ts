import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { unpredictableBytes } from "./random.ts";

/** Organisation and column that a sealed value is bound to; `open` with others fails (decisions.md#sealed-per-column). */
export interface SealContext {
  readonly organisation: string;
  /** `table.column`, such as `gateway_accounts.credentials`. */
  readonly column: string;
}

export interface Secrets {
  /** `v1.<key id>.<iv>.<tag and ciphertext>`, the last two in base64url; different each time. */
  seal(plain: string, context: SealContext): string;
  /** Throws when the key is unknown, the text was changed, or the context differs; the message never contains the secret. */
  open(sealed: string, context: SealContext): string;
  /** Prefix of every value sealed with the current key; `tefo secrets rotate` seals the others again. */
  readonly currentPrefix: string;
  /** Eight hex digits that identify the current key and reveal nothing about it. */
  readonly keyId: string;
  /** A key of 32 bytes for another purpose, such as signing form tokens; the same for the same purpose and key. */
  derive(purpose: string): Buffer;
  /** As `derive`, to verify values that may be older than the last rotation: for the current key, then for each previous key. */
  deriveAll(purpose: string): readonly Buffer[];
}

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const SEALED = /^v1\.([0-9a-f]{8})\.([A-Za-z0-9_-]{16})\.([A-Za-z0-9_-]{22,})$/;

/** A new value for SECRET_KEY: 32 random bytes in base64. */
export const generateMasterKey = (): string => randomBytes(KEY_BYTES).toString("base64");

/** Takes SECRET_KEY and the entries of SECRET_KEY_PREVIOUS (interface 11.1). Throws, without quoting them, when one has the wrong form. */
export function createSecrets({ current, previous }: { current: string; previous: readonly string[] }): Secrets {
  const currentKey = readKey(current, "SECRET_KEY");
  const keys = [currentKey, ...previous.map((text) => readKey(text, "Each key in SECRET_KEY_PREVIOUS"))];
  const byId = new Map(keys.map((key) => [keyIdOf(key), derive(key, "seal")]));
  const keyId = keyIdOf(currentKey);
  const sealingKey = derive(currentKey, "seal");

  return {
    keyId,
    currentPrefix: `v1.${keyId}.`,
    seal(plain, context) {
      const iv = unpredictableBytes(IV_BYTES);
      const cipher = createCipheriv("aes-256-gcm", keyOf(sealingKey, context), iv).setAAD(boundTo(keyId, context));
      const text = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return `v1.${keyId}.${iv.toString("base64url")}.${Buffer.concat([cipher.getAuthTag(), text]).toString("base64url")}`;
    },
    open(sealed, context) {
      const [, id = "", iv = "", body = ""] = SEALED.exec(sealed) ?? [];
      if (id === "") throw new Error("This is not a sealed value.");
      const key = byId.get(id);
      if (!key)
        throw new Error(
          `Sealed with key ${id}, which is neither SECRET_KEY nor one of SECRET_KEY_PREVIOUS: add it there.`,
        );
      const opened = decrypt(keyOf(key, context), boundTo(id, context), iv, body);
      if (opened === null)
        throw new Error(
          `A sealed value of ${context.column} was changed, or belongs to another organisation or column.`,
        );
      return opened;
    },
    derive: (purpose) => derive(currentKey, `use ${purpose}`),
    deriveAll: (purpose) => keys.map((key) => derive(key, `use ${purpose}`)),
  };
}

function decrypt(key: Buffer, aad: Buffer, iv: string, body: string): string | null {
  const bytes = Buffer.from(body, "base64url");
  // The last character may have unused bits, which decoding ignores; only the canonical text is accepted.
  if (bytes.toString("base64url") !== body) return null;
  const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(iv, "base64url"), { authTagLength: TAG_BYTES })
    .setAAD(aad)
    .setAuthTag(bytes.subarray(0, TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(TAG_BYTES)), decipher.final()]).toString("utf8");
  } catch {
    return null;
  }
}

/** The key of an organisation. Random IVs are safe for 2^32 values per key, which all organisations together could exceed. */
const keyOf = (sealingKey: Buffer, { organisation }: SealContext): Buffer =>
  createHmac("sha256", sealingKey).update(organisation).digest();

const boundTo = (keyId: string, { organisation, column }: SealContext): Buffer =>
  Buffer.from(JSON.stringify(["v1", keyId, organisation, column]));

const derive = (key: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", key, "", `tefo ${purpose}`, KEY_BYTES));

const keyIdOf = (key: Buffer): string => derive(key, "key id").toString("hex", 0, 4);

function readKey(text: string, name: string): Buffer {
  const trimmed = text.trim();
  const key = Buffer.from(trimmed, "base64");
  if (key.length === KEY_BYTES && key.toString("base64") === trimmed) return key;
  const seen = /^[0-9a-f]{64}$/i.test(trimmed) ? "it looks like hex" : `it has ${trimmed.length} characters`;
  throw new Error(`${name} must be 32 bytes in base64 (44 characters), as "openssl rand -base64 32" prints; ${seen}.`);
}
