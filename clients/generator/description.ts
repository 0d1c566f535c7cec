/*
 * Reading a JSON document whose parts are not known to be there.
 */

/** An object of JSON. */
export type Json = Readonly<Record<string, unknown>>;

/** The value if it is an object. */
export const record = (value: unknown): Json | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined;

/** The objects of a list; none if it is none. */
export const list = (value: unknown): Json[] =>
  Array.isArray(value) ? value.map(record).filter((one) => one !== undefined) : [];

/** The value if it is text, else nothing. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** What a `$ref` leads to, else the value itself. */
export function resolved(document: Json, value: Json): Json {
  if (typeof value["$ref"] !== "string") return value;
  const found = value["$ref"]
    .split("/")
    .slice(1)
    .reduce<unknown>((at, part) => record(at)?.[part], document);
  return record(found) ?? {};
}
