/** A value in a `${…}` of `html`. Text is escaped, the elements of an array are written in order, null and false write nothing. */
export type HtmlValue = string | number | Html | null | false | readonly HtmlValue[];

/**
 * HTML whose text is escaped. Only `html` creates it, so that a string where HTML is expected does not compile
 * (decisions.md#html-is-a-type).
 */
class Html {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The HTML as text, for a browser or a mail. */
  toString(): string {
    return this.#text;
  }
}

export type { Html };

/** Creates HTML: the template's own text is written unchanged, its values as described at `HtmlValue`. */
export function html(template: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let text = template[0] ?? "";
  for (let index = 0; index < values.length; index++) text += written(values[index] ?? null) + template[index + 1];
  return new Html(text);
}

function written(value: HtmlValue): string {
  if (typeof value === "string") return escaped(value);
  if (value === null || value === false) return "";
  if (typeof value === "number" || value instanceof Html) return String(value);
  let text = "";
  for (const part of value) text += written(part);
  return text;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '"': "&quot;",
  "&": "&amp;",
  "'": "&#39;",
  "<": "&lt;",
  ">": "&gt;",
};

/** Escapes text for use between tags and in quoted attributes. */
const escaped = (text: string): string => text.replace(/["&'<>]/g, (letter) => ENTITIES[letter] ?? letter);
