/** What was typed wrongly; the message says how it is typed. */
export class Misuse extends Error {
  override readonly name = "Misuse";
}

/** A command line, read: words in their order, and options. */
export interface Typed {
  readonly words: readonly string[];
  /** The last value of an option. */
  option(name: string): string | undefined;
  /** All values of an option that may be given several times. */
  all(name: string): readonly string[];
  has(flag: string): boolean;
}

/** Options without a value. */
const FLAGS = new Set(["help", "version", "json", "move-clock"]);
const SHORT: Readonly<Record<string, string>> = { d: "data", h: "help" };

/** Reads `events list --type invoice.paid -d a=1 --limit=5`. Throws Misuse for an option without its value. */
export function readArguments(given: readonly string[]): Typed {
  const words: string[] = [];
  const options = new Map<string, string[]>();
  const rest = [...given];
  for (let one = rest.shift(); one !== undefined; one = rest.shift()) {
    const match = /^(?:--([a-z-]+)|-([a-z]))(?:=([\s\S]*))?$/.exec(one);
    if (!match) {
      words.push(one);
      continue;
    }
    const name = match[1] ?? SHORT[match[2] ?? ""] ?? `-${match[2]}`;
    const value = match[3] ?? (FLAGS.has(name) ? "" : rest.shift());
    if (value === undefined) throw new Misuse(`${one} needs a value`);
    options.set(name, [...(options.get(name) ?? []), value]);
  }
  return {
    words,
    option: (name) => options.get(name)?.at(-1),
    all: (name) => options.get(name) ?? [],
    has: (flag) => options.has(flag),
  };
}

/** `lines.0.unitPrice=100` and `lines[0][unitPrice]=100`, several, as one object. A value is JSON if it can be read as such, else text. */
export function fieldsOf(given: readonly string[]): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const one of given) {
    const at = one.indexOf("=");
    if (at < 1) throw new Misuse(`-d ${one}: write field=value`);
    const path = one
      .slice(0, at)
      .replaceAll(/\[(\w*)\]/g, ".$1")
      .split(".");
    put(root, path, readValue(one.slice(at + 1)));
  }
  return root;
}

function put(into: Record<string, unknown> | unknown[], [key = "", ...rest]: readonly string[], value: unknown): void {
  if (key === "__proto__") throw new Misuse("a field cannot be called __proto__");
  const holder = into as Record<string, unknown>;
  if (rest.length === 0) {
    holder[key] = value;
    return;
  }
  holder[key] ??= /^\d+$/.test(rest[0] ?? "") ? [] : {};
  const next = holder[key];
  if (typeof next !== "object" || next === null) throw new Misuse(`${key} has a value already`);
  put(next as Record<string, unknown>, rest, value);
}

function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
