/** A number of things in words: "1 mandate", "20 mandates". */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** Length as the interface counts it: Unicode code points (interface 2.1). */
export function codePoints(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit <= 0xdbff) {
      count--;
      i++;
    }
  }
  return count;
}

/** Whether the database can hold the text: no NUL, no lone surrogate. */
export const isStorable = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

/** The first `max` code points. */
export const truncate = (text: string, max: number): string =>
  codePoints(text) <= max ? text : Array.from(text).slice(0, max).join("");

/** One line for headers and subjects: no control characters. */
export const singleLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();

/** The end of the texts that begin with `text`, in the order of bytes: every one of them is below it. */
export const endOfPrefix = (text: string): string => `${text}\u{10ffff}`;

/** A pattern for SQL's LIKE that matches values containing `text`, with its special characters escaped. */
export const containing = (text: string): string => `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`;
