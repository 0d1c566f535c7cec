/** One code point, two UTF-16 units. */
export const EMOJI = "\u{1F389}";

/** A text of `unit`, repeated `length` times. */
export const long = (length: number, unit = "a"): string => unit.repeat(length);

/** A text of so many code points of what breaks pages: markup, quotes, wildcards, two directions, emoji, and a word without an end. */
export const oddText = (length: number): string =>
  [...`<script>alert(1)</script> ' " % مرحبا 👋 ${long(length, "W")}`].slice(0, length).join("");
