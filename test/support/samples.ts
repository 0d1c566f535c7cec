/*
 * The samples of a page of the documentation. A comment <!-- sample: … --> says of the fence below it how it differs from
 * what is usual for its language, or, standing alone, what a reader does there in a browser or elsewhere.
 */

/** A fenced sample. */
export interface Sample {
  readonly kind: "sample";
  /** The line of its page. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** What the comments directly above it say. */
  readonly marks: readonly string[];
}

/** What a reader does without pasting anything. */
export interface Act {
  readonly kind: "act";
  readonly line: number;
  readonly words: string;
}

/** How a fence may differ from what is usual for its language. */
const MARK = /^(not run, since .{10,}|stays running|answers \d{3}|file \S+|types \S+|needs \w+)$/;
const COMMENT = /^\s*<!-- sample: (.+?) -->\s*$/;

/** Samples and acts of a page, in its order. */
export function stepsOf(markdown: string): (Sample | Act)[] {
  const steps: (Sample | Act)[] = [];
  const lines = markdown.split("\n");
  let marks: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = at + 1;
    const words = COMMENT.exec(lines[at] ?? "")?.[1];
    const fence = /^( *)```(\w*)(.*)$/.exec(lines[at] ?? "");
    if (words !== undefined && MARK.test(words)) marks.push(words);
    else if (words !== undefined) steps.push({ kind: "act", line, words });
    else if (fence) {
      const [, indent = "", language = "", rest = ""] = fence;
      if (rest.trim() !== "") throw new Error(`line ${line}: a fence has no words after its language`);
      const end = lines.indexOf(`${indent}\`\`\``, line);
      if (end < 0) throw new Error(`line ${line}: the fence has no end`);
      const text = lines.slice(line, end).map((one) => one.slice(indent.length));
      steps.push({ kind: "sample", line, language, text: text.join("\n"), marks });
      marks = [];
      at = end;
    } else if (marks.length > 0) throw new Error(`line ${line}: "${marks.join(", ")}" belongs directly above a fence`);
  }
  return steps;
}

/** The rest of the mark of a sample that begins so; null without. */
export const markOf = ({ marks }: Sample, beginning: string): string | null =>
  marks.find((mark) => mark === beginning || mark.startsWith(`${beginning} `))?.slice(beginning.length + 1) ?? null;

/** The file that a sample is saved as: a comment in its first line names it, in PHP in the first after `<?php`. */
export const fileOf = (sample: Sample): string | null =>
  markOf(sample, "file") ??
  (sample.language === "sh" ? null : (/^(?:<\?php\n+)?(?:\/\/|#) ([\w-]+\.\w+)\b/.exec(sample.text)?.[1] ?? null));

/**
 * Whether a text is like the one that a page shows: words with a digit, such as ids and times, differ from run to run,
 * and so does what … stands for.
 */
function isLike(shown: string, text: string): boolean {
  if (shown === text || shown.includes("@") || DAY_OR_MONTH.test(shown)) return true;
  const parts = shown.split(/(…|[\w-]*\d[\w-]*)/).map((part, at) => {
    if (at % 2 === 0) return part.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
    return part === "…" ? String.raw`[\s\S]*` : `${/^[a-z]+_/.exec(part)?.[0] ?? ""}[\\w-]+`;
  });
  return new RegExp(`^${parts.join("")}$`).test(text);
}

const DAY_OR_MONTH = /^\[?[A-Z][a-z]{2}$/;

/** Where what a page shows is not like the answer, as paths with both values. Lists may be longer than what is shown of them. */
export function differences(shown: unknown, answer: unknown, path = ""): string[] {
  if (Array.isArray(shown) && Array.isArray(answer)) {
    const listed = shown.filter((one) => one !== "…");
    if (listed.every((one) => typeof one !== "object"))
      return listed.filter((one) => !answer.includes(one)).map((one) => `${path}: ${String(one)} is missing`);
    return listed.flatMap((one, at) => differences(one, answer[at], `${path}[${at}]`));
  }
  if (isObject(shown) && isObject(answer))
    return Object.entries(shown).flatMap(([key, one]) => differences(one, answer[key], `${path}.${key}`));
  const isSame = typeof shown === "string" && typeof answer === "string" ? isLike(shown, answer) : shown === answer;
  return isSame ? [] : [`${path}: ${JSON.stringify(shown)} is ${JSON.stringify(answer)}`];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The lines that a page shows which no printed line is like, word by word. */
export function missingLines(shown: string, printed: string): string[] {
  const lines = printed.split("\n").map(wordsOf);
  return shown.split("\n").filter((line) => {
    const words = wordsOf(line);
    return (
      words.length > 0 &&
      !lines.some((one) => one.length === words.length && words.every((word, at) => isLike(word, one[at] ?? "")))
    );
  });
}

const wordsOf = (line: string): string[] => line.split(/\s+/).filter((word) => word !== "");

/**
 * A command with what its reader fills in: `evt_01a…` is the last word printed before that begins with `evt_`. Throws for
 * one that nothing printed begins with.
 */
export function filledIn(command: string, printed: string): string {
  const code = command.replaceAll(/(^|\s)#.*$/gm, "$1");
  return code.replaceAll(/\b([A-Za-z]+_)[\w-]*…/g, (word, beginning: string) => {
    const found = printed.match(new RegExp(String.raw`\b${beginning}[\w-]*\w`, "g"))?.at(-1);
    if (found === undefined) throw new Error(`${word} stands for something that nothing printed begins with`);
    return found;
  });
}
