/** One code point, two UTF-16 units. */
export const EMOJI = "\u{1F389}";

/** A text of `unit`, repeated `length` times. */
export const long = (length: number, unit = "a"): string => unit.repeat(length);
