import { codePoints, isStorable } from "./text.ts";

/** Flat map of strings that is stored with a record and never affects processing (interface 2.1). */
export type Metadata = Readonly<Record<string, string>>;

const METADATA_KEYS_MAX = 50;
const KEY = /^[A-Za-z0-9_.:-]{1,40}$/;
const VALUE_MAX = 500;
const JSON_MAX = 4000;

/**
 * Interface 2.1: numbers and booleans become strings, nulls are dropped. Throws an Error whose message says
 * which rule is broken; the schema layer turns it into an issue.
 */
export function normaliseMetadata(input: unknown): Metadata {
  if (typeof input !== "object" || input === null || Array.isArray(input))
    throw new Error("Metadata must be a flat object of string values.");
  const entries: [string, string][] = [];
  for (const [key, value] of Object.entries(input)) {
    if (!KEY.test(key))
      throw new Error(
        `Metadata key ${JSON.stringify(key.slice(0, 60))} must be 1-40 characters from letters, digits and _ . : -`,
      );
    if (value === null) continue;
    if (typeof value === "object")
      throw new Error(`Metadata value of ${key} must be a string, not an array or object.`);
    if (value === Infinity || value === -Infinity)
      throw new Error(`Metadata value of ${key} is too large a number; send it as a string.`);
    const text = String(value);
    if (codePoints(text) > VALUE_MAX)
      throw new Error(`Metadata value of ${key} must be at most ${VALUE_MAX} characters.`);
    if (!isStorable(text)) throw new Error(`Metadata value of ${key} holds characters that cannot be stored.`);
    entries.push([key, text]);
  }
  if (entries.length > METADATA_KEYS_MAX) throw new Error(`Metadata may have at most ${METADATA_KEYS_MAX} keys.`);
  // fromEntries defines own properties, so a key called __proto__ stays data.
  const metadata = Object.fromEntries(entries);
  if (codePoints(JSON.stringify(metadata)) > JSON_MAX)
    throw new Error(`Metadata must be at most ${JSON_MAX} characters as JSON.`);
  return metadata;
}
