import { words } from "./words.ts";

/** The path of a field in a body, in words: `lines.0.unitPrice` is `Line 1, unit price`. */
export function fieldWords(path: string): string {
  const said: string[] = [];
  for (const part of path.split(".")) {
    const name = words(part);
    if (/^\d+$/.test(part)) said.push(`${(said.pop() ?? "Entry").replace(/s$/, "")} ${Number(part) + 1}`);
    else said.push(said.length === 0 ? name : name.charAt(0).toLowerCase() + name.slice(1));
  }
  return said.join(", ");
}

/** A fault of a field as a sentence: one that begins in lower case continues the field's label. */
export function faultSentence(label: string, message: string): string {
  const text = /^\p{Ll}/u.test(message) ? `${label} ${message}` : message;
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
