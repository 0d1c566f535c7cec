/** What a hole of `html` takes. Text is escaped; an array is written one after the other; null and false write nothing. */
export type Hole = string | number | Html | null | false | readonly Hole[];

/** HTML whose text parts are all escaped. Only `html` makes it: a string cannot stand in for it, and in a hole a string is text. */
class Html {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** As it is sent to a browser or put into a mail. */
  toString(): string {
    return this.#text;
  }
}

export type { Html };

/** Writes HTML: what stands in the template is taken as it is, what stands in a hole by `Hole`. */
export function html(template: TemplateStringsArray, ...holes: readonly Hole[]): Html {
  let text = template[0] ?? "";
  for (let index = 0; index < holes.length; index++) text += written(holes[index] ?? null) + template[index + 1];
  return new Html(text);
}

function written(hole: Hole): string {
  if (typeof hole === "string") return escaped(hole);
  if (hole === null || hole === false) return "";
  if (typeof hole === "number" || hole instanceof Html) return String(hole);
  let text = "";
  for (const part of hole) text += written(part);
  return text;
}

const SPECIAL = /["&'<=>]/g;

/** Safe between tags and inside an attribute in quotes. */
const escaped = (text: string): string => text.replace(SPECIAL, (letter) => `&#${letter.charCodeAt(0)};`);
