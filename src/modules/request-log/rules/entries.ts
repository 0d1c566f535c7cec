import type { LoggedRequest } from "../types.ts";

const PATH_MAX = 300;
const PARAMETERS_MAX = 20;
/** The form of the API's parameter names. Other text before a `=` may be a secret that was pasted there. */
const PARAMETER = /^[A-Za-z][\w.[\]-]{0,39}$/;

/** A part of a path; an email address, by which a customer can be named, is left out. */
const shownPart = (part: string): string => (/@|%40/i.test(part) ? "…" : part);

/** The stored part of a request's address, in Node's form: its path, and the names of its parameters. */
export function addressKept(url: string): Pick<LoggedRequest, "path" | "parameters"> {
  const [path = "", query = ""] = url.split("?", 2);
  const names = query.split("&").map((one) => one.split("=", 1)[0] ?? "");
  return {
    path: path.slice(0, PATH_MAX).split("/").map(shownPart).join("/"),
    parameters: names
      .filter((name) => PARAMETER.test(name))
      .slice(0, PARAMETERS_MAX)
      .join("&"),
  };
}

/** Items that wait to be written, by organisation; their number is limited for one organisation and for all. */
export class Waiting<Key, Item> {
  readonly #most: { readonly ofOne: number; readonly ofAll: number };
  #items = new Map<Key, Item[]>();
  #count = 0;
  #left = 0;

  constructor(most: { readonly ofOne: number; readonly ofAll: number }) {
    this.#most = most;
  }

  /** The number of waiting items. */
  get count(): number {
    return this.#count;
  }

  /** Adds an item, unless there are too many. */
  add(key: Key, item: Item): void {
    const items = this.#items.get(key) ?? [];
    if (items.length >= this.#most.ofOne || this.#count >= this.#most.ofAll) {
      this.#left += 1;
      return;
    }
    items.push(item);
    this.#items.set(key, items);
    this.#count += 1;
  }

  /** All waiting items, and the number left out; both start from zero again. */
  take(): { readonly items: ReadonlyMap<Key, readonly Item[]>; readonly left: number } {
    const taken = { items: this.#items, left: this.#left };
    this.#items = new Map();
    this.#count = 0;
    this.#left = 0;
    return taken;
  }
}
