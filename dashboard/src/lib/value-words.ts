import { formatTime, isDate } from "./time.ts";

const LONGEST = 120;

/** A value of the API in words; long ones are cut, and nothing is `empty`. */
export function valueWords(value: unknown): string {
  if (value === null || value === undefined || value === "") return "empty";
  if (typeof value === "boolean") return value ? "on" : "off";
  if (typeof value === "string" && isTimestamp(value)) return formatTime(value);
  if (Array.isArray(value))
    return value.every((one) => typeof one !== "object")
      ? cut(value.join(", ")) || "empty"
      : `a list of ${value.length}`;
  if (typeof value === "object") return named(value as Readonly<Record<string, unknown>>);
  return cut(String(value));
}

const isTimestamp = (text: string): boolean => /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(text) || isDate(text);
const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
const named = ({ name, company, email, id }: Readonly<Record<string, unknown>>): string =>
  cut(String(name ?? company ?? email ?? id ?? "something else"));
